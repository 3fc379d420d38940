// Words that are shown to others: of a browser's User-Agent, and of a sentence in another language.
#include "auth/browser_words.hpp"
#include "base/text.hpp"
#include "target.hpp"
#include "web/language.hpp"

namespace {

using namespace usershell;

void run(std::string_view input) {
    const auto words = auth::browser_words(input);
    fuzz::require(
        words.size() < 50 &&
            words.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ") ==
                std::string::npos,
        "words are ours");
    static const web::Language german{USERSHELL_SOURCE_DIR "/templates/languages/de.json"};
    fuzz::require(!is_utf8(input) || is_utf8(german.sentence(input)), "a sentence is text");
}

// No sentence of ours is as long.
const fuzz::Target target{"words", run, std::size_t{16} * 1024};

} // namespace
