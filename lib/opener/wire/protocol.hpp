// What usershell-execute and usershell-opener say to each other, and its form. A request begins a
// call, or asks for a key of one that has begun; the answer has what the store tells of it, with
// opened keys and no envelope. No request has an envelope either: nothing that a thief of
// usershell-execute has found elsewhere is opened for it.
//
// A request is one packet, an answer the bytes of some (packets.hpp). The first byte is the kind;
// the fields follow in their order. A number has eight bytes, big-endian; a text has its length as
// a number, and its bytes; of what may be missing and of a list, a number says how much there is.
// Each has a bound. What differs from that is Malformed, and ends the connection.
//
// Pure. Encoded answers hold keys, so they are wiped; so are encoded requests.
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/wiping.hpp"
#include "crypto/envelope/unseal_error.hpp"
#include "crypto/secret.hpp"
#include "store/call_facts.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace usershell::opener {

// Requests. The ids of calls are drawn by the asking program, so that a request may be repeated
// after a lost answer.

/// Of a person at a page, by the hash of their token for calls. The first key that the call tries
/// is opened, unless it is for all active providers.
struct BeginCall {
    std::string calls_token_hash;
    std::string id;
    std::optional<ProviderId> provider{};
    std::optional<AccountId> only{}; ///< the account whose key alone is tried
    store::TakesTurn turn = store::TakesTurn::no;
};
/// Of a tool.
struct BeginTokenCall {
    std::string id;
    store::TokenRequest request;
};
/// Of a tool's call that has begun without a provider.
struct LoadProvider {
    store::CallId call;
    ProviderId provider;
    std::string model;
    store::TokenNeed need{};
};
/// Another key of a call under way.
struct NextKey {
    store::CallId call;
    ProviderId provider;
    std::optional<AccountId> account{}; ///< null: the provider's own
    bool with_headers = false;          ///< the provider's headers, too
};
using Request = std::variant<BeginCall, BeginTokenCall, LoadProvider, NextKey>;

/// Longer names of models exist nowhere: "model@handle" (rules::model_id, rules::handle).
inline constexpr std::size_t max_model_name = 1024;
inline constexpr std::size_t max_request = 4096; ///< bytes of any encoded request

// Answers.

/// A plaintext, or why there is none.
using Opened = std::variant<crypto::Secret, crypto::UnsealError::Reason>;

struct OpenedKey {
    Opened key;
    std::string digest; ///< crypto::digest_of() of its envelope
};
struct OpenedHeader {
    std::string name;
    Opened value;
};
/// A provider for a call.
struct OpenedProvider : store::CallProvider {
    std::optional<OpenedKey>
        first_key{}; ///< the first of keys_to_try(); null: it is to be asked for
    /// In the order of `headers`. Null: they are to be asked for with the first key.
    std::optional<std::vector<Opened>> header_values{};
};
using CallStart = store::CallStart<OpenedProvider>;
using TokenCallStart = store::TokenCallStart<OpenedProvider>;
using LoadedProvider = store::LoadedProvider<OpenedProvider>;
struct FoundKey {
    std::string type; ///< of the provider, as it is now; with base_url what the key may be used for
    std::string base_url;
    std::optional<OpenedKey> key{}; ///< null: it is gone
    std::vector<OpenedHeader> headers{};
};

/// Why there is no answer of the store.
enum class Trouble {
    unavailable, ///< the store has not answered in time, or no connection to it was free
    failed,      ///< a fault, which the opener's log has
};
/// The first, or one at the place of the request's kind: null where the store has found no right
/// to it.
using Answer = std::variant<Trouble, std::optional<CallStart>, std::optional<TokenCallStart>,
                            std::optional<LoadedProvider>, std::optional<FoundKey>>;

struct Malformed : Error {
    Malformed() : Error{"The other program sent what is no packet of the protocol."} {}
};

/// Throws Malformed for a field that exceeds its bound.
WipedString encoded(Request request);
/// Throws Malformed.
Request read_request(std::string_view packet);

WipedString encoded(Answer answer);
/// Throws Malformed.
Answer read_answer(std::string_view bytes);

} // namespace usershell::opener
