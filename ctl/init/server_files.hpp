// Our lines in pg_hba.conf and pg_ident.conf. They stand in one block between two comments, and
// only that block is ever changed: all other lines stay as they are.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::ctl {

/// PostgreSQL takes the first line of pg_hba.conf that fits, so ours come before all others;
/// pg_ident.conf has no order.
enum class BlockPlace { before_all_lines, at_the_end };

/// `text` with its block replaced by these lines, or with a new block at `place` when it has none.
/// Unchanged when the block has these lines already. Pure.
std::string with_block(std::string_view text, const std::vector<std::string>& lines,
                       BlockPlace place);

/// The database that the lines of the block in pg_hba.conf let our roles into; empty: there is
/// none. Pure.
std::string database_of_block(std::string_view text);

/// A system user that may connect as a role of PostgreSQL's.
struct PeerRow {
    std::string_view system_user;
    std::string_view role;
};
inline constexpr std::array peer_rows{
    PeerRow{"root", "usershell_owner"},
    PeerRow{"usershell-auth", "usershell_auth"},
    PeerRow{"usershell-manage", "usershell_manage"},
    PeerRow{"usershell-execute", "usershell_execute"},
    PeerRow{"usershell-opener", "usershell_opener"},
    PeerRow{"usershell-mail", "usershell_mail"},
    PeerRow{"usershell-rewrap", "usershell_rewrap"},
};

/// The lines of pg_hba.conf that let our roles in at the local socket, by the system user that
/// connects, and in no other way.
std::vector<std::string> local_access(std::string_view database);
/// The lines of pg_ident.conf that say which system user may connect as which role.
std::vector<std::string> local_identities();
/// For a server on another machine: the lines of pg_hba.conf that let our roles in by a certificate
/// whose common name is the role's, and in no other way from afar.
std::vector<std::string> remote_access(std::string_view database);

/// A change of one file, which can be taken back.
class FileChange {
public:
    /// Reads the file, where a link leads. Throws Error.
    FileChange(const std::filesystem::path& file, const std::vector<std::string>& lines,
               BlockPlace place);

    bool needed() const { return before_ != after_; }
    const std::string& before() const { return before_; }
    const std::filesystem::path& file() const { return file_; }
    /// The copy of what was there: the file's name, `.before-usershell-` and the moment.
    const std::filesystem::path& copy() const { return copy_; }

    /// Keeps the copy and puts the new text in the file's place, whole or not at all, with its
    /// owner and mode. Throws Error.
    void apply() const;
    void take_back() const;

private:
    std::filesystem::path file_;
    std::filesystem::path copy_;
    std::string before_;
    std::string after_;
};

} // namespace usershell::ctl
