#include "fcgi/loop_stream.hpp"

#include "base/logging/log.hpp"
#include "fcgi/response.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

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

constexpr std::uint32_t gone_events = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

/// Of a late body, in its interval: 10 KiB a second.
constexpr std::size_t min_body_bytes = std::size_t{100} * 1024;

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
                       std::chrono::milliseconds stall_after,
                       std::chrono::milliseconds body_interval)
    : Timer{loop},
      Deferred{loop},
      loop_{loop},
      connection_{std::move(connection)},
      origin_{std::move(origin)},
      stall_after_{stall_after},
      body_interval_{body_interval},
      writable_{loop},
      drained_{loop},
      body_ended_{loop} {}

LoopStream::~LoopStream() {
    if (watched_ != 0) loop_.forget(connection_.get());
}

void LoopStream::attach() { set_watch(); }

void LoopStream::set_watch() {
    // After the request a web server sends nothing more: a byte means that it has gone.
    const bool reads = !origin_.is_late || body_;
    const std::uint32_t wanted = client_gone_ ? 0
                                              : EPOLLRDHUP | (reads ? std::uint32_t{EPOLLIN} : 0U) |
                                                    (unread() > 0 ? EPOLLOUT : 0U);
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
    if (client_gone_) return false;
    if (!origin_.is_head) append(bytes);
    return true;
}

void LoopStream::send(const web::Response& response) {
    append(whole_head(response, origin_.request_id));
    if (!origin_.is_head && response.status != 204 && response.status != 304) append(response.body);
}

void LoopStream::append(std::string_view bytes) {
    while (!bytes.empty() && !client_gone_) {
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
    if (!client_gone_) append_end(out_, origin_.record_id);
    flush();
    if (unread() > 0) drained_.reset();
    co_await drained_.wait();
    if (!origin_.is_late || client_gone_) co_return;
    // nginx takes a response as whole when the connection ends. It still sends, though.
    ::shutdown(connection_.get(), SHUT_WR);
    co_await read_body([](std::string_view) { return true; });
}

Task<web::BodyEnd> LoopStream::read_body(web::TakeBody take) {
    co_await loop_.enter();
    if (!origin_.is_late) co_return web::BodyEnd::complete;
    if (client_gone_) co_return web::BodyEnd::gone;
    body_ = std::make_unique<LateBody>(LateBody{BodyReader{origin_.record_id}, std::move(take)});
    body_ended_.reset();
    take_body(std::exchange(origin_.early, {}));
    if (!body_->end) {
        set(Loop::Clock::now() + body_interval_);
        set_watch();
    }
    co_await body_ended_.wait();
    clear();
    const auto end = *body_->end;
    body_.reset();
    set_watch();
    co_return end;
}

void LoopStream::receive() {
    std::array<char, std::size_t{64} * 1024> buffer; // NOLINT(*-member-init): recv fills it
    const ssize_t count = ::recv(connection_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0)
        take_body({buffer.data(), static_cast<std::size_t>(count)});
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
        leave();
}

void LoopStream::take_body(std::string_view records) {
    body_->bytes += records.size();
    bool goes_on = true;
    try {
        const bool is_whole = body_->reader.feed(
            records, [&](std::string_view piece) { goes_on = goes_on && body_->take(piece); });
        if (is_whole) origin_.is_late = false;
        if (!goes_on)
            end_body(web::BodyEnd::stopped);
        else if (is_whole)
            end_body(web::BodyEnd::complete);
    } catch (const BadRecords& bad) {
        log(Level::warning, "bad FastCGI request", {{"why", bad.what()}});
        end_body(web::BodyEnd::malformed);
    }
}

void LoopStream::end_body(web::BodyEnd end) {
    if (!body_ || body_->end) return;
    body_->end = end;
    body_ended_.set();
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
    const bool has_bytes = (events & EPOLLIN) != 0;
    if ((events & gone_events) != 0 || (has_bytes && !body_)) return leave();
    if (has_bytes && !body_->end) receive();
    if ((events & EPOLLOUT) != 0) flush();
}

void LoopStream::on_due() {
    const LogContext context{origin_.request_id};
    if (body_) {
        if (std::exchange(body_->bytes, 0) < min_body_bytes) return end_body(web::BodyEnd::slow);
        return set(Loop::Clock::now() + body_interval_);
    }
    log(Level::warning, "client stalled");
    leave();
}

void LoopStream::leave() {
    if (client_gone_) return;
    client_gone_ = true;
    clear();
    out_ = {};
    sent_ = 0;
    record_ = none;
    set_watch();
    cancellation_.cancel();
    writable_.set();
    drained_.set();
    end_body(web::BodyEnd::gone);
}

} // namespace usershell::fcgi
