// The exception of a failed call, with the sentence for the user. A ProviderError becomes an
// UpstreamError unless the request can be changed and sent again.
#pragma once

#include "adapters/errors/reason.hpp"
#include "base/error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::adapters {

/// Of a provider's own words; never stored or logged.
struct ProviderSaid {
    std::string code{};  ///< a machine word of the table of causes; empty: none
    std::string words{}; ///< shown_words() of its message (provider_words.hpp); may be empty
};

/// what() has the contract's word for the reason, and no word of the provider's.
class UpstreamError : public Error {
public:
    explicit UpstreamError(Reason reason, std::optional<std::chrono::seconds> retry_after = {},
                           ProviderSaid said = {});
    /// With a sentence of our own where the reason's general one would say too little.
    static UpstreamError with_sentence(Reason reason, Sentence sentence);

    Reason reason() const { return reason_; }
    /// The contract's word for the reason, e.g. "key_refused".
    std::string_view reason_name() const { return row_of(reason_).name; }
    /// E.g. "The provider refused the key. Check or replace it."; with the time to come back, where
    /// the provider names one. No word of the provider's is in it.
    const Sentence& sentence() const { return sentence_; }
    const ProviderSaid& said() const { return said_; }
    /// The same in a few words, about the key that was tried: "key refused".
    English of_key() const { return row_of(reason_).of_key; }
    /// upstream_error or upstream_timeout: the answer when nothing has been sent yet.
    ErrorCode code() const;
    /// When the provider says to come back: 0 s to a day.
    std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }
    Fault fault() const { return row_of(reason_).fault; }
    bool may_try_another_key() const { return row_of(reason_).next_key; }
    /// Of the key; nullopt: it needs none. When it is rate limited or out of credit, for the time
    /// that the provider names, at most an hour; else for the reason's.
    std::optional<std::chrono::seconds> cooldown() const;

private:
    Reason reason_;
    Sentence sentence_;
    std::optional<std::chrono::seconds> retry_after_;
    ProviderSaid said_;
};

/// The sentence, and "Try again in 20 seconds."
Sentence with_return(Sentence sentence, std::chrono::seconds wait);

} // namespace usershell::adapters
