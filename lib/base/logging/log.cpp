#include "base/logging/log.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <system_error>
#include <typeinfo>
#include <utility>

#include <boost/core/demangle.hpp>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

namespace usershell {

namespace {

constexpr std::size_t max_value = 1000;

thread_local std::string
    current_request_id; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void append_escaped(std::string& out, char c) {
    constexpr std::string_view special = "\n\r\t\"\\";
    constexpr std::string_view letters = "nrt\"\\"; // after a backslash
    if (const auto at = special.find(c); at != std::string_view::npos)
        out += {'\\', letters[at]};
    else if (c >= ' ' && c <= '~')
        out += c;
    else
        out += "\\x" + hex({&c, 1});
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, max_value)) append_escaped(out, c);
    if (text.size() > max_value) out += "...";
    return out;
}

void append_field(LogLine& line, std::string_view key, std::string_view value) {
    const auto& field = line.fields.emplace_back(escaped(key), escaped(value));
    line.text += ' ' + field.first + "=\"" + field.second + '"';
}

std::function<void(LogLine)>& taker() {
    static std::function<void(LogLine)> given;
    return given;
}

void write_all(std::string_view line) {
    while (!line.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
        if (written > 0) {
            line.remove_prefix(static_cast<std::size_t>(written));
        } else if (written == 0 || errno != EINTR) {
            return;
        }
    }
}

void write_log_line(const LogLine& line) { write_all(with_priority(line) + '\n'); }

} // namespace

LogLine log_line(Level level, std::string_view event, std::initializer_list<LogField> fields) {
    LogLine line{.level = level, .text = escaped(event), .fields = {}};
    if (!current_request_id.empty()) append_field(line, "request_id", current_request_id);
    for (const auto& [key, value] : fields) append_field(line, key, value);
    return line;
}

void log(Level level, std::string_view event, std::initializer_list<LogField> fields) {
    LogLine line = log_line(level, event, fields);
    if (taker())
        taker()(std::move(line));
    else
        write_log_line(line);
}

void log_last(Level level, std::string_view event, std::initializer_list<LogField> fields) {
    write_log_line(log_line(level, event, fields));
}

std::string with_priority(const LogLine& line) {
    return "<" + std::to_string(static_cast<int>(line.level)) + ">" + line.text;
}

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
    for (const auto& [key, value] : line.fields)
        fields.push_back("USERSHELL_" + upper_ascii(key) + '=' + value);
    std::vector<iovec> parts;
    parts.reserve(fields.size());
    for (std::string& field : fields) parts.push_back({field.data(), field.size()});
    ::sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

void hand_log_lines_to(std::function<void(LogLine)> given) { taker() = std::move(given); }

std::string loggable(const std::exception& exception) {
    if (dynamic_cast<const Error*>(&exception) != nullptr) return exception.what();
    if (const auto* refusal = dynamic_cast<const Refusal*>(&exception))
        return std::string{name_of(refusal->code())};
    std::string text = boost::core::demangle(typeid(exception).name());
    if (const auto* failure = dynamic_cast<const std::system_error*>(&exception))
        text += ": " + failure->code().message();
    return text;
}

LogContext::LogContext(std::string request_id)
    : outer_{std::exchange(current_request_id, std::move(request_id))} {}

LogContext::~LogContext() { current_request_id = std::move(outer_); }

LogBuffer::LogBuffer(Write write) : write_{std::move(write)}, thread_{[this] { run(); }} {
    hand_log_lines_to([this](LogLine line) { add(std::move(line)); });
}

LogBuffer::~LogBuffer() {
    hand_log_lines_to({});
    {
        const std::scoped_lock lock{mutex_};
        ending_ = true;
    }
    filled_.notify_one();
    thread_.join();
}

void LogBuffer::add(LogLine line) {
    {
        const std::scoped_lock lock{mutex_};
        if (waiting_.size() >= max_lines) {
            ++dropped_;
            return;
        }
        waiting_.push_back(std::move(line));
    }
    filled_.notify_one();
}

void LogBuffer::run() {
    std::unique_lock lock{mutex_};
    while (!ending_ || !waiting_.empty()) {
        filled_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        write_all(lock);
    }
}

void LogBuffer::write_all(std::unique_lock<std::mutex>& lock) {
    std::deque<LogLine> lines = std::exchange(waiting_, {});
    if (const std::size_t dropped = std::exchange(dropped_, 0))
        lines.push_back(
            log_line(Level::warning, "log lines dropped", {{"count", std::to_string(dropped)}}));
    lock.unlock();
    for (const LogLine& line : lines) write_(line);
    lock.lock();
}

} // namespace usershell
