// What a caller is told of a failed call, thrown. (A ProviderError, in contrast, is what a provider
// said, parsed; it becomes an UpstreamError unless asking again in another way helps.)
#pragma once

#include "adapters/errors/reason.hpp"
#include "base/error.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::adapters {

class UpstreamError : public std::exception {
public:
    /// `detail`: the provider's own words, redacted, printable and short; may be empty.
    explicit UpstreamError(Reason reason, const std::string& detail = {},
                           std::optional<std::chrono::seconds> retry_after = {});
    /// With a sentence of our own where the reason's general one would say too little.
    static UpstreamError with_sentence(Reason reason, std::string sentence);

    Reason reason() const { return reason_; }
    /// The contract's word for the reason, e.g. "key_refused".
    std::string_view reason_name() const { return row_of(reason_).name; }
    /// E.g. "The provider refused the key. Check or replace it. It said: …"; with the time
    /// to come back, where the provider names one.
    const std::string& sentence() const { return sentence_; }
    /// The same of a key, in few words: "was refused".
    std::string_view of_key() const { return row_of(reason_).of_key; }
    /// upstream_error or upstream_timeout: the answer when nothing has been sent yet.
    ErrorCode code() const;
    /// When the provider says to come back: 0 s to a day.
    std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }
    Fault fault() const { return row_of(reason_).fault; }
    bool may_try_another_key() const { return row_of(reason_).next_key; }
    /// How long the key is to be passed over: as the provider says where it does, at most an hour.
    std::optional<std::chrono::seconds> key_rest() const;
    const char* what() const noexcept override { return sentence_.c_str(); }

private:
    Reason reason_;
    std::string sentence_;
    std::optional<std::chrono::seconds> retry_after_;
};

/// "Try again in 20 seconds."
std::string try_again_in(std::chrono::seconds wait);

} // namespace usershell::adapters
