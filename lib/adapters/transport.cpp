#include "adapters/transport.hpp"

#include "domain/relay_routes.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

struct FailureRow {
    net::HttpFailure failure;
    Reason reason;
};

constexpr auto failure_rows = std::to_array<FailureRow>({
    {net::HttpFailure::forbidden_address, Reason::forbidden_address},
    {net::HttpFailure::unreachable, Reason::unreachable},
    {net::HttpFailure::timed_out, Reason::timed_out},
    {net::HttpFailure::bad_certificate, Reason::bad_certificate},
    {net::HttpFailure::too_large, Reason::too_large},
    {net::HttpFailure::not_http, Reason::not_this_protocol},
    {net::HttpFailure::cut_off, Reason::cut_off},
    {net::HttpFailure::cancelled, Reason::cancelled},
});

} // namespace

UpstreamError leads_out() {
    return UpstreamError::with_sentence(
        Reason::rejected,
        "This call would leave the provider’s base URL, so it was not made. Check the base URL "
        "and the model id."_en);
}

UpstreamError too_costly() {
    return UpstreamError::with_sentence(
        Reason::too_large,
        "Reading the provider’s answer took too much work, so the call was ended."_en);
}

net::HttpControl CallClock::next(std::size_t answer_bytes) const {
    const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start_);
    net::HttpControl http = options_;
    http.limits.answer_bytes = answer_bytes;
    http.limits.total = std::max(http.limits.total - spent, std::chrono::milliseconds{0});
    return http;
}

Task<net::HttpResult> send(const CallTarget& target, const CallControl& control,
                           const net::HttpRequest& request, const net::HttpControl& http) {
    const auto beside = route_base(target.type, RelayRoute::messages, target.base_url);
    if (!target.base_url.covers(request.url) && !BaseUrl::parse(beside).covers(request.url))
        throw leads_out();
    if (control.options.budget && !control.options.budget->take_request())
        throw UpstreamError::with_sentence(Reason::too_large,
                                           "The provider’s answer comes in too many parts."_en);
    return control.http.perform(request, http);
}

bool was_cut_off(const net::HttpResult& result) {
    return result.failure != net::HttpFailure::none && result.failure != net::HttpFailure::stopped;
}

void throw_transport_failure(const net::HttpResult& result) {
    if (result.failure == net::HttpFailure::unsendable)
        throw UpstreamError::with_sentence(
            Reason::rejected,
            "The request can’t be sent: the key or the base URL has characters that HTTP does not "
            "allow. Enter it again."_en);
    if (result.failure == net::HttpFailure::too_costly) throw too_costly();
    const auto* const row = std::ranges::find(failure_rows, result.failure, &FailureRow::failure);
    if (row != failure_rows.end()) throw UpstreamError{row->reason};
    if (result.head.status >= 300 && result.head.status < 400)
        throw UpstreamError::with_sentence(
            Reason::not_this_protocol,
            {"The provider answered with a redirect (HTTP {status}), and redirects are not "
             "followed. Check the base URL."_en,
             {{"status", std::to_string(result.head.status)}}});
}

} // namespace usershell::adapters
