#include "base/settings/config.hpp"

#include "base/ascii.hpp"
#include "base/settings/setting_table.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <system_error>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>

namespace usershell {

namespace options = boost::program_options;

namespace {

constexpr unsigned help_width = 100;
constexpr std::string_view mask = "********";

/// Named as often as given, so that a repeated one can be told.
options::options_description option_table() {
    const auto shown = [](std::string_view placeholder) {
        auto* const value = options::value<std::vector<std::string>>();
        return value->composing()->value_name(std::string{placeholder});
    };
    options::options_description table{"Options", help_width, help_width / 2};
    table.add_options()("help", "print this and end");
    table.add_options()("version", "print the version and end");
    table.add_options()("dump-config", "print the settings in force, secrets masked, and end");
    table.add_options()("config", shown("FILE"),
                        "read settings from this file, one 'name = value' a line");
    for (const auto& row : setting_rows()) {
        const std::string fallback =
            row.fallback.empty() ? "" : " (default: " + std::string{row.fallback} + ")";
        table.add_options()(row.name.data(), shown(row.placeholder),
                            (std::string{row.help} + fallback).c_str());
    }
    return table;
}

std::string quoted(std::string_view name) { return "'" + shorten(printable(name), 60) + "'"; }

void assign_at(const std::string& where, std::string_view name, std::string_view value,
               Settings& settings) {
    const auto* const row = find_setting(name);
    if (!row) throw ConfigError{where + ": unknown setting " + quoted(name) + "."};
    try {
        assign(*row, value, settings);
    } catch (const std::invalid_argument& error) {
        throw ConfigError{where + ": " + std::string{row->name} + " " + error.what() + "."};
    }
}

/// Only to be asked of settings that are known.
bool repeatable(std::string_view name) {
    const auto* const row = find_setting(name);
    return row && row->repeatable();
}

class ConfigFile {
public:
    explicit ConfigFile(std::string path) : path_{std::move(path)} {}

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
        assign_at(where, name, trim_blanks(line.substr(equals + 1)), settings);
        const auto [first, fresh] = first_lines_.try_emplace(std::string{name}, number);
        if (!fresh && !repeatable(name))
            throw ConfigError{where + ": " + std::string{name} +
                              " is set a second time, after line " + std::to_string(first->second) +
                              "."};
    }

    std::string path_;
    std::map<std::string, int> first_lines_;
};

/// The words before the first that is neither an option nor an option's value.
std::size_t count_option_words(const std::vector<std::string>& words,
                               const options::options_description& table) {
    std::size_t i = 0;
    while (i < words.size() && words[i].starts_with("--") && words[i].size() > 2) {
        const auto equals = words[i].find('=');
        const auto* const option = table.find_nothrow(words[i].substr(2, equals - 2), false);
        const bool takes_next =
            option && equals == std::string::npos && option->semantic()->max_tokens() > 0;
        i += takes_next ? 2 : 1;
    }
    return std::min(i, words.size());
}

std::vector<options::option> parse_words(const std::vector<std::string>& words,
                                         const options::options_description& table) {
    namespace style = options::command_line_style;
    try {
        return options::command_line_parser{words}
            .options(table)
            .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
            .run()
            .options;
    } catch (const options::unknown_option& error) {
        const auto name = error.get_option_name();
        throw ConfigError{"command line: unknown setting " +
                          quoted(name.substr(0, name.find('='))) + "."};
    } catch (const options::error_with_option_name& error) {
        throw ConfigError{"command line: " + error.get_option_name() + " is written wrongly."};
    }
}

struct ParsedWords {
    std::vector<options::option> settings;
    std::string config;
    CommandLine command_line;
};

ParsedWords sort_options(const std::vector<options::option>& parsed) {
    ParsedWords sorted;
    std::set<std::string> seen;
    for (const auto& option : parsed) {
        const auto& name = option.string_key;
        if (name.empty())
            throw ConfigError{"command line: a word stands there that is no setting."};
        if (!seen.insert(name).second && !repeatable(name))
            throw ConfigError{"command line: --" + name + " is given twice."};
        if (name == "help")
            sorted.command_line.help = true;
        else if (name == "version")
            sorted.command_line.version = true;
        else if (name == "dump-config")
            sorted.command_line.dump = true;
        else if (name == "config")
            sorted.config = option.value.front();
        else
            sorted.settings.push_back(option);
    }
    return sorted;
}

void assign_all(const std::vector<options::option>& given, Settings& settings) {
    for (const auto& option : given)
        if (repeatable(option.string_key)) clear(*find_setting(option.string_key), settings);
    for (const auto& option : given)
        assign_at("command line", option.string_key, option.value.front(), settings);
}

} // namespace

CommandLine read_settings(int argc, const char* const* argv, bool collect_arguments) {
    const auto table = option_table();
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    std::vector<std::string> arguments;
    if (collect_arguments) {
        const auto rest =
            words.begin() + static_cast<std::ptrdiff_t>(count_option_words(words, table));
        arguments.assign(rest, words.end());
        words.erase(rest, words.end());
    }
    auto [given, config, command_line] = sort_options(parse_words(words, table));
    command_line.arguments = std::move(arguments);
    command_line.settings = default_settings();
    if (command_line.help || command_line.version) return command_line;
    if (!config.empty()) ConfigFile{config}.read(command_line.settings);
    assign_all(given, command_line.settings);
    return command_line;
}

void print_help(std::ostream& out, const std::string& program) {
    out << "Usage: " << program << " [--config FILE] [--setting value]...\n\n"
        << "Every setting may stand in the file as 'name = value', or on the command line, which "
           "wins.\n\n"
        << option_table();
}

void dump_settings(std::ostream& out, const Settings& settings) {
    for (const auto& row : setting_rows()) {
        const auto values = values_of(row, settings);
        if (values.empty()) out << "# " << row.name << " is not set\n";
        for (const auto& value : values)
            out << row.name << " = " << (row.secret ? mask : std::string_view{value}) << '\n';
    }
}

} // namespace usershell
