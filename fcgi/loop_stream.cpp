#include "fcgi/loop_stream.hpp"

#include "base/logging/log.hpp"
#include "fcgi/response.hpp"

#include <algorithm>
#include <cerrno>

#include <fastcgi.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace usershell::fcgi {

namespace {

// How it works. All that is to be sent is appended to `out_` as FastCGI records. Pieces go into one
// STDOUT record until it is full; its length is filled in when it is closed. flush() runs at the
// end of the loop's step, so that the pieces of one step leave as one record by one send(2). Bytes
// that the socket does not take stay in `out_`. Until they are sent, the loop watches for EPOLLOUT
// and the stall timer runs; each byte that is taken restarts it.

constexpr std::uint32_t gone_events = EPOLLIN | EPOLLRDHUP; ///< a web server sends nothing more

char byte_of(std::size_t number, unsigned shift) {
    return static_cast<char>(static_cast<unsigned char>(number >> shift));
}

/// Its content's length is still to be filled in.
void append_header(std::string& out, unsigned char type, std::uint16_t id) {
    out += {static_cast<char>(FCGI_VERSION_1),
            static_cast<char>(type),
            byte_of(id, 8),
            byte_of(id, 0),
            0,
            0,
            0,
            0};
}

void set_length(std::string& out, std::size_t record) {
    const std::size_t length = out.size() - record - FCGI_HEADER_LEN;
    out[record + 4] = byte_of(length, 8);
    out[record + 5] = byte_of(length, 0);
}

/// End of STDOUT, and of the request with status 0.
void append_end(std::string& out, std::uint16_t id) {
    append_header(out, FCGI_STDOUT, id);
    const std::size_t record = out.size();
    append_header(out, FCGI_END_REQUEST, id);
    out.append(4, 0); // the program's status
    out += {static_cast<char>(FCGI_REQUEST_COMPLETE), 0, 0, 0};
    set_length(out, record);
}

} // namespace

LoopStream::LoopStream(Loop& loop, Descriptor connection, Origin origin,
                       std::chrono::milliseconds stall_after)
    : Timer{loop},
      Deferred{loop},
      loop_{loop},
      connection_{std::move(connection)},
      origin_{std::move(origin)},
      stall_after_{stall_after},
      writable_{loop},
      drained_{loop} {}

LoopStream::~LoopStream() {
    if (watched_ != 0) loop_.forget(connection_.get());
}

void LoopStream::attach() { set_watch(); }

void LoopStream::set_watch() {
    const std::uint32_t wanted = gone_ ? 0 : gone_events | (unread() > 0 ? EPOLLOUT : 0U);
    if (wanted == watched_) return;
    watched_ = wanted;
    if (wanted == 0)
        loop_.forget(connection_.get());
    else
        loop_.watch(connection_.get(), wanted, *this);
}

void LoopStream::begin(const web::Response& head) {
    append(stream_head(head, origin_.request_id));
    begun_ = true;
}

bool LoopStream::write(std::string_view bytes) {
    if (gone_) return false;
    if (!origin_.is_head) append(bytes);
    return true;
}

void LoopStream::send(const web::Response& response) {
    append(whole_head(response, origin_.request_id));
    if (!origin_.is_head && response.status != 204 && response.status != 304) append(response.body);
}

void LoopStream::append(std::string_view bytes) {
    while (!bytes.empty() && !gone_) {
        if (record_ == none) open_record();
        const std::size_t room = FCGI_MAX_LENGTH - (out_.size() - record_ - FCGI_HEADER_LEN);
        const auto part = bytes.substr(0, room);
        out_.append(part);
        bytes.remove_prefix(part.size());
        if (part.size() == room) close_record();
    }
    defer();
}

void LoopStream::open_record() {
    record_ = out_.size();
    append_header(out_, FCGI_STDOUT, origin_.record_id);
}

void LoopStream::close_record() {
    if (record_ != none) set_length(out_, record_);
    record_ = none;
}

Task<> LoopStream::finish() {
    close_record();
    if (!gone_) append_end(out_, origin_.record_id);
    flush();
    if (unread() > 0) drained_.reset();
    co_await drained_.wait();
}

void LoopStream::on_deferred() { flush(); }

void LoopStream::flush() {
    close_record();
    while (unread() > 0) {
        const ssize_t count =
            ::send(connection_.get(), out_.data() + sent_, unread(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) break;
        if (count < 0) return leave();
        sent_ += static_cast<std::size_t>(count);
        clear(); // it reads
    }
    drop_sent();
    if (unread() == 0) {
        drained_.set();
    } else if (!due()) {
        set(Loop::Clock::now() + stall_after_);
    }
    // A call that was ended waits for no client.
    if (unread() > max_unread && !cancellation_.is_cancelled()) writable_.reset();
    if (unread() <= few_unread && !writable_.is_set()) writable_.set();
    set_watch();
}

/// Memory for more than a few pieces is not kept.
void LoopStream::drop_sent() {
    if (unread() == 0 && out_.capacity() > few_unread)
        out_ = {};
    else if (unread() == 0 || sent_ > max_unread)
        out_.erase(0, sent_);
    else
        return;
    sent_ = 0;
}

void LoopStream::on_ready(int /*descriptor*/, std::uint32_t events) {
    if ((events & (gone_events | EPOLLHUP | EPOLLERR)) != 0)
        leave();
    else
        flush();
}

void LoopStream::on_due() {
    const LogContext context{origin_.request_id};
    log(Level::warning, "client stalled");
    leave();
}

void LoopStream::leave() {
    if (gone_) return;
    gone_ = true;
    clear();
    out_ = {};
    sent_ = 0;
    record_ = none;
    set_watch();
    cancellation_.cancel();
    writable_.set();
    drained_.set();
}

} // namespace usershell::fcgi
