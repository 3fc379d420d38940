#include "adapters/errors/redaction.hpp"

#include "adapters/errors/suffix_index.hpp"
#include "adapters/errors/text_reading.hpp"
#include "base/ascii.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

// How it works. Nothing is replaced while anything is still being looked for: a text from which one
// thing had been taken would be another text to the next search, and what is found would depend on
// the order. So all searches run over the text as it came and only count, byte by byte, how many
// finds cover it; at the end every stretch of covered bytes becomes one mark, always the same one,
// whose size tells nothing of what it hides.
//
// The same text is read in several ways: as it is, with escapes undone once and twice, and with
// each run of base64 decoded from its first four characters on, as base64 puts three bytes into
// four characters and a key may begin at any of them. A find in any reading is counted where its
// bytes come from.
//
// The whole key is the only thing looked for that depends on the key. Looking for the caller's
// texts and for what has the form of a key hides nothing more of it, but takes away what a caller
// could compare: a guess of the whole key in a model's name is hidden, right or wrong.

constexpr std::string_view mark = "\u2022\u2022\u2022\u2022";
constexpr auto npos = std::string_view::npos;
constexpr std::size_t max_text = 4096;  // of which 300 code points are shown
constexpr std::size_t certain_size = 8; // bytes from which a find is no chance
constexpr std::size_t token_size = 16;  // characters from which a run with a digit looks random

bool is_word(char c) { return is_alphanumeric(c) || c == '-' || c == '_'; }
bool is_decoded(char c) { return c != '\0'; } // between runs of base64 that were decoded

/// How many finds cover each byte of a text.
class Coverage {
public:
    explicit Coverage(std::size_t size) : changes_(size + 1) {}

    void add(Span span) {
        ++changes_[span.begin];
        --changes_[span.end];
    }

    std::string blank(std::string_view text) const {
        std::string shown;
        int depth = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const bool begins = depth == 0 && changes_[at] > 0;
            depth += changes_[at];
            if (begins) shown += mark;
            if (depth == 0) shown += text[at];
        }
        return shown;
    }

private:
    std::vector<int> changes_; ///< of the number of finds that cover, from one byte to the next
};

/// Does this find count? A short one may be a coincidence, so it counts only where no character
/// that is `inside` touches it.
bool counts(std::string_view bytes, std::size_t begin, std::size_t size, bool (*inside)(char)) {
    if (size >= certain_size) return true;
    const auto end = begin + size;
    return (begin == 0 || !inside(bytes[begin - 1])) &&
           (end == bytes.size() || !inside(bytes[end]));
}

void find_key(const TextReading& reading, std::string_view key, bool (*inside)(char),
              Coverage& coverage) {
    if (key.empty()) return;
    const auto bytes = reading.bytes();
    for (auto at = bytes.find(key); at != std::string_view::npos; at = bytes.find(key, at + 1))
        if (counts(bytes, at, key.size(), inside)) coverage.add(reading.origin(at, key.size()));
}

void find_texts(const TextReading& reading, const std::vector<std::string>& needles,
                bool (*inside)(char), Coverage& coverage) {
    const auto folded = reading.folded();
    const SuffixIndex index{folded.bytes()};
    for (const auto& needle : needles)
        for (const auto at : index.places(needle))
            if (counts(folded.bytes(), at, needle.size(), inside))
                coverage.add(folded.origin(at, needle.size()));
}

/// The size of a character that keys are made of or hidden with, at the front; 0 for another one.
std::size_t token_character(std::string_view text) {
    for (const std::string_view hidden : {"\u2022", "\u2026"})
        if (text.starts_with(hidden)) return hidden.size();
    constexpr std::string_view others = "-_.+~*";
    return is_alphanumeric(text.front()) || others.find(text.front()) != npos ? 1 : 0;
}

/// "**", "•", "…", or "..." with something after it, as what ends a sentence has not.
bool is_masked(std::string_view run) {
    const auto dots = run.find("...");
    const bool between = dots != npos && run.find_first_not_of('.', dots) != npos;
    return between || run.find("**") != npos || run.find("\u2022") != npos ||
           run.find("\u2026") != npos;
}

bool is_token(std::string_view run) {
    if (is_masked(run)) return std::ranges::any_of(run, is_alphanumeric);
    return run.size() >= token_size && std::ranges::any_of(run, is_digit);
}

void find_tokens(const TextReading& reading, Coverage& coverage) {
    const auto bytes = reading.bytes();
    for (std::size_t at = 0; at < bytes.size();) {
        std::size_t size = 0;
        while (at + size < bytes.size()) {
            const auto more = token_character(bytes.substr(at + size));
            if (more == 0) break;
            size += more;
        }
        auto run = bytes.substr(at, size);
        while (run.ends_with('.')) run.remove_suffix(1); // a sentence's end
        if (is_token(run)) coverage.add(reading.origin(at, run.size()));
        at += size + 1;
    }
}

std::string folded(std::string_view text) {
    std::string fold;
    while (!text.empty()) text.remove_prefix(fold_first(text, fold));
    return fold;
}

} // namespace

std::string_view without_last_run(std::string_view text) {
    const auto blank = text.find_last_of(" \t\r\n");
    return text.substr(0, blank == npos ? 0 : blank);
}

std::string_view cut_at_blank(std::string_view text, std::size_t limit) {
    return text.size() <= limit ? text : without_last_run(text.substr(0, limit));
}

Redactor::Redactor(const CallTexts& call) : key_{call.key} {
    for (const auto text : call.from_caller)
        // Longer texts can't occur in what is read, even if folding makes every letter a quarter as
        // long.
        if (text.size() / 4 <= max_text) from_caller_.push_back(folded(trim(text)));
    std::erase(from_caller_, std::string{});
    std::ranges::sort(from_caller_);
    from_caller_.erase(std::unique(from_caller_.begin(), from_caller_.end()), from_caller_.end());
}

std::string Redactor::redacted(std::string_view whole) const {
    const auto text = cut_at_blank(whole, max_text);
    Coverage coverage{text.size()};
    const auto search = [&](const TextReading& reading, bool (*inside)(char)) {
        find_key(reading, key_, inside, coverage);
        find_texts(reading, from_caller_, inside, coverage);
    };
    const auto plain = TextReading::of(text);
    const auto once = plain.unescaped();
    for (const auto& reading : {plain, once, once.unescaped()}) {
        search(reading, is_word);
        find_tokens(reading, coverage);
    }
    for (std::size_t skipped = 0; skipped < 4; ++skipped)
        search(once.from_base64(skipped), is_decoded);
    return coverage.blank(text);
}

} // namespace usershell::adapters
