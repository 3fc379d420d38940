#include "adapters/errors/transport_failure.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

struct Row {
    net::HttpFailure failure;
    Reason reason;
};

constexpr auto rows = std::to_array<Row>({
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

bool was_cut_off(const net::HttpResult& result) {
    return result.failure != net::HttpFailure::none && result.failure != net::HttpFailure::stopped;
}

UpstreamError too_costly() {
    return UpstreamError::with_sentence(
        Reason::too_large,
        "To read the provider's answer took too much work, so the call was ended."_en);
}

void throw_transport_failure(const net::HttpResult& result) {
    if (result.failure == net::HttpFailure::unsendable)
        throw UpstreamError::with_sentence(
            Reason::rejected, "The request can't be sent: the key or the base URL has "
                              "characters that HTTP does not allow. Enter it again."_en);
    if (result.failure == net::HttpFailure::too_costly) throw too_costly();
    const auto* const row = std::ranges::find(rows, result.failure, &Row::failure);
    if (row != rows.end()) throw UpstreamError{row->reason};
    if (result.head.status >= 300 && result.head.status < 400)
        throw UpstreamError::with_sentence(
            Reason::not_this_protocol,
            {"The provider answered with a redirect (HTTP {status}), and redirects are not "
             "followed. Check the base URL."_en,
             {{"status", std::to_string(result.head.status)}}});
}

} // namespace usershell::adapters
