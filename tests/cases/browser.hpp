// A person's browser: keeps cookies, and the anti-forgery token of the page that it has seen.
#pragma once

#include "web/message.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::test {

class Browser {
public:
    /// The Cookie header, empty without cookies.
    std::string cookie_header() const;
    /// Takes over what the answer sets and drops what it ends.
    void keep(const web::Response& response);

    /// Nothing when there is none of that name.
    std::optional<std::string> cookie(const std::string& name) const;

    std::string token; ///< of the last page looked at for it; empty: none yet

private:
    std::map<std::string, std::string> cookies_;
};

/// The value of the page's first hidden input __RequestVerificationToken; nothing when it has none.
std::optional<std::string> page_token(std::string_view page);

/// The value that a Set-Cookie line gives that cookie.
std::optional<std::string> set_cookie_value(const web::Response& response, const std::string& name);

} // namespace usershell::test
