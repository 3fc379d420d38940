// The table of settings: what config.cpp reads, prints and dumps. For lib/domain's own files and
// its tests. Constant; any thread may read.
#pragma once

#include "domain/settings/config.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace usershell {

/// The member of Settings that a row fills.
using SettingField =
    std::variant<std::string Settings::*, bool Settings::*, std::uint32_t Settings::*,
                 std::size_t Settings::*, std::chrono::seconds Settings::*,
                 std::vector<std::string> Settings::*>;

struct SettingRow {
    unsigned programs; ///< bits of Program: those that read it
    std::string_view name;
    SettingField field;
    std::string_view placeholder; ///< of the value in --help: "FILE"
    std::string_view fallback;    ///< the default, as the file would have it; empty: not set
    std::string_view help;
    std::uint64_t min = 0; ///< bounds of a number or of seconds
    std::uint64_t max = 0;
    /// Returns the canonical spelling of a text. Throws Error as assign() does.
    std::string (*check)(const std::string&) = nullptr;
    bool secret = false;

    bool read_by(Program program) const { return (programs & static_cast<unsigned>(program)) != 0; }
    bool repeatable() const {
        return std::holds_alternative<std::vector<std::string> Settings::*>(field);
    }
};

std::span<const SettingRow> setting_rows();

/// nullptr for an unknown name.
const SettingRow* find_setting(std::string_view name);

/// Puts `value` into the row's field (behind the others, if repeatable). Throws
/// Error with the end of a sentence that begins with the setting's name: "must be a
/// number from 1 to 4096". Never repeats the value.
void assign(const SettingRow& row, std::string_view value, Settings& settings);

/// Empties a repeatable row's field.
void clear(const SettingRow& row, Settings& settings);

/// The values in the field as assign() takes them. Empty when the setting is not set.
std::vector<std::string> values_of(const SettingRow& row, const Settings& settings);

/// Every setting of the program at its default.
Settings default_settings(Program program);

} // namespace usershell
