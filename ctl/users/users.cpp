#include "ctl/users/users.hpp"

#include "base/passwords/password_rule.hpp"
#include "base/rules.hpp"
#include "ctl/terminal.hpp"

#include <stdexcept>

namespace usershell::ctl {

EmailAddress address_argument(Arguments& arguments) {
    auto address = parse_email(arguments.next("EMAIL"));
    if (!address) throw UsageError{"That is no e-mail address."};
    return *std::move(address);
}

std::string parse_name(const std::string& text) {
    if (!is_utf8(text)) throw UsageError{"The name must be UTF-8 text."};
    std::string name = trim(text);
    if (name.empty()) throw UsageError{"--name is empty."};
    if (const std::string error = rules::error_in(rules::display_name, name); !error.empty())
        throw UsageError{error};
    return name;
}

store::UserSummary user_argument(store::Lease& lease, const EmailAddress& address) {
    auto user = store::find_user(lease, address.normalized);
    if (!user) throw std::runtime_error{"There is nobody with the address " + address.shown + "."};
    return *std::move(user);
}

std::string_view state_of(const store::UserSummary& user) {
    if (user.disabled) return "disabled";
    return user.has_password ? "active" : "no password";
}

std::string read_password_hash(const Settings& settings, const std::string& email,
                               const std::string& name) {
    const PasswordRule rule{settings.common_passwords, settings.base_url};
    const crypto::Secret password = read_new_password("Password");
    if (const std::string error = rule.error_in(password.reveal(), email, name); !error.empty())
        throw std::runtime_error{error};
    const crypto::PasswordHasher hasher{{settings.password_opslimit, settings.password_memlimit}};
    return hasher.hash(password.reveal());
}

} // namespace usershell::ctl
