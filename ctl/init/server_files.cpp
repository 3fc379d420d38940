#include "ctl/init/server_files.hpp"

#include "base/error.hpp"
#include "base/timestamp.hpp"
#include "runtime/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

constexpr std::string_view begin_mark = "# usershell: begin (written by usershellctl init)\n";
constexpr std::string_view end_mark = "# usershell: end\n";
constexpr std::string_view roles =
    "usershell_owner,usershell_auth,usershell_manage,usershell_execute,usershell_opener,"
    "usershell_mail,usershell_rewrap";

std::string block_of(const std::vector<std::string>& lines) {
    std::string block{begin_mark};
    for (const std::string& line : lines) block += line + "\n";
    return block.append(end_mark);
}

/// Where the first line begins that is neither empty nor a comment.
std::size_t first_line_of_others(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto start = text.find_first_not_of(" \t", at);
        if (start != std::string_view::npos && text[start] != '#' && text[start] != '\n') return at;
        const auto end = text.find('\n', at);
        if (end == std::string_view::npos) break;
        at = end + 1;
    }
    return text.size();
}

/// Quoted for pg_hba.conf, where a bare word may be a keyword.
std::string quoted(std::string_view name) { return "\"" + std::string{name} + "\""; }

/// A later line, such as Debian's for passwords, lets none of the roles in.
std::string no_other_way() { return "host all " + std::string{roles} + " all reject"; }

[[noreturn]] void fail(const std::filesystem::path& file) {
    throw Error{file.string() + " can't be changed: " +
                std::error_code{errno, std::generic_category()}.message() + "."};
}

void write_like(const std::filesystem::path& file, const std::filesystem::path& model,
                std::string_view text) {
    struct stat status {};
    if (stat(model.c_str(), &status) != 0) fail(model);
    const Descriptor out{open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!out) fail(file);
    while (!text.empty()) {
        const ssize_t count = write(out.get(), text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(file);
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    const bool own = status.st_uid == geteuid() && status.st_gid == getegid();
    if ((!own && fchown(out.get(), status.st_uid, status.st_gid) != 0) ||
        fchmod(out.get(), status.st_mode & 07777U) != 0 || fsync(out.get()) != 0)
        fail(file);
}

/// Whole or not at all.
void replace(const std::filesystem::path& file, std::string_view text) {
    const std::filesystem::path fresh = file.string() + ".usershell-new";
    std::filesystem::remove(fresh); // left by one that was killed
    write_like(fresh, file, text);
    std::filesystem::rename(fresh, file);
}

std::string read_all(const std::filesystem::path& file) {
    std::ostringstream text;
    const std::ifstream in{file};
    if (!in) throw Error{file.string() + " can't be read."};
    text << in.rdbuf();
    return text.str();
}

/// "20260131T120000Z"
std::string moment_now() {
    std::string text = rfc3339_seconds(
        std::chrono::time_point_cast<Timestamp::duration>(std::chrono::system_clock::now()));
    std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
    return text;
}

/// A name for a copy of that file which nothing has yet.
std::filesystem::path copy_name(const std::filesystem::path& file) {
    const std::string name = file.string() + ".before-usershell-" + moment_now();
    std::filesystem::path free = name;
    for (int number = 2; std::filesystem::exists(free); ++number)
        free = name + "-" + std::to_string(number);
    return free;
}

} // namespace

std::string with_block(std::string_view text, const std::vector<std::string>& lines,
                       BlockPlace place) {
    std::string result{text};
    if (!result.empty() && !result.ends_with('\n')) result += '\n';
    const auto begin = result.find(begin_mark);
    const auto end = begin == std::string::npos ? begin : result.find(end_mark, begin);
    if (end != std::string::npos)
        return result.replace(begin, end + end_mark.size() - begin, block_of(lines));
    const auto at = place == BlockPlace::at_the_end ? result.size() : first_line_of_others(result);
    return result.insert(at, block_of(lines));
}

std::string database_of_block(std::string_view text) {
    const std::string first = std::string{begin_mark} + "local \"";
    const auto at = text.find(first);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + first.size());
    return std::string{text.substr(0, text.find('"'))};
}

std::vector<std::string> local_access(std::string_view database) {
    return {"local " + quoted(database) + " " + std::string{roles} + " peer map=usershell",
            "local all " + std::string{roles} + " reject", no_other_way()};
}

std::vector<std::string> local_identities() {
    std::vector<std::string> lines;
    lines.reserve(peer_rows.size());
    for (const auto& [user, role] : peer_rows)
        lines.push_back("usershell " + std::string{user} + " " + std::string{role});
    return lines;
}

std::vector<std::string> remote_access(std::string_view database) {
    return {"hostssl " + quoted(database) + " " + std::string{roles} + " all cert", no_other_way()};
}

FileChange::FileChange(const std::filesystem::path& file, const std::vector<std::string>& lines,
                       BlockPlace place)
    : file_{std::filesystem::canonical(file)},
      copy_{copy_name(file_)},
      before_{read_all(file_)},
      after_{with_block(before_, lines, place)} {}

void FileChange::apply() const {
    write_like(copy_, file_, before_);
    replace(file_, after_);
}

void FileChange::take_back() const { replace(file_, before_); }

} // namespace usershell::ctl
