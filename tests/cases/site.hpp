// What a case speaks to: the service, or in the runner's own test a stand-in.
#pragma once

#include "web/message.hpp"

#include <string>

namespace usershell::test {

class Site {
public:
    virtual ~Site() = default;

    /// The answer; what was streamed stands in its body.
    virtual web::Response serve(const web::Request& request) = 0;
    /// Our own origin, as in the setting base-url.
    virtual std::string origin() const = 0;
    /// An address, host:port, that calls may go to and where nobody listens.
    virtual std::string closed_address() const = 0;
    virtual void add_user(const std::string& email, const std::string& name,
                          const std::string& password) = 0;
    /// So many calls of that person are under way from now on.
    virtual void hold_calls(const std::string& email, int count) = 0;
    /// As PostgreSQL's superuser.
    virtual void sql(const std::string& statement) = 0;
};

} // namespace usershell::test
