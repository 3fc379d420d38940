// Fields that people fill in: each is canonical once it was read.
#include "manage/providers/fields.hpp"
#include "auth/browser_words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/email.hpp"
#include "domain/rules.hpp"
#include "target.hpp"

namespace {

using namespace usershell;

/// `read(read(x)) == read(x)`, if it is accepted.
template <class Read>
void require_canonical(Read read, std::string_view input) {
    std::string value;
    if (!fuzz::accepts([&] { value = read(std::string{input}); })) return;
    fuzz::require(read(value) == value, "a field that was read is canonical");
}

void check_email(std::string_view input) {
    const auto email = parse_email(input);
    if (!email) return;
    const auto again = parse_email(email->shown);
    fuzz::require(again && again->shown == email->shown && again->normalized == email->normalized &&
                      again->deliverable == email->deliverable,
                  "an address as shown is canonical");
    const auto normal = parse_email(email->normalized);
    fuzz::require(normal && normal->normalized == email->normalized,
                  "an address to compare is canonical");
    const auto sent = parse_email(email->deliverable);
    fuzz::require(sent && sent->normalized == email->normalized &&
                      sent->deliverable == email->deliverable,
                  "mail goes to the address that is compared");
    fuzz::require(!has_control(email->deliverable) &&
                      email->deliverable.find_first_of(" <>,;\"") == std::string::npos,
                  "an address is one word");
}

void check_text(std::string_view input) {
    const auto shown = printable(input);
    fuzz::require(is_utf8(shown) && !has_control(shown) && printable(shown) == shown,
                  "printable text is canonical");
    fuzz::require(trimmed(trimmed(input)) == trimmed(input), "trimmed text is canonical");
    const auto short_one = shorten(shown, 20);
    fuzz::require(count_code_points(short_one) <= 20 && shorten(short_one, 20) == short_one,
                  "short text is canonical");
    fuzz::require(is_utf8(initials(shown)), "initials are text");
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ";
    const auto words = auth::browser_words(input).english(); // shown on the page of security
    fuzz::require(words.size() < 50 && words.find_first_not_of(letters) == std::string::npos,
                  "a browser's words are ours");
}

void run(std::string_view input) {
    for (const auto* rule :
         {&rules::display_name, &rules::model_name, &rules::api_key, &rules::message})
        require_canonical([&](const std::string& given) { return rules::read(*rule, given); },
                          input);
    require_canonical([](const std::string& given) { return manage::capabilities_field(given); },
                      input);
    require_canonical(
        [](const std::string& given) {
            return manage::model_id_field(given, manage::type_field("google-gemini"));
        },
        input);
    check_email(input);
    check_text(input);
}

const fuzz::Target target{"fields", run, std::size_t{16} * 1024, std::size_t{1024} * 1024};

} // namespace
