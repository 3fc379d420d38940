#include "ctl/command.hpp"

#include <array>

namespace usershell::ctl {

std::span<const Command> commands() {
    static constexpr std::array table{
        Command{"init", "[--administrator CONNINFO] [--user EMAIL --name NAME] [--yes]",
                "set the installation up: PostgreSQL's roles, who may connect as which, database, "
                "schema, key rings and a first person; says what it will do, and asks; what is "
                "there already stays",
                &init},
        Command{
            "check", "[--settings FOLDER] [--sockets FOLDER] [--authority FILE] [--json]",
            "look at everything that the service needs, a line each, with the remedy of what is "
            "at fault; exit status 1 when something is",
            &check},
        Command{
            "status", "[--json]",
            "one screen: versions, pools, people, rings, what is left of the earlier vault, mail "
            "that waits and what was given up",
            &status},
        Command{"migrate", "", "bring the database's schema up to this version", &migrate_store},
        Command{"schema", "[VERSION]",
                "show the database's migrations; fails when programs of that version, or of this "
                "one, can't run on them",
                &show_schema},
        Command{
            "ring init", "[--replace]",
            "make this installation's key rings: vault, web and mail, .secret and .public; with "
            "--replace, in place of those it has, which then open nothing any more",
            &ring_init},
        Command{"ring list", "[--json]", "show the keys of the rings, and how much hangs on each",
                &ring_list},
        Command{"ring rotate", "RING",
                "add a key to the ring (vault, web or mail), which is not active yet; says who has "
                "to be restarted before it is",
                &ring_rotate},
        Command{"ring activate", "RING [KEY]",
                "make that key, or the newest, the one that what is new is sealed to or signed by; "
                "the others stay",
                &ring_activate},
        Command{"ring rewrap", "[--user NAME] [--with-network]",
                "seal all stored keys to the vault ring's active key, without entering them again; "
                "as the user usershell-rewrap, without a network, while everything runs; "
                "usershell-rewrap.service starts it",
                &ring_rewrap},
        Command{
            "ring drop", "RING KEY [--invalidate]",
            "take a key out of the ring, unless something hangs on it; with --invalidate, all the "
            "same",
            &ring_drop},
        Command{"user add", "EMAIL --name NAME [--invite]",
                "add a person; asks for the password, or reads it from the first line of standard "
                "input; with "
                "--invite, mails them a link with which they choose it",
                &user_add},
        Command{"user invite", "EMAIL", "mail a person a link with which they choose a password",
                &user_invite},
        Command{
            "user reset-mail", "EMAIL",
            "mail a person a link with which they choose a new password; the old one stays good "
            "until they do",
            &user_reset_mail},
        Command{"user show", "EMAIL [--json]", "show one person", &user_show},
        Command{"user list", "[--json]", "show everybody", &user_list},
        Command{"user passwd", "EMAIL", "set a person's password and end their sessions",
                &user_passwd},
        Command{"user disable", "EMAIL",
                "keep a person out and end their sessions; nothing of theirs is lost",
                &user_disable},
        Command{"user enable", "EMAIL", "let a disabled person in again", &user_enable},
        Command{"user delete", "EMAIL --yes", "delete a person with everything that is theirs",
                &user_delete},
        Command{"user sessions", "EMAIL [--json]", "show where a person is signed in",
                &user_sessions},
        Command{"events", "[EMAIL] [--json]",
                "show what has happened to a person's account, or everybody's", &event_list},
        Command{"after-restore", "--yes",
                "after the store was restored from a backup: end all sessions, mailed links and "
                "waiting mail, so that none that had ended is good again",
                &after_restore},
        Command{
            "legacy import", "FILE [--wipe]",
            "seal keys of elsewhere for the people they belong to: FILE has a JSON object a line "
            "(email, kind, label, baseUrl, key) and is plain text for everybody who reads it; "
            "with --wipe it is overwritten and removed afterwards",
            &legacy_import},
        Command{"mail", "[--json]", "show mail that waits or was given up", &mail_list},
        Command{"mail retry", "ID", "try a mail that waits at once", &mail_retry},
        Command{"mail drop", "ID", "take a mail out of the queue unsent", &mail_drop},
        Command{"manual", "PAGE",
                "print a manual page (usershellctl, usershell-manage, usershell-execute, "
                "usershell-mail, usershell.conf) for man -l",
                &manual},
        Command{"completion", "", "print the completion of this program's words for bash",
                &completion},
    };
    return table;
}

} // namespace usershell::ctl
