#include "adapters/failures.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

using Kind = UpstreamError::Kind;

struct Row {
    net::HttpFailure failure;
    Kind kind;
};

constexpr auto rows = std::to_array<Row>({
    {net::HttpFailure::forbidden_address, Kind::forbidden_address},
    {net::HttpFailure::unreachable, Kind::unreachable},
    {net::HttpFailure::timed_out, Kind::timed_out},
    {net::HttpFailure::bad_certificate, Kind::bad_certificate},
    {net::HttpFailure::too_large, Kind::too_large},
    {net::HttpFailure::not_http, Kind::not_the_protocol},
    {net::HttpFailure::cut_off, Kind::cut_off},
    {net::HttpFailure::cancelled, Kind::cancelled},
});

} // namespace

bool was_cut_off(const net::HttpResult& result) {
    return result.failure != net::HttpFailure::none && result.failure != net::HttpFailure::stopped;
}

void throw_failure(const net::HttpResult& result) {
    if (result.failure == net::HttpFailure::unsendable)
        throw UpstreamError::with_sentence(Kind::rejected,
                                           "The request can't be sent: the key or the base URL has "
                                           "characters that HTTP does not allow. Enter it again.");
    const auto* const row = std::ranges::find(rows, result.failure, &Row::failure);
    if (row != rows.end()) throw UpstreamError{row->kind};
    if (result.head.status >= 300 && result.head.status < 400)
        throw UpstreamError::with_sentence(
            Kind::not_the_protocol, "The provider answered with a redirect (HTTP " +
                                        std::to_string(result.head.status) +
                                        "), and redirects are not followed. Check the base URL.");
}

} // namespace usershell::adapters
