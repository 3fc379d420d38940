// What of a provider's own words may be shown, logged or stored.
//
// Providers repeat what they were sent, and what they were sent holds the key and texts that the
// caller chooses. A mask that hid parts of the key would tell a caller who guesses whether a guess
// is right. So the rule is: what is shown does not depend on the key, except that a key that is
// repeated whole is hidden.
//
// Answers, reasoning, model lists and search results are not redacted, on purpose: what a provider
// answers is the caller's, and a filter that held text back because it begins like the key would
// tell the same by the frames' boundaries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

/// What a call was made with. The texts outlive it.
struct CallTexts {
    std::string_view key;
    std::vector<std::string_view> from_caller; ///< model, system prompt, messages, query
};

/// Made for one error, once there is one; one thread.
class Redactor {
public:
    explicit Redactor(const CallTexts& call);

    /// `text`, as it came, with "••••" in place of every part that is
    ///   - a text of the caller's, in any case of letters,
    ///   - formed like a key or a part of one, whatever the key is: sixteen or more of the
    ///     characters that keys are made of with a digit among them, or letters and digits next to
    ///     what providers hide keys with ("**", "•", "…", "..."),
    ///   - the whole key.
    /// The caller's texts and the key are found as they are, escaped as in JSON or URLs (also
    /// twice), and in base64; with eight bytes or more anywhere, shorter ones only where no letter,
    /// digit, "-" or "_" touches them. Parts that overlap or touch become one mark. Only the first
    /// 4 KiB are read.
    std::string redacted(std::string_view text) const;

private:
    std::string_view key_;
    std::vector<std::string> from_caller_; ///< trimmed, case folded, sorted, each once
};

/// Without the last run of characters that are no white space: for a text that was cut off, as half
/// a key would not be found.
std::string_view without_last_run(std::string_view text);
/// The first `limit` bytes; when that is not all, without the last run.
std::string_view cut_at_blank(std::string_view text, std::size_t limit);

} // namespace usershell::adapters
