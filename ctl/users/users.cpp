#include "ctl/users/users.hpp"

#include "base/spelling.hpp"
#include "base/text.hpp"
#include "crypto/password.hpp"
#include "crypto/token.hpp"
#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "ctl/terminal.hpp"
#include "ctl/users/links.hpp"
#include "domain/passwords/password_rule.hpp"
#include "domain/rules.hpp"
#include "store/providers/legacy.hpp"
#include "store/users/events.hpp"

#include <algorithm>
#include <iostream>

namespace usershell::ctl {

EmailAddress address_argument(Arguments& arguments) {
    auto address = parse_email(arguments.next("EMAIL"));
    if (!address) throw UsageError{"That is no e-mail address."};
    return *std::move(address);
}

std::string parse_name(const std::string& text) {
    if (!is_utf8(text)) throw UsageError{"The name must be UTF-8 text."};
    std::string name = tidy_name(text);
    if (name.empty()) throw UsageError{"--name is empty."};
    if (const Sentence error = rules::error_in(rules::display_name, name); !error.empty())
        throw UsageError{error.english()};
    return name;
}

store::UserSummary user_argument(store::Lease& lease, const EmailAddress& address) {
    auto user = store::find_user(lease, address.normalized);
    if (!user) throw Error{"No user has the address " + address.shown + "."};
    return *std::move(user);
}

std::string read_password_hash(const Settings& settings, const std::string& email,
                               const std::string& name) {
    const PasswordRule rule{settings.common_passwords, settings.base_url};
    const crypto::Secret password = read_new_password("Password");
    if (const Sentence error = rule.error_in(password.reveal(), email, name); !error.empty())
        throw Error{error.english()};
    const crypto::PasswordHasher hasher{{settings.password_opslimit, settings.password_memlimit}};
    return hasher.hash(password.reveal());
}

namespace {

std::string state_of(const store::UserSummary& user) {
    if (user.disabled) return "disabled";
    return user.has_password ? "active" : "no password";
}

} // namespace

void user_add(const Settings& settings, Arguments& arguments) {
    const auto given_name = arguments.option("name");
    if (!given_name) throw UsageError{"--name is required."};
    const std::string name = parse_name(*given_name);
    const bool invite = arguments.flag("invite");
    const EmailAddress email = address_argument(arguments);
    arguments.finish();

    const auto user = crypto::random_id<UserId>();
    if (invite) {
        OperatorStore store{settings};
        const LinkWriter links{settings, store};
        const auto link = links.invitation(user, name, email);
        store::add_invited_user(store, user, email, name, link.reset, link.mail);
    } else {
        const std::string hash = read_password_hash(settings, email.shown, name);
        OperatorStore store{settings};
        store::add_user(store, user, email, name, hash);
    }
    std::cout << (invite ? "Added and invited " : "Added ") << email.shown << ".\n";
}

void user_show(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"email"},
                 {"name"},
                 {"state"},
                 {"id"},
                 {"providers", "", " providers"},
                 {"sessions", "", " sessions"},
                 {"legacy", "", " older keys that did not fit"},
                 {"createdAt", "since "},
                 {"lastEventAt", "last event "}}};
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    const auto legacy = std::ranges::count(store::list_legacy_entries(store), user.email,
                                           &store::LegacyRow::owner_email);
    const auto events = store::list_events(store, user.id);
    table.add({user.email, user.display_name, state_of(user), user.id.text(), user.providers,
               user.sessions, static_cast<std::int64_t>(legacy), cell(user.created_at),
               events.empty() ? Cell{} : cell(events.back().event.happened_at)});
    table.print();
}

void user_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"email"},
                 {"name"},
                 {"state"},
                 {"providers", "", " providers"},
                 {"sessions", "", " sessions"},
                 {"createdAt", "since "}}};
    arguments.finish();
    OperatorStore store{settings};
    for (const store::UserSummary& user : store::list_users(store))
        table.add({user.email, user.display_name, state_of(user), user.providers, user.sessions,
                   cell(user.created_at)});
    table.print();
}

void user_passwd(const Settings& settings, Arguments& arguments) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    const std::string hash = read_password_hash(settings, user.email, user.display_name);
    store::operator_set_password(store, user.id, hash);
    std::cout << "Set the password of " << user.email << "; their sessions have ended.\n";
}

namespace {

void switch_user(const Settings& settings, Arguments& arguments, bool disabled) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    store::set_disabled(store, user.id, disabled);
    std::cout << (disabled ? "Disabled " : "Enabled ") << user.email << ".\n";
}

} // namespace

void user_disable(const Settings& settings, Arguments& arguments) {
    switch_user(settings, arguments, true);
}

void user_enable(const Settings& settings, Arguments& arguments) {
    switch_user(settings, arguments, false);
}

void user_delete(const Settings& settings, Arguments& arguments) {
    const bool sure = arguments.flag("yes");
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    if (!sure)
        throw UsageError{"This deletes a user with all providers and keys; add --yes to do it."};
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    store::delete_user(store, user.id);
    std::cout << "Deleted " << user.email << " and their " << user.providers << " providers.\n";
}

void user_sessions(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"signedInAt", "signed in "},
                 {"lastSeenAt", "last seen "},
                 {"expiresAt", "expires "},
                 {"remembered", "remembered"},
                 {"browser"},
                 {"clientAddress"}}};
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    for (const store::SessionRow& session : store::list_sessions(store, user.id))
        table.add({cell(session.signed_in_at), cell(session.last_seen_at), cell(session.expires_at),
                   session.remembered, Sentence::read(session.browser).english(),
                   session.client_address});
    table.print();
}

void user_sign_out(const Settings& settings, Arguments& arguments) {
    const bool all = arguments.flag("all");
    const bool sure = arguments.flag("yes");
    const auto email = all ? std::nullopt : std::optional{address_argument(arguments)};
    arguments.finish();
    if (all && !sure) throw UsageError{"This signs everybody out; add --yes to do it."};
    OperatorStore store{settings};
    const auto user = email ? std::optional{user_argument(store, *email)} : std::nullopt;
    store::sign_out(store, user ? std::optional{user->id} : std::nullopt);
    std::cout << "Ended all sessions, mailed links, access tokens and known browsers of "
              << (user ? user->email : "everybody") << ".\n";
}

void event_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"happenedAt"}, {"email"}, {"kind"}, {"about"}, {"browser"}, {"clientAddress"}}};
    const auto email =
        arguments.empty() ? std::nullopt : std::optional{address_argument(arguments)};
    arguments.finish();
    OperatorStore store{settings};
    const auto user = email ? std::optional{user_argument(store, *email).id} : std::nullopt;
    for (const auto& [address, event] : store::list_events(store, user))
        table.add({cell(event.happened_at), address, event.kind, event.about,
                   Sentence::read(event.browser).english(), event.client_address});
    table.print();
}

} // namespace usershell::ctl
