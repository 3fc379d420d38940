// A request's header lines as libcurl sends them. For transfer.cpp only.
#pragma once

#include "net/curl.hpp"
#include "net/http_client.hpp"

namespace usershell::net {

/// False when the method is another than GET or POST, or when a header or the key holds what would
/// end its line: libcurl sends header lines as it is given them.
bool can_be_sent(const HttpRequest& request);

LineList header_lines(const HttpRequest& request);

} // namespace usershell::net
