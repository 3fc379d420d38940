#include "domain/settings/setting_table.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/address/address.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "domain/email.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace usershell {

namespace {

constexpr std::size_t max_socket_path = 107; // sockaddr_un.sun_path less its NUL

constexpr std::uint64_t year = 31'536'000;
constexpr std::uint64_t one_day = 86'400;
constexpr std::uint64_t two_weeks = 14 * one_day; ///< usershell.start_session() takes no more
constexpr std::uint64_t max_silence = 3000; ///< deploy/nginx/snippets/api.conf waits for longer
constexpr std::uint64_t week = 7 * one_day; ///< sql/0016_events.sql refuses less

[[noreturn]] void must_be(const std::string& what) { throw Error{"must be " + what}; }

std::string socket_path(const std::string& path) {
    if (path.size() > max_socket_path) must_be("a path of at most 107 bytes");
    return path;
}

std::string origin(const std::string& text) {
    try {
        const auto url = BaseUrl::parse(text);
        if (url.path().empty() && !text.ends_with('/')) return url.text();
    } catch (const Refusal&) { // its sentence speaks of a provider's base URL
    }
    must_be("an origin such as https://example.org:8443: http or https, host and port, nothing "
            "after them");
}

std::string egress_row(const std::string& row) {
    try {
        const EgressPolicy judged{{row}};
        return row;
    } catch (const Error&) {
        must_be("host:port, [IPv6]:port or network/bits:port, with no bits set beyond the prefix");
    }
}

std::string catalogue_row(const std::string& row) {
    const auto equals = row.find('=');
    const auto* const type = find_provider_type(row.substr(0, equals));
    if (equals == std::string::npos || !type) must_be("type=URL with a type of the catalogue");
    try {
        return row.substr(0, equals + 1) + BaseUrl::parse(row.substr(equals + 1)).text();
    } catch (const Refusal&) {
        must_be("type=URL with a valid base URL");
    }
}

std::string mail_server(const std::string& text) {
    constexpr std::string_view what = "smtp://host:port or smtps://host:port";
    for (const std::string_view scheme : {"smtp://", "smtps://"}) {
        if (!text.starts_with(scheme)) continue;
        const auto [name, port] = split_port(std::string_view{text}.substr(scheme.size()));
        const auto host = canonical_host(name);
        const auto number = port ? parse_port(*port) : std::nullopt;
        if (!host || !number) break;
        return std::string{scheme} + join_port(*host, *number);
    }
    must_be(std::string{what});
}

std::string mail_address(const std::string& text) {
    const auto address = parse_email(text);
    if (!address) must_be("a mail address");
    return address->shown;
}

// The programs that read a setting.
using Programs = unsigned;
constexpr Programs auth = static_cast<unsigned>(Program::auth);
constexpr Programs manage = static_cast<unsigned>(Program::manage);
constexpr Programs execute = static_cast<unsigned>(Program::execute);
constexpr Programs opener = static_cast<unsigned>(Program::opener);
constexpr Programs mail = static_cast<unsigned>(Program::mail);
constexpr Programs ctl = static_cast<unsigned>(Program::ctl);
constexpr Programs workers = auth | manage | execute;
constexpr Programs servers = workers | opener; ///< have a socket for requests
constexpr Programs services = servers | mail;
constexpr Programs all = services | ctl;

using Name = std::string_view;
using Check = std::string (*)(const std::string&);

constexpr SettingRow text(Programs who, Name name, std::string Settings::*field, Name placeholder,
                          Name fallback, Name help, Check check = nullptr) {
    return {who, name, field, placeholder, fallback, help, 0, 0, check, false};
}

constexpr SettingRow secret(Programs who, Name name, std::string Settings::*field, Name placeholder,
                            Name fallback, Name help) {
    return {who, name, field, placeholder, fallback, help, 0, 0, nullptr, true};
}

constexpr SettingRow list(Programs who, Name name, std::vector<std::string> Settings::*field,
                          Name placeholder, Name help, Check check) {
    return {who, name, field, placeholder, "", help, 0, 0, check, false};
}

constexpr SettingRow flag(Programs who, Name name, bool Settings::*field, Name fallback,
                          Name help) {
    return {who, name, field, "BOOL", fallback, help, 0, 0, nullptr, false};
}

constexpr SettingRow seconds(Programs who, Name name, std::chrono::seconds Settings::*field,
                             Name fallback, std::uint64_t most, Name help,
                             std::uint64_t least = 1) {
    return {who, name, field, "SECONDS", fallback, help, least, most, nullptr, false};
}

template <class Number>
constexpr SettingRow number(Programs who, Name name, Number Settings::*field, Name placeholder,
                            Name fallback, std::uint64_t min, std::uint64_t most, Name help) {
    return {who, name, field, placeholder, fallback, help, min, most, nullptr, false};
}

constexpr auto rows = std::to_array<SettingRow>({
    text(servers, "socket", &Settings::socket, "PATH", "",
         "listen on this Unix socket; without it, on the one inherited from systemd", socket_path),
    text(services, "metrics-socket", &Settings::metrics_socket, "PATH", "",
         "answer GET /health and /metrics on this Unix socket; without it, on the one inherited "
         "from systemd "
         "whose FileDescriptorName is \"metrics\"",
         socket_path),
    text(services, "metrics-folder", &Settings::metrics_folder, "FOLDER", "",
         "where the processes of a program count together (files of some KiB); without it, each "
         "alone"),
    text(execute, "opener-socket", &Settings::opener_socket, "PATH", "/run/usershell-opener.sock",
         "the socket of usershell-opener, which opens keys", socket_path),
    text(workers | ctl, "base-url", &Settings::base_url, "ORIGIN", "",
         "where browsers reach the service, such as https://example.org", origin),
    text(auth | manage | ctl, "templates", &Settings::templates, "FOLDER",
         "/usr/share/usershell/templates", "the page and mail templates"),
    text(auth | ctl, "common-passwords", &Settings::common_passwords, "FILE",
         "/usr/share/usershell/common-passwords",
         "passwords that are refused, one a line (made with the programs)"),
    secret(all, "database", &Settings::database, "CONNINFO", "dbname=usershell",
           "libpq connection string (masked in a dump: it may hold a password)"),
    number(servers, "database-connections", &Settings::database_connections, "NUMBER", "16", 1,
           1000, "connections to the database at most, of a process"),
    text(manage, "vault-public", &Settings::vault_public, "FILE", "",
         "public half of the vault ring, which seals keys"),
    text(opener, "vault-secret", &Settings::vault_secret, "FILE", "",
         "secret half of the vault ring, which opens keys"),
    text(opener, "web-public", &Settings::web_public, "FILE", "",
         "public half of the web ring, which verifies keys"),
    text(manage | ctl, "web-secret", &Settings::web_secret, "FILE", "",
         "secret half of the web ring, which signs keys, and seals avatars"),
    text(mail, "auth-public", &Settings::auth_public, "FILE", "",
         "public half of the auth ring, which verifies mails"),
    text(auth | ctl, "auth-secret", &Settings::auth_secret, "FILE", "",
         "secret half of the auth ring, which signs mails and known browsers"),
    text(auth | ctl, "mail-public", &Settings::mail_public, "FILE", "",
         "public half of the mail ring, which seals mails; without it, no mail"),
    text(mail, "mail-secret", &Settings::mail_secret, "FILE", "",
         "secret half of the mail ring, which opens mails"),
    text(ctl, "rings", &Settings::rings, "FOLDER", "/etc/usershell/rings",
         "the files of the key rings, as usershellctl ring makes and changes them"),
    number(workers, "threads", &Settings::threads, "NUMBER", "", 1, 4096,
           "threads that serve requests at most; without it, the program's own choice"),
    number(execute, "max-calls", &Settings::max_calls, "NUMBER", "8192", 1, 1'000'000,
           "calls to providers that a process has under way at a time at most"),
    number(execute, "max-memory", &Settings::max_memory, "MIB", "1024", 64, 1'000'000,
           "a process that has more memory in use takes no further call"),
    list(manage | execute, "egress-allow", &Settings::egress_allow, "HOST:PORT",
         "let providers be called at this host:port, [IPv6]:port or network/bits:port although it "
         "is not on the public internet; repeatable",
         egress_row),
    list(manage, "catalogue-base-url", &Settings::catalogue_base_url, "TYPE=URL",
         "base URL of a provider type in place of the catalogue's; repeatable", catalogue_row),
    flag(workers, "api", &Settings::api, "false",
         "let people make access tokens, and their tools call /v1 with them"),
    flag(manage, "require-https", &Settings::require_https, "false",
         "refuse base URLs with plain http"),
    flag(manage | opener, "hold-keys-on-change", &Settings::hold_keys_on_change, "true",
         "hold a key back when its base URL has another path than it was entered for; a change of "
         "type, scheme, host or port holds it back in any case"),
    flag(manage | execute, "provider-cookies", &Settings::provider_cookies, "false",
         "let people give a provider the header Cookie"),
    seconds(auth, "session-idle", &Settings::session_idle, "86400", two_weeks,
            "a session ends after this long without a request"),
    seconds(auth, "session-absolute", &Settings::session_absolute, "1209600", two_weeks,
            "a session ends this long after its sign-in"),
    seconds(auth, "keep-events", &Settings::keep_events, "7776000", year,
            "security events (sign-ins, changes of keys …) are kept this long", week),
    number(auth | ctl, "password-opslimit", &Settings::password_opslimit, "NUMBER", "2", 1, 64,
           "passes of Argon2id over a password"),
    number(auth | ctl, "password-memlimit", &Settings::password_memlimit, "BYTES", "67108864", 8192,
           4'294'967'296, "memory of Argon2id for a password"),
    seconds(execute, "upstream-connect-timeout", &Settings::upstream_connect_timeout, "10", one_day,
            "connecting to a provider, TLS included"),
    seconds(execute, "upstream-silence-timeout", &Settings::upstream_silence_timeout, "600",
            max_silence,
            "silence of a provider, before its answer or in it; on a page at most 300; "
            "reasoning models were seen silent for 304 s, OpenAI's clients wait 600 s"),
    seconds(execute, "upstream-total-timeout", &Settings::upstream_total_timeout, "600", one_day,
            "a whole call of a provider"),
    seconds(execute, "upstream-test-timeout", &Settings::upstream_test_timeout, "30", one_day,
            "a whole connectivity check"),
    text(execute, "upstream-ca", &Settings::upstream_ca, "FILE", "",
         "certificates (PEM) to trust at providers besides the system's"),
    text(mail, "smtp-url", &Settings::smtp_url, "URL", "",
         "mail server: smtp://host:port (STARTTLS) or smtps://host:port", mail_server),
    text(mail, "smtp-user", &Settings::smtp_user, "NAME", "", "user name at the mail server"),
    secret(mail, "smtp-password", &Settings::smtp_password, "PASSWORD", "",
           "password at the mail server; better in the file than on the command line"),
    text(mail, "smtp-from", &Settings::smtp_from, "ADDRESS", "", "sender of the service's mails",
         mail_address),
    text(mail, "smtp-ca", &Settings::smtp_ca, "FILE", "",
         "certificates (PEM) to trust at the mail server besides the system's"),
    flag(auth, "forgot-password", &Settings::forgot_password, "true",
         "offer to mail a link to choose a new password, where mail is configured"),
    flag(auth, "notify-old-address", &Settings::notify_old_address, "true",
         "tell the old address after an e-mail change"),
});

bool read_bool(std::string_view value) {
    for (const std::string_view word : {"true", "yes", "on", "1"})
        if (value == word) return true;
    for (const std::string_view word : {"false", "no", "off", "0"})
        if (value == word) return false;
    must_be("true or false");
}

std::uint64_t read_number(const SettingRow& row, std::string_view value) {
    const auto number = parse_number<std::uint64_t>(value);
    if (!number || *number < row.min || *number > row.max)
        must_be("a whole number from " + std::to_string(row.min) + " to " +
                std::to_string(row.max));
    return *number;
}

std::string read_text(const SettingRow& row, std::string_view value) {
    if (!is_utf8(value) || has_control(value)) must_be("text without control characters");
    if (value.empty() && row.repeatable()) must_be("given a value");
    return row.check && !value.empty() ? row.check(std::string{value}) : std::string{value};
}

/// As assign() takes it; empty when the setting is not set.
template <class Field>
std::string show(const Field& field) {
    if constexpr (std::is_same_v<Field, std::string>)
        return field;
    else if constexpr (std::is_same_v<Field, bool>)
        return field ? "true" : "false";
    else if constexpr (std::is_same_v<Field, std::chrono::seconds>)
        return field.count() == 0 ? "" : std::to_string(field.count());
    else
        return field == 0 ? "" : std::to_string(field);
}

} // namespace

std::span<const SettingRow> setting_rows() { return rows; }

const SettingRow* find_setting(std::string_view name) {
    const auto* const row = std::ranges::find(rows, name, &SettingRow::name);
    return row == rows.end() ? nullptr : row;
}

void assign(const SettingRow& row, std::string_view value, Settings& settings) {
    std::visit(
        [&](auto member) {
            auto& field = settings.*member;
            using Field = std::remove_reference_t<decltype(field)>;
            if constexpr (std::is_same_v<Field, std::string>)
                field = read_text(row, value);
            else if constexpr (std::is_same_v<Field, bool>)
                field = read_bool(value);
            else if constexpr (std::is_same_v<Field, std::vector<std::string>>)
                field.push_back(read_text(row, value));
            else
                field = static_cast<Field>(read_number(row, value));
        },
        row.field);
}

void clear(const SettingRow& row, Settings& settings) {
    (settings.*std::get<std::vector<std::string> Settings::*>(row.field)).clear();
}

std::vector<std::string> values_of(const SettingRow& row, const Settings& settings) {
    return std::visit(
        [&](auto member) -> std::vector<std::string> {
            const auto& field = settings.*member;
            if constexpr (std::is_same_v<decltype(field), const std::vector<std::string>&>) {
                return field;
            } else {
                const std::string value = show(field);
                return value.empty() ? std::vector<std::string>{} : std::vector{value};
            }
        },
        row.field);
}

Settings default_settings(Program program) {
    Settings settings;
    for (const auto& row : rows)
        if (row.read_by(program) && !row.fallback.empty()) assign(row, row.fallback, settings);
    return settings;
}

} // namespace usershell
