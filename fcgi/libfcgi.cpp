#include "fcgi/libfcgi.hpp"

#include "fcgi/records.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring> // explicit_bzero(3)
#include <exception>
#include <utility>

#include <fastcgi.h>
#include <fcgios.h>
#include <poll.h>
#include <sys/socket.h>

namespace usershell::fcgi {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t small_body = 8192; ///< bytes
constexpr std::chrono::milliseconds moment{2};
constexpr std::size_t max_piece = std::size_t{32} * 1024; ///< bytes of a response
constexpr std::size_t begin_bytes = sizeof(FCGI_BeginRequestBody);

/// The bytes of one connection, through a buffer that is wiped in the end, and those that libfcgi
/// reads of it in this thread.
class Inlet {
public:
    Inlet(int connection, Clock::time_point deadline)
        : connection_{connection},
          accepted_{connection},
          deadline_{deadline} {
        of_this_thread = this;
    }
    ~Inlet() {
        of_this_thread = nullptr;
        ::explicit_bzero(buffer_.data(), used_);
    }
    Inlet(const Inlet&) = delete;
    Inlet& operator=(const Inlet&) = delete;

    static inline thread_local Inlet* of_this_thread = nullptr;

    /// False at the end of what the peer sends. Waits for a byte.
    bool has_more() {
        if (!unread_.empty()) return true;
        const bool came = Clock::now() < deadline_ && receive(deadline_);
        if (!came && Clock::now() >= deadline_)
            throw BadRecords{"the request did not arrive in time"};
        return came;
    }

    /// Reads and checks BEGIN_REQUEST and PARAMS, before libfcgi does. Returns the request's id.
    std::uint16_t read_head(std::size_t max_params) {
        RecordReader begin{FCGI_BEGIN_REQUEST};
        keep(begin, begin_bytes);
        if (head_.data()[0] != 0 || head_.data()[1] != FCGI_RESPONDER)
            throw BadRecords{"a role other than responder"};
        RecordReader params{FCGI_PARAMS, begin.id()};
        keep(params, begin_bytes + max_params);
        check_params(std::string_view{head_}.substr(begin_bytes));
        body_ = RecordReader{FCGI_STDIN, begin.id()};
        return begin.id();
    }

    /// Is the body there, of that size and sound? A small one mostly comes a moment after its
    /// parameters; a larger one is not waited for.
    bool has_body(std::size_t size) {
        if (size == 0 || size > small_body) return false;
        const auto end = Clock::now() + moment;
        RecordReader reader = body_;
        std::size_t came = 0;
        try {
            do {
                early_.append(unread_);
                while (!unread_.empty() && !reader.ended()) came += reader.next(unread_).size();
            } while (came <= size && !reader.ended() && receive(end));
        } catch (const BadRecords&) { // it is refused when the body is read
        }
        unread_ = early_;
        return reader.ended() && came == size;
    }

    /// Bytes that were received and not read.
    std::string_view unread() const { return unread_; }

    /// The connection, once: a request that libfcgi does not like has no successor.
    int accept() { return std::exchange(accepted_, -1); }

    /// Writes the next record into libfcgi's buffer. Returns its size; -1 when it throws.
    int read(char* buffer, std::size_t room) noexcept {
        // The buffer still has the record before, all of which libfcgi has copied. So the last
        // record, which has no content, leaves nothing behind.
        ::explicit_bzero(buffer, room);
        try {
            const bool begins = part_ == FCGI_BEGIN_REQUEST;
            const auto content = turn(begins ? begin_bytes : room - FCGI_HEADER_LEN);
            const auto header = record_header(part_, body_.id(), content.size());
            std::ranges::copy(content, std::ranges::copy(header, buffer).out);
            if (begins)
                part_ = FCGI_PARAMS;
            else if (content.empty())
                part_ = FCGI_STDIN;
            return static_cast<int>(header.size() + content.size());
        } catch (...) {
            fault_ = std::current_exception();
            errno = EPROTO;
            return -1;
        }
    }

    /// Throws what read() could not.
    void rethrow() const {
        if (fault_) std::rethrow_exception(fault_);
    }

private:
    /// False at the end of what the peer sends, and when nothing comes until `end`. Mostly the web
    /// server has sent everything already, so poll(2) is only called when it has not.
    bool receive(Clock::time_point end) {
        do {
            const ssize_t count = ::recv(connection_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
            if (count > 0) {
                unread_ = {buffer_.data(), static_cast<std::size_t>(count)};
                used_ = std::max(used_, unread_.size());
                return true;
            }
            if (count < 0 && errno == EAGAIN)
                wait(end);
            else if (count == 0 || errno != EINTR)
                return false;
        } while (Clock::now() < end);
        return false;
    }

    void wait(Clock::time_point end) const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        pollfd watched{connection_, POLLIN, 0};
        ::poll(&watched, 1, std::max(0, static_cast<int>(left.count())));
    }

    /// Content of the part; empty at its end.
    std::string_view next(RecordReader& reader, std::size_t max = std::string_view::npos) {
        while (!reader.ended()) {
            if (!has_more()) throw BadRecords{"the request ends early"};
            if (const auto piece = reader.next(unread_, max); !piece.empty()) return piece;
        }
        return {};
    }

    void keep(RecordReader& reader, std::size_t max) {
        for (auto piece = next(reader); !piece.empty(); piece = next(reader)) {
            if (head_.size() + piece.size() > max) throw BadRecords{"the parameters are too large"};
            head_.append(piece);
        }
    }

    /// Content of the part whose turn it is with libfcgi; empty at its end.
    std::string_view turn(std::size_t max) {
        if (part_ == FCGI_STDIN) return next(body_, max);
        const auto piece = std::string_view{head_}.substr(given_, max);
        given_ += piece.size();
        return piece;
    }

    int connection_;
    int accepted_;
    Clock::time_point deadline_;
    std::array<char, 16384> buffer_;         // NOLINT(*-member-init): recv fills it
    std::size_t used_ = 0;                   ///< bytes at the buffer's start that were ever filled
    std::string_view unread_;                ///< of `buffer_` or `early_`
    WipedString early_;                      ///< of a body, what came before its time
    WipedString head_;                       ///< the checked content of BEGIN_REQUEST and PARAMS
    std::size_t given_ = 0;                  ///< bytes of it that libfcgi has
    std::uint8_t part_ = FCGI_BEGIN_REQUEST; ///< whose turn it is
    RecordReader body_{FCGI_STDIN};
    std::exception_ptr fault_;
};

std::string_view value_of(const std::vector<Param>& params, std::string_view name) {
    const auto param = std::ranges::find(params, name, &Param::name);
    return param == params.end() ? std::string_view{} : param->value;
}

/// The size that the web server announces; 0 when it says none.
std::size_t announced_body(const std::vector<Param>& params) {
    const auto length = value_of(params, "CONTENT_LENGTH");
    std::size_t size = 0;
    std::from_chars(length.data(), length.data() + length.size(), size);
    return size;
}

void read_body(RequestRecords& request, const Inlet& inlet, std::size_t max_body) {
    WipedString piece;
    piece.resize(small_body);
    while (const std::size_t count = request.library->read(piece.data(), piece.size())) {
        request.body_size += count;
        const std::size_t room = max_body + 1 - request.body.size();
        request.body.append(std::string_view{piece}.substr(0, std::min(count, room)));
    }
    inlet.rethrow();
}

} // namespace

LibfcgiRequest::LibfcgiRequest() {
    static const int failure = FCGX_Init();
    FCGX_InitRequest(&request_, -1, 0);
    if (failure != 0 || FCGX_Accept_r(&request_) != 0) throw Error{"libfcgi can't read a request"};
}

LibfcgiRequest::~LibfcgiRequest() {
    for (char** param = request_.envp; *param != nullptr; ++param)
        ::explicit_bzero(*param, std::strlen(*param));
    FCGX_Free(&request_, 0);
}

std::vector<Param> LibfcgiRequest::params() const {
    std::vector<Param> params;
    params.reserve(40);
    for (char** param = request_.envp; *param != nullptr; ++param) {
        const std::string_view pair = *param;
        const std::size_t equals = pair.find('=');
        params.push_back({pair.substr(0, equals), pair.substr(equals + 1)});
    }
    return params;
}

std::size_t LibfcgiRequest::read(char* buffer, std::size_t room) const {
    return static_cast<std::size_t>(FCGX_GetStr(buffer, static_cast<int>(room), request_.in));
}

int LibfcgiRequest::send(std::string_view head, std::string_view body,
                         std::chrono::milliseconds stall) const {
    FCGX_Stream* const out = request_.out;
    const auto put = [out](std::string_view bytes) {
        FCGX_PutStr(bytes.data(), static_cast<int>(bytes.size()), out);
    };
    put(head);
    for (; body.size() > max_piece; body.remove_prefix(max_piece)) {
        const auto start = Clock::now();
        put(body.substr(0, max_piece));
        FCGX_FFlush(out);
        if (const int error = FCGX_GetError(out); error != 0) return error;
        if (Clock::now() - start > stall) return EAGAIN;
    }
    put(body);
    if (const int error = FCGX_GetError(out); error != 0) return error;
    // It is empty, so it sends nothing. The one that is closed last ends the request.
    FCGX_FClose(request_.err);
    FCGX_FClose(out);
    return FCGX_GetError(out);
}

std::optional<RequestRecords> read_request(int connection, const RecordLimits& limits,
                                           const ReadsLate& reads_late) {
    Inlet inlet{connection, Clock::now() + limits.timeout};
    if (!inlet.has_more()) return std::nullopt;
    RequestRecords request;
    request.id = inlet.read_head(limits.max_params);
    request.library = std::make_unique<LibfcgiRequest>();
    request.params = request.library->params();
    const std::size_t announced = announced_body(request.params);
    if (reads_late && reads_late(value_of(request.params, "REQUEST_URI"), announced) &&
        !inlet.has_body(announced)) {
        request.awaited = announced;
        request.early.append(inlet.unread());
    } else {
        request.body.reserve(std::min(announced, limits.max_body + 1));
        read_body(request, inlet, limits.max_body);
    }
    return request;
}

} // namespace usershell::fcgi

// libfcgi's operating-system layer. It is in a file that each program needs: the linker finds
// it before libfcgi's own, and refuses a second one.
extern "C" {

int OS_LibInit(int* /*standard*/) { return 0; } // no signal handlers
void OS_ShutdownPending() {}
int OS_IsFcgi(int /*socket*/) { return 1; }
int OS_CreateLocalIpcFd(const char* /*path*/, int /*backlog*/) { return -1; }

/// A connection that our listener has accepted.
int OS_Accept(int /*listener*/, int /*fails_on_signal*/, const char* /*web_servers*/) {
    auto* const inlet = usershell::fcgi::Inlet::of_this_thread;
    errno = EBADF;
    return inlet == nullptr ? -1 : inlet->accept();
}

int OS_Read(int /*connection*/, char* buffer, std::size_t room) {
    return usershell::fcgi::Inlet::of_this_thread->read(buffer, room);
}

/// Under the socket's time-out. Sent bytes are wiped: a response may have a cookie or a token.
int OS_Write(int connection, char* buffer, std::size_t size) {
    ssize_t count = -1;
    do count = ::send(connection, buffer, size, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    ::explicit_bzero(buffer, count < 0 ? size : static_cast<std::size_t>(count));
    return static_cast<int>(count);
}

int OS_IpcClose(int /*connection*/, int /*shutdown*/) { return 0; } // its owner does

} // extern "C"
