
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "crypto/password.hpp"
#include "crypto/token.hpp"
#include "ctl/command.hpp"
#include "ctl/table.hpp"
#include "ctl/terminal.hpp"
#include "domain/passwords/password_rule.hpp"
#include "domain/rules.hpp"
#include "pages/mail_writer.hpp"
#include "pages/templates.hpp"
#include "store/installation.hpp"
#include "store/providers/legacy.hpp"
#include "store/tokens/access_tokens.hpp"
#include "store/users/events.hpp"
#include "store/users/links.hpp"
#include "web/pages.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
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

std::string new_token() { return crypto::base64url(crypto::random_bytes(32)); }

crypto::MailSealer load_sealer(const Settings& settings, store::Lease& lease) {
    if (!settings.mail_configured())
        throw UsageError{"No mail can be sent: the setting mail-public is empty."};
    if (settings.auth_secret.empty())
        throw UsageError{"No mail can be sent: the setting auth-secret is empty."};
    const auto auth = crypto::load_ring<crypto::AuthSecret>(settings.auth_secret);
    const auto mail = crypto::load_ring<crypto::MailPublic>(settings.mail_public);
    store::require_rings(lease, {crypto::summary_of(auth), crypto::summary_of(mail)});
    return {auth, mail};
}

/// A link with which a person chooses a password, and the mail that carries it, not stored yet.
struct MailedLink {
    store::PasswordReset reset;
    store::QueuedMail mail;
};

/// Makes and seals such links and mails. The constructor loads everything that is needed (rings,
/// templates), so that a command fails before it has changed anything.
class LinkWriter {
public:
    /// Throws UsageError when no mail can be sent here, and Error for what can't be loaded.
    LinkWriter(const Settings& settings, store::Lease& lease)
        : pages_{pages::load_pages(settings.templates)},
          mails_{pages_, load_sealer(settings, lease), settings.base_url} {}

    MailedLink invitation(const UserId& user, const std::string& display_name,
                          const EmailAddress& address) const {
        const std::string token = new_token();
        return {{pages::reset_token_hash(token), rules::invitation_lifetime, true},
                mails_.invitation(user, display_name, address, token, rules::invitation_lifetime)};
    }

    MailedLink reset(const UserId& user, const EmailAddress& address) const {
        const std::string token = new_token();
        return {{pages::reset_token_hash(token), rules::reset_link_lifetime, false},
                mails_.password_reset(user, address, token, rules::reset_link_lifetime)};
    }

private:
    web::Pages pages_;
    pages::MailWriter mails_;
};

/// `write(links, user, address)`: the link for that person.
template <class Write>
void mail_link(const Settings& settings, Arguments& arguments, std::string_view done, Write write) {
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    const LinkWriter links{settings, store};
    // Mail goes to the stored address: the one given may be another mailbox whose case-folded form
    // is the same.
    const MailedLink link = write(links, user, parse_email(user.email).value());
    store::start_password_reset(store, user.id, link.reset, link.mail);
    std::cout << done << ' ' << user.email << ".\n";
}

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

void user_invite(const Settings& settings, Arguments& arguments) {
    mail_link(
        settings, arguments, "Invited",
        [](const LinkWriter& links, const store::UserSummary& user, const EmailAddress& address) {
            return links.invitation(user.id, user.display_name, address);
        });
}

void user_reset_mail(const Settings& settings, Arguments& arguments) {
    mail_link(settings, arguments, "Mailed a link for a new password to",
              [](const LinkWriter& links, const store::UserSummary& user,
                 const EmailAddress& address) { return links.reset(user.id, address); });
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

namespace {

/// "2026-11-25": a day that there is.
bool is_day(const std::string& text) {
    std::tm parts{};
    if (strptime(text.c_str(), "%Y-%m-%d", &parts) == nullptr) return false;
    const std::chrono::sys_seconds day{std::chrono::seconds{timegm(&parts)}};
    return rfc3339_seconds(day) == text + "T00:00:00Z";
}

AccessTokenId token_argument(Arguments& arguments) {
    const auto id = AccessTokenId::parse(arguments.next("ID"));
    if (!id) throw UsageError{"That is no id of a token; token list shows them."};
    return *id;
}

} // namespace

void token_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"id"},
                 {"hint", "", "…"},
                 {"name"},
                 {"off", "off"},
                 {"createdAt", "made "},
                 {"expiresAt", "expires "},
                 {"lastUsedAt", "last used "},
                 {"lastUsedNetwork", "from "}}};
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    for (const store::TokenSummary& token : store::list_tokens(store, user.id))
        table.add({token.id.text(), crypto::access_token_hint(token.selector), token.name,
                   !token.enabled, cell(token.created_at), cell(token.expires_at),
                   cell(token.last_used_at), cell_unless_empty(token.last_used_network)});
    table.print();
}

void token_revoke(const Settings& settings, Arguments& arguments) {
    const bool all = arguments.flag("all");
    const auto since = arguments.option("since");
    if (since && !all) throw UsageError{"--since goes with --all."};
    if (since && !is_day(*since)) throw UsageError{"--since takes a day such as 2026-11-25."};
    const EmailAddress email = address_argument(arguments);
    const auto id = all ? std::nullopt : std::optional{token_argument(arguments)};
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    const int revoked = store::operator_revoke_tokens(store, user.id, id, since);
    if (revoked == 0 && id) throw Error{user.email + " has no token of that id."};
    std::cout << "Revoked " << revoked << (revoked == 1 ? " token of " : " tokens of ")
              << user.email << ".\n";
}

} // namespace usershell::ctl
