#include "adapters/calls.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

using Kind = UpstreamError::Kind;

struct KindRow {
    Kind kind;
    std::string_view name;
    bool another_key;
    std::string_view sentence;
};

constexpr auto rows = std::to_array<KindRow>({
    {Kind::key_refused, "key_refused", true, "The provider refused the key. Check or replace it."},
    {Kind::no_credit, "no_credit", true,
     "The provider says that this key has no credit left. Top up the account or use another key."},
    {Kind::rate_limited, "rate_limited", true, "The provider limits how often this key may call."},
    {Kind::unknown_model, "unknown_model", false,
     "The provider does not know this model, or this key may not use it. Check the model id."},
    {Kind::context_too_long, "context_too_long", false,
     "The message is too long for this model. Shorten it or start a new conversation."},
    {Kind::refused_by_policy, "refused_by_policy", false,
     "The provider declined to answer because of its content policy."},
    {Kind::rejected, "rejected", false, "The provider rejected the request."},
    {Kind::provider_failed, "provider_failed", true,
     "The provider had an error of its own. Try again later."},
    {Kind::unreachable, "unreachable", true,
     "The provider could not be reached. Check the base URL."},
    {Kind::forbidden_address, "forbidden_address", false,
     "The base URL leads to an address that may not be called from here."},
    {Kind::timed_out, "timed_out", false, "The provider did not answer in time."},
    {Kind::bad_certificate, "bad_certificate", false,
     "The provider's TLS certificate could not be verified. Check the base URL."},
    {Kind::not_the_protocol, "not_the_protocol", false,
     "What answered does not speak this provider type's protocol. Check the base URL and the "
     "type."},
    {Kind::too_large, "too_large", false, "The provider's answer was too large."},
    {Kind::cut_off, "cut_off", true, "The provider's answer broke off before it was complete."},
    {Kind::cancelled, "cancelled", false, "The call was cancelled."},
});

const KindRow& row_of(Kind kind) { return *std::ranges::find(rows, kind, &KindRow::kind); }

std::string counted(std::chrono::seconds::rep number, std::string_view unit) {
    return std::to_string(number) + " " + std::string{unit} + (number == 1 ? "" : "s");
}

std::string in_words(std::chrono::seconds wait) {
    const auto seconds = std::max<std::chrono::seconds::rep>(wait.count(), 1);
    if (seconds < 120) return counted(seconds, "second");
    if (seconds < 7200) return counted((seconds + 59) / 60, "minute");
    return counted((seconds + 3599) / 3600, "hour");
}

} // namespace

UpstreamError::UpstreamError(Kind kind, const std::string& detail,
                             std::optional<std::chrono::seconds> retry_after)
    : kind_{kind},
      sentence_{row_of(kind).sentence},
      retry_after_{retry_after} {
    if (kind == Kind::rate_limited)
        sentence_ += " Try again " + (retry_after ? "in " + in_words(*retry_after) : "later") + ".";
    if (!detail.empty()) sentence_ += " It said: " + detail;
}

UpstreamError UpstreamError::with_sentence(Kind kind, std::string sentence) {
    UpstreamError error{kind};
    error.sentence_ = std::move(sentence);
    return error;
}

std::string_view UpstreamError::kind_name() const { return row_of(kind_).name; }

ErrorCode UpstreamError::code() const {
    return kind_ == Kind::timed_out ? ErrorCode::upstream_timeout : ErrorCode::upstream_error;
}

bool UpstreamError::worth_another_key() const { return row_of(kind_).another_key; }

} // namespace usershell::adapters
