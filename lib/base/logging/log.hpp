// The log: one line an event on standard error, with the journal's priority prefix (sd-daemon(3):
// "<6>"). After the event's name come key="value" pairs. Whatever is not printable ASCII is escaped
// (\n, \t, \r, \xHH) and a value ends after 1,000 bytes with "...", so that no input can forge a
// line, colour a terminal or have the journal split one. Callers never pass a key, a password, a
// token, a body or a query string. Thread-safe: a line is one write(2). A line that can't be
// written is dropped.
#pragma once

#include <exception>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
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

/// To standard error. A line that can't be written is dropped.
void write_log_line(const LogLine& line);

/// From now on log() hands its lines to `taker` instead of writing them; an empty function: it
/// writes them again. Call it while no other thread logs.
void hand_log_lines_to(std::function<void(LogLine)> taker);

/// What may be logged of an exception: the text of an Error; the code of a Refusal, as its sentence
/// may be a provider's; of any other exception the name of its type, as its text may quote what it
/// was about (and of a std::system_error the system's words for its code).
std::string loggable(const std::exception& exception);

/// The request that the calling thread serves: its id is added to every line that the thread
/// writes. Contexts nest; the outer one's id comes back when the inner one ends. Ends on the thread
/// it began on.
class LogContext {
public:
    explicit LogContext(std::string request_id);
    ~LogContext();
    LogContext(const LogContext&) = delete;
    LogContext& operator=(const LogContext&) = delete;

private:
    std::string outer_;
};

} // namespace usershell
