#include "adapters/errors/reason.hpp"

#include "base/rules.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

using namespace std::chrono_literals;
using rules::limited_key_cooldown;
using rules::refused_key_cooldown;

// Two reasons may have one name: the contract's words say what a program can do about it.
constexpr auto rows = std::to_array<ReasonRow>({
    {Reason::key_refused, "key_refused", Fault::key, true, refused_key_cooldown, "was refused",
     "The provider refused the key. Check or replace it."},
    {Reason::not_allowed, "not_allowed", Fault::key, true, refused_key_cooldown,
     "may not make this call",
     "The provider knows the key, but does not allow this call with it. Check what the account may "
     "use, and from where."},
    {Reason::blocked, "not_allowed", Fault::provider, false, 0s, "met a firewall",
     "A firewall in front of the provider blocked this call. Ask the provider whether it allows "
     "calls from this server."},
    {Reason::out_of_credit, "out_of_credit", Fault::key, true, limited_key_cooldown,
     "has no credit left",
     "The provider says that this key has no credit left. Top up the account or use another key."},
    {Reason::rate_limited, "rate_limited", Fault::key, true, limited_key_cooldown,
     "is rate limited", "The provider limits how often this key may call."},
    {Reason::overloaded, "overloaded", Fault::provider, true, 0s, "met an overloaded provider",
     "The provider is overloaded."},
    {Reason::failed, "overloaded", Fault::provider, true, 0s, "met an error of the provider",
     "The provider had an error of its own."},
    {Reason::unknown_model, "unknown_model", Fault::request, false, 0s, "met an unknown model",
     "The provider does not know this model, or this key may not use it. Check the model id."},
    {Reason::wrong_api, "wrong_api", Fault::request, false, 0s, "met a model of another API",
     "This model does not chat, or only by another API of the provider. Choose another model."},
    {Reason::too_long, "too_long", Fault::request, false, 0s, "met a message that is too long",
     "The message is too long for this model. Shorten it or start a new conversation."},
    {Reason::too_many_tokens, "rejected", Fault::request, false, 0s,
     "met a token limit that is too high",
     "The model does not write so many tokens. Lower the token limit."},
    {Reason::policy, "policy", Fault::request, false, 0s, "met the content policy",
     "The provider declined to answer because of its content policy."},
    {Reason::rejected, "rejected", Fault::request, false, 0s, "met a request that was rejected",
     "The provider rejected the request."},
    {Reason::empty, "empty", Fault::request, false, 0s, "got no text",
     "The model answered without any text."},
    {Reason::unreachable, "unreachable", Fault::provider, true, 0s, "did not reach the provider",
     "The provider could not be reached. Check the base URL."},
    // The same as `unreachable` for users, so that answers do not reveal internal names.
    {Reason::forbidden_address, "unreachable", Fault::provider, true, 0s,
     "did not reach the provider", "The provider could not be reached. Check the base URL."},
    {Reason::timed_out, "timed_out", Fault::provider, false, 0s, "got no answer in time",
     "The provider did not answer in time."}, // another key would hang as well
    {Reason::bad_certificate, "bad_certificate", Fault::provider, false, 0s,
     "met a bad certificate",
     "The provider's TLS certificate could not be verified. Check the base URL."},
    {Reason::not_this_protocol, "not_this_protocol", Fault::provider, false, 0s,
     "met another protocol",
     "The answer is not in this provider type's protocol. Check the base URL and the "
     "type."},
    {Reason::too_large, "too_large", Fault::provider, false, 0s, "got too large an answer",
     "The provider's answer was too large."},
    {Reason::cut_off, "cut_off", Fault::provider, true, 0s, "got an answer that broke off",
     "The provider's answer broke off before it was complete."},
    {Reason::cancelled, "cancelled", Fault::nobody, false, 0s, "was cancelled",
     "The call was cancelled."},
});

} // namespace

std::span<const ReasonRow> reason_rows() { return rows; }

const ReasonRow& row_of(Reason reason) {
    return *std::ranges::find(rows, reason, &ReasonRow::reason);
}

} // namespace usershell::adapters
