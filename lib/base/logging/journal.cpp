#include "base/logging/journal.hpp"

#include "base/ascii.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

namespace usershell {
namespace {

/// "request_id" → "USERSHELL_REQUEST_ID"
std::string field_name(std::string_view key) { return "USERSHELL_" + upper_ascii(key); }

} // namespace

// systemd says which file it has connected: device and inode. Standard error may have been
// redirected since.
bool stderr_is_the_journal() {
    const char* const stream = std::getenv("JOURNAL_STREAM"); // NOLINT(concurrency-mt-unsafe)
    struct stat found {};
    if (stream == nullptr || ::fstat(STDERR_FILENO, &found) != 0) return false;
    return std::to_string(found.st_dev) + ':' + std::to_string(found.st_ino) == stream;
}

void write_to_journal(const LogLine& line) {
    std::vector<std::string> fields{"MESSAGE=" + line.text,
                                    "PRIORITY=" + std::to_string(static_cast<int>(line.level))};
    fields.reserve(fields.size() + line.fields.size());
    for (const auto& [key, value] : line.fields) fields.push_back(field_name(key) + '=' + value);
    std::vector<iovec> parts;
    parts.reserve(fields.size());
    for (std::string& field : fields) parts.push_back({field.data(), field.size()});
    ::sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

} // namespace usershell
