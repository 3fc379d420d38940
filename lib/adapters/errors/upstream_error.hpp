// Why a call to a provider failed: one row a reason, which says what follows from it; and the
// exception of such a call, with the sentence for the user. A ProviderError becomes an
// UpstreamError unless the request can be changed and sent again.
#pragma once

#include "base/error.hpp"
#include "base/sentence.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace usershell::adapters {

enum class Reason {
    key_refused,
    not_allowed, ///< the key is right, but not for this: region, address, API not enabled
    blocked,     ///< a firewall in front of the provider answered
    out_of_credit,
    rate_limited,
    overloaded,
    failed, ///< another error of the provider's own
    unknown_model,
    wrong_api,       ///< a model of another API than the chat one
    too_long,        ///< for the model's context
    too_big,         ///< for the provider's server, or a proxy before it, in bytes
    too_many_tokens, ///< the request's limit is above what the model allows
    policy,
    rejected, ///< the request, for any other fault in it
    empty,    ///< an answer without text
    unreachable,
    forbidden_address,
    timed_out,
    bad_certificate,
    not_this_protocol, ///< garbage, HTML, a redirect, JSON of another shape
    too_large,
    cut_off,   ///< ended in the middle
    cancelled, ///< the client has gone
};

/// The cause of the failure; its health is lowered.
enum class Fault {
    key,
    provider, ///< or the way to it
    request,  ///< the provider and the key work: another request may succeed
    nobody,
};

struct ReasonRow {
    Reason reason;
    std::string_view name; ///< the contract's word for it, in answers
    Fault fault;
    bool next_key;                 ///< another key may succeed
    std::chrono::seconds cooldown; ///< of the key; 0: it has none
    English of_key;                ///< for a list of the keys tried: "key refused"
    English sentence;              ///< for a person: what happened, and what to do
};

/// All of them; several may have one name.
std::span<const ReasonRow> reason_rows();
const ReasonRow& row_of(Reason reason);

/// Of a provider's own words; never stored or logged.
struct ProviderSaid {
    std::string code{};         ///< a machine word of the table of causes; empty: none
    std::string words{};        ///< shown_words() of its message (provider_words.hpp); may be empty
    bool refuses_route = false; ///< refuses_route() of provider_error.hpp
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
