// usershellctl: what an operator does from the command line. Exit status: 0 done, 1 not done, 2 not
// understood.
#include "base/text.hpp"
#include "crypto/secret.hpp"
#include "ctl/command.hpp"
#include "ctl/terminal.hpp"
#include "domain/settings/config.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace usershell::ctl {

namespace {

constexpr std::string_view own_name = name_of(Program::ctl);

void print_usage() {
    std::cout << "usage: " << own_name << " [SETTING…] COMMAND [ARGUMENT…]\n\nCommands:\n";
    for (const Command& command : commands()) {
        std::cout << "  " << command.words << (command.arguments.empty() ? "" : " ")
                  << command.arguments << "\n        " << command.help << '\n';
    }
    std::cout << "\nThe database is that of the setting `database`, as usershell_owner unless it "
                 "names a user.\n\n";
    print_help(std::cout, Program::ctl);
}

/// How many leading words of the command line name `command`; 0: it is another.
std::size_t words_matched(const Command& command, const std::vector<std::string>& words) {
    std::string said;
    for (std::size_t count = 0; count < words.size(); ++count) {
        said += (count == 0 ? "" : " ") + words[count];
        if (said == command.words) return count + 1;
    }
    return 0;
}

void run_command(const Settings& settings, std::vector<std::string> words) {
    if (words.empty()) throw UsageError{"No command is given."};
    // The longest match counts: `mail retry` is another command than `mail`.
    const auto table = commands();
    const auto command = std::ranges::max_element(
        table, {}, [&words](const Command& each) { return words_matched(each, words); });
    const std::size_t matched = words_matched(*command, words);
    if (matched == 0) throw UsageError{"There is no command \"" + words.front() + "\"."};
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(matched));
    Arguments arguments{std::move(words)};
    command->run(settings, arguments);
}

void run(int argc, const char* const* argv) {
    CommandLine line = read_settings(Program::ctl, argc, argv);
    if (line.help) {
        print_usage();
    } else if (line.version) {
        std::cout << own_name << ' ' << USERSHELL_VERSION << '\n';
    } else if (line.dump) {
        dump_settings(std::cout, Program::ctl, line.settings);
    } else {
        run_command(line.settings, std::move(line.arguments));
    }
}

/// In one line, whatever the error quotes.
int fail(const std::exception& error, int status, const std::string& advice = {}) {
    std::cerr << own_name << ": " << trim(printable(error.what())) << advice << '\n';
    return status;
}

} // namespace

} // namespace usershell::ctl

int main(int argc, char** argv) {
    using namespace usershell;
    using namespace usershell::ctl;
    const PrintableOutput out{std::cout};
    const PrintableOutput err{std::cerr};
    try {
        crypto::start_crypto();
        run(argc, argv);
        return 0;
    } catch (const UsageError& error) {
        return fail(error, 2, " See " + std::string{own_name} + " --help.");
    } catch (const ConfigError& error) {
        return fail(error, 2);
    } catch (const std::exception& error) {
        return fail(error, 1);
    }
}
