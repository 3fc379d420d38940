#include "auth/browser_words.hpp"

#include <array>
#include <span>
#include <utility>

namespace usershell::auth {
namespace {

struct Word {
    std::string_view mark; ///< somewhere in the header
    std::string_view word;
};

// The first row whose mark is in the header counts: most browsers also claim to be some other one.
constexpr auto browsers = std::to_array<Word>({{"Edg", "Edge"},
                                               {"OPR/", "Opera"},
                                               {"SamsungBrowser/", "Samsung Internet"},
                                               {"Vivaldi/", "Vivaldi"},
                                               {"Firefox/", "Firefox"},
                                               {"FxiOS/", "Firefox"},
                                               {"CriOS/", "Chrome"},
                                               {"Chrome/", "Chrome"},
                                               {"Safari/", "Safari"},
                                               {"curl/", "curl"}});

constexpr auto systems = std::to_array<Word>({{"iPhone", "iPhone"},
                                              {"iPad", "iPad"},
                                              {"Android", "Android"},
                                              {"Windows", "Windows"},
                                              {"CrOS", "ChromeOS"},
                                              {"Mac OS X", "macOS"},
                                              {"Linux", "Linux"}});

std::string_view word_for(std::span<const Word> words, std::string_view text) {
    for (const Word& each : words)
        if (text.find(each.mark) != std::string_view::npos) return each.word;
    return {};
}

} // namespace

Sentence browser_words(std::string_view user_agent) {
    const std::string browser{word_for(browsers, user_agent)};
    const std::string system{word_for(systems, user_agent)};
    Sentence known = browser.empty() ? "An unknown browser"_en : Sentence::read(browser);
    if (system.empty()) return known;
    return {"{browser} on {system}"_en, {{"browser", std::move(known)}, {"system", system}}};
}

std::string browser_of(const web::Request& request) {
    return browser_words(request.header("user-agent").value_or("")).stored();
}

} // namespace usershell::auth
