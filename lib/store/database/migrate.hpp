// The schema: append-only migrations of sql/, NNNN_name.sql, each applied in one transaction with
// its checksum recorded, under an advisory lock, by role usershell_owner. The texts are compiled
// into the programs. Any thread may call; several programs at once take turns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::store {

struct Migration {
    std::string_view name;     ///< "0001_foundation"
    std::string_view checksum; ///< SHA-256 of the file, as sha256sum prints it
    std::string_view text;
};

/// Those of sql/, in order. Generated at build time.
std::span<const Migration> migrations();

/// Applies what is missing; returns the names applied. Throws std::runtime_error with one sentence
/// when an applied migration's checksum differs from ours, or the store knows one that we don't;
/// and when one fails, which then has changed nothing.
std::vector<std::string> migrate(const std::string& connection);
/// The same with other migrations than the program's: for tests.
std::vector<std::string> migrate(const std::string& connection, std::span<const Migration> ours);

} // namespace usershell::store
