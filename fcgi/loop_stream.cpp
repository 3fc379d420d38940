#include "fcgi/loop_stream.hpp"

#include "base/logging/log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fastcgi.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace usershell::fcgi {

namespace {

// How it works. flush() runs at the end of the loop's step, so that the pieces of one step leave as
// one record by one send(2). Bytes that the socket does not take stay in `records_`. Until they are
// sent, the loop watches for EPOLLOUT and the stall timer runs; each byte that is taken restarts
// it.

constexpr std::uint32_t gone_events = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

/// Of a late body, in its interval: 10 KiB a second.
constexpr std::size_t min_body_bytes = std::size_t{100} * 1024;

} // namespace

LoopStream::LoopStream(Loop& loop, Descriptor connection, Origin origin,
                       std::chrono::milliseconds stall_after,
                       std::chrono::milliseconds body_interval)
    : Timer{loop},
      Deferred{loop},
      loop_{loop},
      connection_{std::move(connection)},
      origin_{std::move(origin)},
      records_{origin_.record_id},
      stall_after_{stall_after},
      body_interval_{body_interval},
      writable_{loop},
      drained_{loop},
      body_ended_{loop},
      body_reader_{FCGI_STDIN, origin_.record_id} {
    cancellation_.add(*this);
}

LoopStream::~LoopStream() {
    cancellation_.remove(*this);
    if (memory_) memory_->ends(nullptr, nullptr);
    if (watched_ != 0) loop_.forget(connection_.get());
}

void LoopStream::attach() { set_watch(); }

void LoopStream::set_watch() {
    // After the request a web server sends nothing more: a byte means that it has gone.
    const bool reads = !origin_.is_late || body_;
    const std::uint32_t wanted = client_gone_ ? 0
                                              : EPOLLRDHUP | (reads ? std::uint32_t{EPOLLIN} : 0U) |
                                                    (records_.size() > 0 ? EPOLLOUT : 0U);
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
    return origin_.is_head || append(bytes);
}

void LoopStream::counts_in(std::shared_ptr<CallMemory> memory) {
    if (memory == memory_) return;
    if (memory_) memory_->ends(nullptr, nullptr);
    part_ = CallMemory::Part{memory.get()};
    memory_ = std::move(memory);
    may_keep(0);
    if (memory_) memory_->ends(&cancellation_, &writable_);
}

bool LoopStream::send(const web::Response& response) {
    if (!may_keep(response.body.size())) return false;
    records_.append(response, origin_.request_id, origin_.is_head);
    if (client_gone_)
        records_.clear();
    else
        defer();
    return true;
}

bool LoopStream::append(std::string_view bytes) {
    if (client_gone_) return true;
    if (!may_keep(bytes.size())) return false;
    records_.append(bytes);
    defer();
    return true;
}

/// A call that has lost its memory still has its last words.
bool LoopStream::may_keep(std::size_t bytes) {
    return part_.grow_to(records_.capacity_with(bytes)) || bytes <= few_unread;
}

Task<> LoopStream::finish() {
    if (!client_gone_) records_.end();
    flush();
    if (records_.size() > 0) drained_.reset();
    co_await drained_.wait();
    if (!origin_.is_late || client_gone_) co_return;
    // nginx takes a response as whole when the connection ends. It still sends, though: what it
    // sends is read to its end, also when the call has lost its memory.
    is_sent_ = true;
    ::shutdown(connection_.get(), SHUT_WR);
    co_await read_body([](std::string_view) { return true; });
}

Task<web::BodyEnd> LoopStream::read_body(web::TakeBody take) {
    co_await loop_.enter();
    if (!origin_.is_late) co_return web::BodyEnd::complete;
    if (client_gone_) co_return web::BodyEnd::gone;
    body_ = std::make_unique<LateBody>(LateBody{std::move(take)});
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
        for (auto piece = body_reader_.next(records); !piece.empty();
             piece = body_reader_.next(records))
            goes_on = goes_on && body_->take(piece);
        if (body_reader_.ended()) origin_.is_late = false;
        if (!goes_on)
            end_body(web::BodyEnd::stopped);
        else if (body_reader_.ended())
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

void LoopStream::on_cancelled() {
    if (!is_lost() || is_sent_) return;
    end_body(web::BodyEnd::gone);
    defer();
}

void LoopStream::flush() {
    const std::size_t before = records_.size();
    const int error = records_.send(connection_.get());
    if (error != 0 && error != EAGAIN) return leave();
    const std::size_t unread = records_.size();
    if (is_lost() && unread > max_unread) return leave();
    part_.hold(records_.capacity());
    if (unread < before) clear(); // it reads
    if (unread == 0) {
        drained_.set();
    } else if (!due()) {
        set(Loop::Clock::now() + stall_after_);
    }
    // A call that was ended waits for no client.
    if (unread > max_unread && !cancellation_.is_cancelled()) writable_.reset();
    if (unread <= few_unread && !writable_.is_set()) writable_.set();
    set_watch();
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
    records_.clear();
    part_.clear();
    set_watch();
    cancellation_.cancel();
    writable_.set();
    drained_.set();
    end_body(web::BodyEnd::gone);
}

} // namespace usershell::fcgi
