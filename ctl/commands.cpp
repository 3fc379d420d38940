#include "ctl/command.hpp"

#include <array>

namespace usershell::ctl {

std::span<const Command> commands() {
    static constexpr auto table = std::to_array<Command>({
        {"init", "[--administrator CONNINFO] [--user EMAIL --name NAME] [--yes]",
         "set up PostgreSQL's roles, access and database, the schema, the key rings and a first "
         "user; shows each step and asks first; keeps what exists",
         &init},
        {"check",
         "[--settings FOLDER] [--sockets FOLDER] [--authority FILE] [--within SECONDS] "
         "[--metrics FILE] [--json]",
         "check everything that the service needs, a line each, with a remedy for each fault; "
         "within 10 s, or those given; --metrics: write it to FILE for Prometheus, too; exit "
         "status 1 for a fault",
         &check},
        {"status", "[--json]",
         "show versions, pools, users, rings, machines whose rings differ, keys of the earlier "
         "vault, and queued or failed mail",
         &status},
        {"migrate", "[--if-local]",
         "upgrade the database's schema to this version; --if-local: refuse where it is on another "
         "machine",
         &migrate_store},
        {"schema", "[VERSION]",
         "show the database's migrations; fails when programs of VERSION, or of this version, "
         "can't run on them",
         &show_schema},
        {"ring init", "[--replace]",
         "make the key rings vault, web, auth and mail (.secret and .public); with --replace, new "
         "ones: data sealed to the old ones never opens again",
         &ring_init},
        {"ring list", "[--json]", "show the keys of the rings, and how much stored data needs each",
         &ring_list},
        {"ring rotate", "RING",
         "add a key, not active yet, to a ring (vault, web, auth or mail); shows which programs to "
         "restart",
         &ring_rotate},
        {"ring activate", "RING [KEY]",
         "make KEY, or the newest key, the one that seals or signs new data; the other keys stay",
         &ring_activate},
        {"ring rewrap", "[--signer SOCKET] [--user NAME] [--with-network]",
         "seal all stored keys to the vault ring's active key, while the service runs; with "
         "--signer, ring resign signs them by the web ring's active key; works as the user "
         "usershell-rewrap without a network; usershell-rewrap.service runs it",
         &ring_rewrap},
        {"ring resign", "[--user NAME]",
         "sign for ring rewrap by the web ring's active key what an earlier key of that ring has "
         "signed; standard input is the socket; usershell-resign@.service runs it",
         &ring_resign},
        {"ring drop", "RING KEY [--invalidate]",
         "remove a key from the ring; refused while stored data still needs it, unless "
         "--invalidate",
         &ring_drop},
        {"ring copy", "FILE",
         "write the four rings to FILE for another machine, sealed to a passphrase, which it asks "
         "for or reads from the first line of standard input",
         &ring_copy},
        {"ring paste", "FILE",
         "put the rings of such a file, of another machine, in place of this machine's; refused "
         "when the installation has newer ones",
         &ring_paste},
        {"user add", "EMAIL --name NAME [--invite]",
         "add a user; asks for the password, or reads it from the first line of standard input; "
         "with --invite, mails a link to choose one",
         &user_add},
        {"user invite", "EMAIL", "mail a user a link to choose a password", &user_invite},
        {"user reset-mail", "EMAIL",
         "mail a user a link to choose a new password; the old one works until then",
         &user_reset_mail},
        {"user show", "EMAIL [--json]", "show one user", &user_show},
        {"user list", "[--json]", "show all users", &user_list},
        {"user passwd", "EMAIL", "set a user's password and end the user's sessions", &user_passwd},
        {"user disable", "EMAIL", "end a user's sessions and refuse sign-ins; all data stays",
         &user_disable},
        {"user enable", "EMAIL", "let a disabled user sign in again", &user_enable},
        {"user delete", "EMAIL --yes", "delete a user with all their data", &user_delete},
        {"user sessions", "EMAIL [--json]", "show a user's sessions", &user_sessions},
        {"user sign-out", "EMAIL | --all --yes",
         "end all sessions, mailed links, access tokens and known browsers of a user, or of "
         "everybody; passwords stay",
         &user_sign_out},
        {"user factors", "EMAIL [--json]",
         "show a user's second factors, and how many recovery codes are left", &user_factors},
        {"user reset-factors", "EMAIL",
         "remove a user's second factors and recovery codes, and end all that user sign-out ends; "
         "the user gets a mail",
         &user_reset_factors},
        {"policy", "[--json]", "show which second factor is required, and how many users lack it",
         &policy_show},
        {"policy second-factor", "optional|required|passkey",
         "required: every session begins with a second factor; passkey: with a passkey; a user "
         "without one adds it at the next sign-in",
         &policy_second_factor},
        {"token list", "EMAIL [--json]", "show a user's access tokens", &token_list},
        {"token revoke", "EMAIL ID | EMAIL --all [--since DAY]",
         "revoke a user's access token, or all of them; with --since, those made on that day of "
         "UTC or later",
         &token_revoke},
        {"events", "[EMAIL] [--json]", "show the security events of a user, or of all users",
         &event_list},
        {"after-restore", "--yes",
         "invalidate all sessions, links, recovery codes and queued mail after restoring a backup",
         &after_restore},
        {"legacy import", "FILE [--wipe]",
         "seal keys of another system for their users; FILE has a JSON object a line (email, kind, "
         "label, baseUrl, key) in plain text; with --wipe it is overwritten and removed",
         &legacy_import},
        {"mail", "[--json]", "show queued and failed mail", &mail_list},
        {"mail retry", "ID", "try a queued mail at once", &mail_retry},
        {"mail drop", "ID", "remove a mail from the queue unsent", &mail_drop},
        {"manual", "PAGE",
         "print a manual page (usershellctl, usershell-auth, usershell-manage, usershell-execute, "
         "usershell-opener, usershell-mail, usershell.conf) for man -l",
         &manual},
        {"completion", "", "print bash's completion of the commands", &completion},
    });
    return table;
}

} // namespace usershell::ctl
