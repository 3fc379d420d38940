// Requests to the service and the mail server, made by the program curl: usershellctl itself opens
// no connection but that to the database.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace usershell::ctl {

struct CurlAnswer {
    int exit = 0;      ///< curl's exit status: 0, or its number for what went wrong
    std::string error; ///< its sentence about that
    int status = 0;    ///< of HTTP
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string certificate_end;                ///< of a TLS server: "Nov 22 04:00:00 2027 GMT"
};

/// Runs curl with these lines of its configuration file (curl(1), --config), which it reads from
/// standard input, so that no list of processes shows them. `seconds`: for the whole answer, such
/// as "1.5". Throws Error when curl is not installed.
CurlAnswer ask_by_curl(const std::vector<std::string>& options, const std::string& seconds);

/// A line of that file: `name = "value"`, escaped.
std::string curl_option(const std::string& name, const std::string& value);

} // namespace usershell::ctl
