#include "base/settings/config.hpp"

#include "base/ascii.hpp"
#include "base/rules.hpp"
#include "base/settings/setting_table.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <system_error>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <unistd.h>

namespace usershell {

namespace options = boost::program_options;

namespace {

constexpr unsigned help_width = 100;
constexpr std::string_view mask = "********";

/// For --help alone, which it lays out in columns.
options::options_description help_table(Program program) {
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
        table.add_options()("check-config",
                            "check the settings, the rings and the database's schema, and end");
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
    [[noreturn]] void fail_to_read() const {
        const auto reason = std::error_code{errno, std::generic_category()}.message();
        throw ConfigError{path_ + " can't be read: " + reason + "."};
    }

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

/// A command line, before the file that it may name is read. Boost's parser is not used: it takes
/// `--name=` for an option without a value, and its errors do not suit a person.
class Given {
public:
    Given(Program program, int argc, const char* const* argv)
        : words_(argv + std::min(argc, 1), argv + argc) {
        while (at_option()) take(program);
        read.arguments.assign(words_.begin(), words_.end());
        if (program != Program::ctl && !read.arguments.empty())
            throw ConfigError{command_line + ": a word stands there that is no setting."};
    }

    CommandLine read; ///< all but its settings
    std::string config;
    std::vector<GivenSetting> settings;

private:
    bool at_option() const {
        return !words_.empty() && words_.front().starts_with("--") && words_.front().size() > 2;
    }

    std::string next() {
        std::string word = std::move(words_.front());
        words_.pop_front();
        return word;
    }

    void take(Program program) {
        const std::string word = next();
        const auto equals = word.find('=');
        const bool joined = equals != std::string::npos;
        const std::string name = word.substr(2, equals - 2);
        const auto value = [&] {
            if (joined) return word.substr(equals + 1);
            if (words_.empty()) throw ConfigError{command_line + ": --" + name + " needs a value."};
            return next();
        };
        bool* const flag = flag_of(program, name);
        if (flag != nullptr && joined)
            throw ConfigError{command_line + ": --" + name + " takes no value."};
        const SettingRow* const row =
            flag || name == "config" ? nullptr : &row_of(program, command_line, name);
        if (!seen_.insert(name).second && !(row && row->repeatable()))
            throw ConfigError{command_line + ": --" + name + " is given twice."};
        if (flag)
            *flag = true;
        else if (row)
            settings.push_back({*row, value()});
        else
            config = value();
    }

    bool* flag_of(Program program, std::string_view name) {
        if (name == "help") return &read.help;
        if (name == "version") return &read.version;
        if (name == "dump-config") return &read.dump;
        if (name == "check-config" && program != Program::ctl) return &read.check;
        return nullptr;
    }

    std::deque<std::string> words_; ///< that are not taken yet
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

void print_help(std::ostream& out, Program program) {
    out << "Usage: " << name_of(program) << " [--config FILE] [--setting value]...\n\n"
        << "Every setting may be in the file as 'name = value', or on the command line, which "
           "wins.\n\n"
        << help_table(program);
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
