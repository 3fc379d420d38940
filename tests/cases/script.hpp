// Runs a case: plays its people, makes its requests, holds the answers against what is expected.
#pragma once

#include "browser.hpp"
#include "case_file.hpp"
#include "site.hpp"
#include "variables.hpp"
#include "verdict.hpp"

#include <map>
#include <string>

namespace usershell::test {

class Script {
public:
    /// For one case. The site outlives it.
    explicit Script(Site& site);

    /// Throws CaseFailure where the case does not hold.
    void run(const Case& steps);

private:
    struct User {
        std::string email;
        std::string password;
    };

    void run(const Command& command);
    void run(const Exchange& exchange);
    void exchange_once(const Exchange& exchange);

    void become(const Place& place, const std::string& name);
    void sign_in(const Place& place, const User& user);
    User& user(const std::string& name);
    void give(const Place& place, const std::string& words);

    /// A request as `send` says, from the current browser.
    web::Request request_of(const Sending& send);
    std::string token_spot(const web::Request& request, const Sending& send) const;
    void put_token(web::Request& request, const Sending& send, const std::string& token);
    std::string own_token(const Place& place);

    web::Response ask(const Place& place, const web::Request& request);
    web::Response ask(const Place& place, const std::string& method, const std::string& target,
                      const std::string& body);

    Site& site_;
    std::string client_address_; ///< each case has its own: sign-ins are counted by address
    Variables variables_;
    Secrets secrets_;
    std::map<std::string, User> users_;
    std::map<std::string, Browser> browsers_;
    std::string current_ = "nobody";
};

} // namespace usershell::test
