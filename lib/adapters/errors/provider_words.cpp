#include "adapters/errors/provider_words.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

constexpr std::size_t max_shown = 1024; // bytes
constexpr std::size_t max_edge = 2;     // punctuation characters that are no part of a word
constexpr std::ptrdiff_t max_digits = 6;

bool is_visible_ascii(char c) { return c > ' ' && c <= '~'; }

std::string_view word_of(std::string_view run) {
    for (std::size_t i = 0; i < max_edge && !run.empty() && !is_alphanumeric(run.front()); ++i)
        run.remove_prefix(1);
    for (std::size_t i = 0; i < max_edge && !run.empty() && !is_alphanumeric(run.back()); ++i)
        run.remove_suffix(1);
    return run;
}

bool is_known(std::string_view run) {
    const auto word = word_of(run);
    return is_known_word(lower_ascii(word));
}

constexpr auto signs = std::to_array<std::string_view>(
    {">", "<", "=", "+", "-", "*", "/", "%", "&", "|", "~", ">=", "<=", "==", "!=", "=>", "->"});

/// The members of requests in all protocols, without "_". Validators make paths of them:
/// "messages.0.content[1].text", "#/max_tokens".
constexpr std::string_view request_names =
    " arguments audio base64 body budgettokens cachecontrol config content contents data "
    "description detail enum file format frequencypenalty function functioncall functions "
    "generationconfig id image imageurl includeusage input inputschema instructions items "
    "jsonschema logitbias logprobs maxcompletiontokens maxoutputtokens maxtokens mediatype "
    "message messages metadata mimetype model name outputconfig paralleltoolcalls parameters "
    "params parts presencepenalty prompt properties reasoning reasoningeffort request "
    "required responseformat role schema seed source stop stopsequences store stream "
    "streamoptions strict system systeminstruction temperature text thinking tool toolcallid "
    "toolcalls toolchoice toolresult tools tooluse topk toplogprobs topp type url user "
    "verbosity ";

/// Digits, with one point and commas between them at most: "8192", "0.5", "200,000".
bool is_number(std::string_view word) {
    const auto digits = std::ranges::count_if(word, is_digit);
    const bool is_of_numbers =
        std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '.' || c == ','; });
    return digits > 0 && digits <= max_digits && is_of_numbers &&
           std::ranges::count(word, '.') <= 1 && is_digit(word.front()) && is_digit(word.back());
}

bool is_request_name(std::string_view part) {
    return request_names.find(" " + without(part, '_') + " ") != std::string_view::npos;
}

/// Names of requests, with their places in lists, and nothing but signs of a path between them.
bool is_path(std::string_view run) {
    constexpr std::string_view separators = ".[]/$#:;,()<>='\"`";
    const std::string text = lower_ascii(run);
    bool has_name = false;
    std::ptrdiff_t digits = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const auto part = rest.substr(0, rest.find_first_of(separators));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        const bool is_name = is_request_name(part);
        if (!is_name && !std::ranges::all_of(part, is_digit)) return false;
        if (!is_name) digits += std::ssize(part);
        has_name = has_name || is_name;
    }
    return has_name && digits <= max_digits;
}

bool may_be_shown(std::string_view run) {
    const bool is_sign = std::ranges::find(signs, run) != signs.end();
    return is_sign || is_number(word_of(run)) || is_known(run) || is_path(run);
}

/// "2026-12-01T08:00:00Z": a date with a time, as no key is.
bool is_time(std::string_view word) {
    constexpr std::size_t most = 35; // with a fraction and a zone
    return word.size() > 10 && word.size() <= most && word[10] == 'T' && word[4] == '-' &&
           word[7] == '-' && word.find_first_not_of("0123456789-:.+TZ") == std::string_view::npos;
}

bool may_be_read(std::string_view run) {
    return run.size() < min_key_for_words || is_known(run) || is_path(run) || is_time(word_of(run));
}

/// The parts that are kept, and marks for the rest. `text` is printable UTF-8.
std::string marked(std::string_view text, bool (*keeps)(std::string_view run),
                   bool (*keeps_beyond)(std::string_view character)) {
    std::string result;
    std::string blanks; // behind a mark: those between two marks are dropped
    bool is_hidden = false;
    while (!text.empty()) {
        const auto* const end = std::ranges::find_if_not(text, is_visible_ascii);
        const auto run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
        const auto part = run.empty() ? first_code_point(text) : run;
        if (part == " ") {
            (is_hidden ? blanks : result) += ' ';
        } else if (run.empty() ? keeps_beyond(part) : keeps(part)) {
            result.append(blanks).append(part);
            blanks.clear();
            is_hidden = false;
        } else {
            if (!is_hidden) result += hidden_mark;
            blanks.clear();
            is_hidden = true;
        }
        text.remove_prefix(part.size());
    }
    return result;
}

} // namespace

std::string without_long_escapes(std::string_view text) {
    constexpr std::string_view whole = "\"\\/"; // escapes of two characters, whatever follows
    const auto is_inside = [](char c) { return is_visible_ascii(c) && c != '"' && c != '\\'; };
    std::string kept;
    for (auto at = text.find('\\'); at < text.size(); at = text.find('\\')) {
        kept.append(text.substr(0, at));
        text.remove_prefix(at);
        const auto* const end = std::find_if_not(text.begin() + 1, text.end(), is_inside);
        const auto size = static_cast<std::size_t>(end - text.begin());
        const bool is_whole = text.size() > 1 && whole.find(text[1]) != std::string_view::npos;
        const auto taken = is_whole ? 2 : size;
        kept.append(taken > min_key_for_words ? hidden_mark : text.substr(0, taken));
        text.remove_prefix(taken);
    }
    return kept.append(text);
}

std::string_view without_last_run(std::string_view text) {
    const auto blank = text.find_last_of(" \t\r\n");
    return text.substr(0, blank == std::string_view::npos ? 0 : blank);
}

std::string_view cut_at_blank(std::string_view text, std::size_t limit) {
    return text.size() <= limit ? text : without_last_run(text.substr(0, limit));
}

std::string shown_words(std::string_view text) {
    const auto clean = printable(cut_at_blank(text, max_shown));
    auto shown =
        trim(marked(clean, may_be_shown, [](auto point) { return !becomes_ascii(point); }));
    return shown == hidden_mark ? std::string{} : shown;
}

std::string readable_words(std::string_view text) {
    return lower_ascii(marked(printable(text), may_be_read, [](auto) { return true; }));
}

} // namespace usershell::adapters
