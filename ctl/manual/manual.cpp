#include "ctl/command.hpp"

#include "domain/settings/setting_table.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace usershell::ctl {

namespace {

struct Page {
    Program program;
    std::string_view section;
    std::string_view says;
    std::string_view more;
};
constexpr std::array pages{
    Page{Program::auth, "8", "signs people in and changes credentials",
         "A FastCGI worker behind nginx. It can neither seal keys nor open them. systemd starts it "
         "and hands it its socket and its rings."},
    Page{Program::manage, "8", "serves pages and changes of what is stored",
         "A FastCGI worker behind nginx. It seals keys and cannot open them. systemd starts it and "
         "hands it its socket and its rings."},
    Page{Program::execute, "8", "calls AI providers with stored keys",
         "A FastCGI worker behind nginx. It asks usershell-opener for the keys of its calls, and "
         "cannot change them. systemd starts it and hands it its socket."},
    Page{Program::opener, "8", "begins calls and opens their keys",
         "It serves usershell-execute alone, at a Unix socket. systemd starts it and hands it its "
         "socket and its rings."},
    Page{Program::mail, "8", "sends the service's mail",
         "It takes what is due from the outbox, opens it and hands it to the mail server."},
    Page{Program::ctl, "1", "sets usershell up, and looks after it",
         "The operator's command line tool. Settings precede the command; without --config, "
         "/etc/usershell/ctl.conf is read if it exists. The database is that of the "
         "setting database, as usershell_owner unless it names a user. Commands that print facts "
         "take --json."},
};

/// Escapes a text so that roff takes no part of it for a request.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\\')
            result += "\\e";
        else if (letter == '-')
            result += "\\-";
        else
            result += letter;
    }
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

void print_title(std::string_view name, std::string_view section, std::string_view says) {
    std::cout << ".TH \"" << name << "\" " << section << R"( "" "usershell )" << USERSHELL_VERSION
              << "\"\n.SH NAME\n"
              << escaped(name) << " \\- " << escaped(says) << '\n';
}

void print_item(const std::string& term, std::string_view text) {
    std::cout << ".TP\n.B " << escaped(term) << '\n' << escaped(text) << '\n';
}

/// The settings that the program reads, or all.
void print_settings(std::optional<Program> reader) {
    for (const SettingRow& row : setting_rows()) {
        if (reader && !row.read_by(*reader)) continue;
        const std::string usual =
            row.fallback.empty() ? "" : " Default: " + std::string{row.fallback} + ".";
        const std::string many = row.repeatable() ? " May stand on several lines." : "";
        std::string term{row.name};
        term.append(" = ").append(row.placeholder);
        std::string text{row.help};
        text.append(".").append(usual).append(many);
        print_item(term, text);
    }
}

void print_commands() {
    std::cout << ".SH COMMANDS\n";
    for (const Command& command : commands())
        print_item(std::string{command.words} + (command.arguments.empty() ? "" : " ") +
                       std::string{command.arguments},
                   command.help);
    std::cout << ".SH EXIT STATUS\n";
    print_item("0", "It is done; of check: nothing is at fault.");
    print_item("1", "It is not done, and one sentence says why; of check: something is at fault.");
    print_item("2", "The command line or a settings file is not understood.");
}

void print_page(const Page& page) {
    const std::string_view name = name_of(page.program);
    print_title(name, page.section, page.says);
    const bool is_ctl = page.program == Program::ctl;
    std::cout << ".SH SYNOPSIS\n.B " << name << "\n[\\-\\-config FILE] [\\-\\-setting value]..."
              << (is_ctl ? " COMMAND [ARGUMENT]..." : "") << "\n.SH DESCRIPTION\n"
              << escaped(page.more) << '\n';
    if (is_ctl) print_commands();
    std::cout << ".SH OPTIONS\n";
    print_item("--help, --version, --dump-config",
               "Print help, the version, or the settings in force with secrets masked, and end.");
    std::cout << "Every setting below may also be given as an option.\n.SH SETTINGS\n";
    print_settings(page.program);
    std::cout << ".SH SEE ALSO\nusershell.conf(5)\n";
}

void print_file_page() {
    print_title("usershell.conf", "5", "settings of the programs of usershell");
    std::cout << ".SH DESCRIPTION\nEach program has a file of its own: /etc/usershell/auth.conf, "
                 "manage.conf, execute.conf, mail.conf and ctl.conf.\nA line reads \\(lqname = "
                 "value\\(rq; what begins with # is a comment. A program refuses a setting that it "
                 "does not read, and one that stands there twice.\n.SH SETTINGS\n";
    print_settings(std::nullopt);
}

/// "--json" and its like in a command's arguments.
std::string options_in(std::string_view arguments) {
    std::string options;
    for (auto at = arguments.find("--"); at != std::string_view::npos;
         at = arguments.find("--", at + 2)) {
        const auto end = arguments.find_first_of(" ]", at);
        options +=
            " " + std::string{arguments.substr(at, end == std::string_view::npos ? end : end - at)};
    }
    return options;
}

} // namespace

void manual(const Settings&, Arguments& arguments) {
    const std::string name = arguments.next("PAGE");
    arguments.finish();
    if (name == "usershell.conf") return print_file_page();
    const auto* const page =
        std::ranges::find(pages, name, [](const Page& each) { return name_of(each.program); });
    if (page == pages.end())
        throw UsageError{"The pages are usershell-auth, usershell-manage, usershell-execute, "
                         "usershell-opener, usershell-mail, usershellctl and usershell.conf."};
    print_page(*page);
}

void completion(const Settings&, Arguments& arguments) {
    arguments.finish();
    std::cout << "# bash completion for usershellctl; printed by usershellctl completion\n"
                 "_usershellctl() {\n"
                 "    local current=\"${COMP_WORDS[COMP_CWORD]}\" "
                 "said=\"${COMP_WORDS[*]:1:COMP_CWORD-1}\"\n"
                 "    local words=\"\"\n"
                 "    case \" $said \" in\n";
    // The longer ones first: the first pattern that fits counts.
    std::vector<Command> table(commands().begin(), commands().end());
    std::ranges::stable_sort(table, std::greater{},
                             [](const Command& each) { return each.words.size(); });
    for (const Command& command : table)
        std::cout << "    *\" " << command.words << " \"*) words=\""
                  << options_in(command.arguments) << "\" ;;\n";
    std::string first;
    for (const Command& command : commands()) {
        const std::string word{command.words.substr(0, command.words.find(' '))};
        if ((" " + first + " ").find(" " + word + " ") == std::string::npos)
            first += (first.empty() ? "" : " ") + word;
    }
    // `mail` is a command and a group: its own row above has options, and none fits both.
    for (const std::string_view group : {"ring", "user", "legacy"}) {
        std::string words;
        for (const Command& command : commands())
            if (command.words.starts_with(std::string{group} + " "))
                words += " " + std::string{command.words.substr(group.size() + 1)};
        std::cout << "    *\" " << group << " \"*) words=\"" << words << "\" ;;\n";
    }
    std::cout << "    *) words=\"" << first << "\" ;;\n"
              << "    esac\n"
                 "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                 "}\n"
                 "complete -o default -F _usershellctl usershellctl\n";
}

} // namespace usershell::ctl
