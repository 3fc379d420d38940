#include "adapters/failures.hpp"

#include <algorithm>
#include <array>

namespace usershell {

namespace {

using Kind = UpstreamError::Kind;

struct Row {
    HttpFailure failure;
    Kind kind;
};

constexpr auto rows = std::to_array<Row>({
    {HttpFailure::forbidden_address, Kind::forbidden_address},
    {HttpFailure::unreachable, Kind::unreachable},
    {HttpFailure::timed_out, Kind::timed_out},
    {HttpFailure::bad_certificate, Kind::bad_certificate},
    {HttpFailure::too_large, Kind::too_large},
    {HttpFailure::not_http, Kind::not_the_protocol},
    {HttpFailure::cut_off, Kind::cut_off},
    {HttpFailure::cancelled, Kind::cancelled},
});

} // namespace

void throw_failure(const HttpResult& result) {
    if (result.failure == HttpFailure::unsendable)
        throw UpstreamError::told(Kind::rejected,
                                  "The request can't be sent: the key or the base URL has "
                                  "characters that HTTP does not allow. Enter it again.");
    const auto* const row = std::ranges::find(rows, result.failure, &Row::failure);
    if (row != rows.end()) throw UpstreamError{row->kind};
    if (result.head.status >= 300 && result.head.status < 400)
        throw UpstreamError::told(Kind::not_the_protocol,
                                  "The provider answered with a redirect (HTTP " +
                                      std::to_string(result.head.status) +
                                      "), and redirects are not followed. Check the base URL.");
}

} // namespace usershell
