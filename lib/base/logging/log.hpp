// The log: one line an event on standard error, with the journal's priority prefix (sd-daemon(3):
// "<6>"). key="value" pairs follow the event's name. Bytes that are not printable ASCII are escaped
// (\n, \t, \r, \xHH). A value ends after 1,000 bytes with "...". So no input can forge a line,
// colour a terminal or make the journal split a line. Callers never pass a key, a password, a
// token, a body or a query string. Thread-safe: a line is one write(2). A line that can't be
// written is dropped.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace usershell {

enum class Level { error = 3, warning = 4, notice = 5, info = 6 };

using LogField = std::pair<std::string_view, std::string>;

/// `event`: a short constant such as "request" or "worker started".
void log(Level level, std::string_view event, std::initializer_list<LogField> fields = {});

/// For the last line before the program aborts: written before this returns, even when lines are
/// otherwise handed to a LogBuffer.
void log_last(Level level, std::string_view event, std::initializer_list<LogField> fields);

struct LogLine {
    Level level;
    std::string text; ///< `request request_id="…" status="200"`
    std::vector<std::pair<std::string, std::string>> fields; ///< the same, apart; values escaped
};

LogLine log_line(Level level, std::string_view event, std::initializer_list<LogField> fields);

/// `<6>request request_id="…" status="200"`
std::string with_priority(const LogLine& line);

/// Has systemd connected standard error to the journal (JOURNAL_STREAM, systemd.exec(5))?
bool stderr_is_the_journal();

/// By sd_journal_sendv(3): the text as the message, and each field as a field of its own, such as
/// `journalctl USERSHELL_REQUEST_ID=…`. A line that the journal does not accept is dropped.
void write_to_journal(const LogLine& line);

/// From now on log() hands its lines to `taker` instead of writing them; an empty function: it
/// writes them again. Call it while no other thread logs.
void hand_log_lines_to(std::function<void(LogLine)> taker);

/// The loggable part of an exception: the text of an Error; the code of a Refusal, whose sentence
/// may be a provider's; the type of any other exception, whose text may quote input. A
/// std::system_error adds the system's words for its code.
std::string loggable(const std::exception& exception);

/// Adds the id of the request that the calling thread serves to every line that the thread writes.
/// Contexts nest. A context ends on the thread that it began on.
class LogContext {
public:
    explicit LogContext(std::string request_id);
    ~LogContext();
    LogContext(const LogContext&) = delete;
    LogContext& operator=(const LogContext&) = delete;

private:
    std::string outer_;
};

// Writes log lines on a thread of its own, so that a slow journal makes no request wait. The queue
// is bounded by max_lines; lines that find it full are dropped, and a line of its own says how
// many.

class LogBuffer {
public:
    static constexpr std::size_t max_lines = 8192;

    using Write = std::function<void(const LogLine&)>;

    /// From now on log() puts its lines into this buffer. A process has at most one; all other
    /// threads that log must have ended before it is destroyed.
    explicit LogBuffer(Write write);
    /// Writes the lines still queued.
    ~LogBuffer();
    LogBuffer(const LogBuffer&) = delete;
    LogBuffer& operator=(const LogBuffer&) = delete;

private:
    void add(LogLine line);
    void run();
    void write_all(std::unique_lock<std::mutex>& lock);

    const Write write_;
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<LogLine> waiting_;
    std::size_t dropped_ = 0; ///< since the last line was written
    bool ending_ = false;
    std::thread thread_;
};

} // namespace usershell
