#include "domain/settings/config.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "domain/settings/setting_table.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <system_error>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <unistd.h>

namespace usershell {

namespace options = boost::program_options;

namespace {

constexpr unsigned help_width = 100;
constexpr std::string_view mask = "********";

options::options_description option_table(Program program) {
    options::options_description table{"Options", help_width, help_width / 2};
    const auto add = [&table](std::string_view name, std::string_view placeholder,
                              const std::string& help) {
        auto* const value = options::value<std::string>();
        value->value_name(std::string{placeholder});
        table.add_options()(name.data(), value, help.c_str());
    };
    table.add_options()("help", "print this and end");
    table.add_options()("version", "print the version and end");
    table.add_options()("dump-config", "print the settings in force, secrets masked, and end");
    if (program != Program::ctl)
        table.add_options()(
            "check-config",
            "say whether the program would start with the files of now, and end: status 0 or 1");
    add("config", "FILE", "read settings from this file, one 'name = value' a line");
    for (const auto& row : setting_rows()) {
        if (!row.read_by(program)) continue;
        const std::string fallback =
            row.fallback.empty() ? "" : " (default: " + std::string{row.fallback} + ")";
        add(row.name, row.placeholder, std::string{row.help} + fallback);
    }
    return table;
}

std::string quoted(std::string_view name) { return "'" + shorten(printable(name), 60) + "'"; }

std::string readers_of(const SettingRow& row) {
    std::vector<std::string_view> names;
    for (const Program each : all_programs)
        if (row.read_by(each)) names.push_back(name_of(each));
    return rules::joined(names, " and ");
}

/// The row of a setting of this program.
const SettingRow& row_of(Program program, const std::string& where, std::string_view name) {
    const auto* const row = find_setting(name);
    if (!row) throw ConfigError{where + ": unknown setting " + quoted(name) + "."};
    if (row->read_by(program)) return *row;
    throw ConfigError{where + ": " + std::string{name} + " is a setting of " + readers_of(*row) +
                      "; " + std::string{name_of(program)} + " does not read it."};
}

void assign_at(const std::string& where, const SettingRow& row, std::string_view value,
               Settings& settings) {
    try {
        assign(row, value, settings);
    } catch (const Error& error) {
        throw ConfigError{where + ": " + std::string{row.name} + " " + error.what() + "."};
    }
}

ConfigError unreadable(const std::string& path, int code) {
    return ConfigError{path + " can't be read: " + std::generic_category().message(code) + ".",
                       remedy_of_errno(code, Remedy::correct_setting)};
}

class ConfigFile {
public:
    ConfigFile(Program program, std::string path) : program_{program}, path_{std::move(path)} {}

    void read(Settings& settings) {
        std::ifstream file{path_};
        if (!file) fail_to_read();
        std::string line;
        for (int number = 1; std::getline(file, line); ++number) read_line(number, line, settings);
        if (file.bad()) fail_to_read();
    }

private:
    [[noreturn]] void fail_to_read() const { throw unreadable(path_, errno); }

    void read_line(int number, std::string_view line, Settings& settings) {
        line = trim_blanks(line);
        if (line.empty() || line.starts_with('#')) return;
        const std::string where = path_ + ", line " + std::to_string(number);
        const auto equals = line.find('=');
        if (equals == std::string_view::npos)
            throw ConfigError{where + ": a line must read 'name = value'."};
        const auto name = trim_blanks(line.substr(0, equals));
        const SettingRow& row = row_of(program_, where, name);
        assign_at(where, row, trim_blanks(line.substr(equals + 1)), settings);
        const auto [first, fresh] = first_lines_.try_emplace(std::string{name}, number);
        if (!fresh && !row.repeatable())
            throw ConfigError{where + ": " + std::string{name} +
                              " is set a second time, after line " + std::to_string(first->second) +
                              "."};
    }

    Program program_;
    std::string path_;
    std::map<std::string, int> first_lines_;
};

const std::string command_line = "command line";
constexpr const char* operators_file = "/etc/usershell/ctl.conf";

struct GivenSetting {
    const SettingRow& row;
    std::string value;
};

/// Boost refuses `--name=`, so it becomes `--name` and an empty value.
std::vector<std::string> words_of(int argc, const char* const* argv) {
    std::vector<std::string> words;
    for (int at = 1; at < argc; ++at) {
        std::string word = argv[at];
        const bool is_emptied = word.starts_with("--") && word.find('=') == word.size() - 1;
        if (is_emptied) word.pop_back();
        words.push_back(std::move(word));
        if (is_emptied) words.emplace_back();
    }
    return words;
}

/// Unknown options stay, for an error of our own or as words of a command.
std::vector<options::option> parse_words(Program program, const std::vector<std::string>& words) {
    using namespace options::command_line_style;
    const auto known = option_table(program);
    try {
        return options::command_line_parser{words}
            .options(known)
            .style(allow_long | long_allow_adjacent | long_allow_next)
            .allow_unregistered()
            .run()
            .options;
    } catch (const options::invalid_command_line_syntax& error) {
        const bool is_flag = error.kind() == error.extra_parameter;
        throw ConfigError{command_line + ": " + error.get_option_name() +
                          (is_flag ? " takes no value." : " needs a value.")};
    }
}

/// A command line, before the file that it may name is read.
class Given {
public:
    Given(Program program, int argc, const char* const* argv) {
        for (const auto& option : parse_words(program, words_of(argc, argv))) {
            const bool is_word = option.position_key != -1;
            if (is_word && program != Program::ctl)
                throw ConfigError{command_line + ": a word stands there that is no setting."};
            if (is_word || (option.unregistered && !read.arguments.empty()))
                std::ranges::copy(option.original_tokens, std::back_inserter(read.arguments));
            else
                take(program, option);
        }
    }

    CommandLine read; ///< all but its settings
    std::string config;
    std::vector<GivenSetting> settings;

private:
    void take(Program program, const options::option& option) {
        const std::string& name = option.string_key;
        bool* const flag = option.unregistered ? nullptr : flag_of(name);
        const SettingRow* const row =
            flag || name == "config" ? nullptr : &row_of(program, command_line, name);
        if (!seen_.insert(name).second && !(row && row->repeatable()))
            throw ConfigError{command_line + ": --" + name + " is given twice."};
        if (flag)
            *flag = true;
        else if (row)
            settings.push_back({*row, option.value.front()});
        else
            config = option.value.front();
    }

    bool* flag_of(std::string_view name) {
        if (name == "help") return &read.help;
        if (name == "version") return &read.version;
        if (name == "dump-config") return &read.dump;
        if (name == "check-config") return &read.check;
        return nullptr;
    }

    std::set<std::string> seen_;
};

} // namespace

CommandLine read_settings(Program program, int argc, const char* const* argv) {
    Given given{program, argc, argv};
    Settings& settings = given.read.settings;
    settings = default_settings(program);
    if (given.read.help || given.read.version) return std::move(given.read);
    if (given.config.empty() && program == Program::ctl && access(operators_file, F_OK) == 0)
        given.config = operators_file;
    if (!given.config.empty()) ConfigFile{program, given.config}.read(settings);
    for (const auto& [row, value] : given.settings)
        if (row.repeatable()) clear(row, settings);
    for (const auto& [row, value] : given.settings) assign_at(command_line, row, value, settings);
    return std::move(given.read);
}

void require_files(Program program, const Settings& settings) {
    for (const auto& row : setting_rows()) {
        if (!row.read_by(program) || row.placeholder != "FILE") continue;
        for (const std::string& path : values_of(row, settings))
            if (access(path.c_str(), R_OK) != 0) throw unreadable(path, errno);
    }
}

void print_help(std::ostream& out, Program program) {
    out << "Usage: " << name_of(program) << " [--config FILE] [--setting value]...\n\n"
        << "Every setting may be in the file as 'name = value', or on the command line, which "
           "wins.\n\n"
        << option_table(program);
}

void dump_settings(std::ostream& out, Program program, const Settings& settings) {
    for (const auto& row : setting_rows()) {
        if (!row.read_by(program)) continue;
        const auto values = values_of(row, settings);
        if (values.empty() && row.fallback.empty()) out << "# " << row.name << " is not set\n";
        if (values.empty() && !row.fallback.empty()) out << row.name << " =\n";
        for (const auto& value : values)
            out << row.name << " = " << (row.secret ? mask : std::string_view{value}) << '\n';
    }
}

} // namespace usershell
