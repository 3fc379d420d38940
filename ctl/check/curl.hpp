// What the service and the mail server say from outside, asked by curl: usershellctl itself opens
// no connection but the database's.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace usershell::ctl {

struct CurlAnswer {
    int exit = 0;                               ///< curl's own: 0, or what went wrong
    std::string error;                          ///< its sentence about that
    int status = 0;                             ///< of HTTP
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string certificate_end;                ///< of a TLS server: "Nov 22 04:00:00 2027 GMT"
};

/// `options`: lines of curl's own configuration file, which go by standard input, where no list of
/// processes shows them. Throws Error when there is no curl.
CurlAnswer ask_by_curl(const std::vector<std::string>& options);

/// `name = "value"`, as that file wants it.
std::string curl_option(const std::string& name, const std::string& value);

} // namespace usershell::ctl
