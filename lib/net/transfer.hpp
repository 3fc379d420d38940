// One HTTP request and its answer: what libcurl's callbacks work on, and what HttpClient::perform
// reads from. The callbacks only keep what comes; perform() is resumed after them. In the loop's
// thread only. For http_client.cpp only.
#pragma once

#include "net/connection_pool.hpp"
#include "net/curl.hpp"
#include "net/curl_loop.hpp"
#include "net/http_client.hpp"
#include "net/http_head.hpp"
#include "runtime/signals.hpp"

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>

namespace usershell::net {

/// The deadlines of one call, by what has happened so far. Pure: the caller gives the time.
class Deadlines {
public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    /// `linger`: how long an answer may go on after its reader has stopped.
    Deadlines(const HttpLimits& limits, std::chrono::milliseconds linger, Time start)
        : limits_{limits},
          linger_{linger},
          start_{start},
          last_piece_{start} {}

    void connected() { connected_ = true; }
    void piece_came(Time now) {
        body_begun_ = true;
        last_piece_ = now;
    }
    void reader_stopped() { stopped_ = true; }
    /// The answer is complete, or it is after all not: then nullopt.
    void answered_until(std::optional<Time> end) {
        if (!answered_until_ || !end) answered_until_ = end;
    }
    bool is_answered() const { return answered_until_.has_value(); }
    bool has_body_begun() const { return body_begun_; }
    bool has_reader_stopped() const { return stopped_; }

    /// The deadline of the whole call.
    Time end() const { return start_ + limits_.total; }

    /// The earliest deadline that applies now.
    Time next() const {
        Time next = std::min(end(), answered_until_.value_or(end()));
        if (!connected_) next = std::min(next, start_ + limits_.connect);
        next = std::min(next, last_piece_ + limits_.silence);
        return stopped_ ? std::min(next, last_piece_ + linger_) : next;
    }

private:
    HttpLimits limits_;
    std::chrono::milliseconds linger_;
    Time start_;
    Time last_piece_; ///< or the start
    std::optional<Time> answered_until_{};
    bool connected_ = false;
    bool body_begun_ = false;
    bool stopped_ = false;
};

/// Shared by all transfers of a client.
struct HttpClient::Parts {
    Parts(Loop& event_loop, EgressPolicy policy, std::string file)
        : loop{event_loop},
          egress{std::move(policy)},
          ca_file{std::move(file)},
          connections{event_loop},
          curl{event_loop, ConnectionPool::max_idle} {}

    Loop& loop;
    EgressGuard egress;
    std::string ca_file;
    ConnectionPool connections;
    CurlLoop curl;
};

class Transfer final : CurlLoop::Ended, Loop::Timer, CancellationToken::Listener {
public:
    enum class Event { head, piece, tick, end };

    /// All outlive the transfer. Begins it.
    Transfer(HttpClient::Parts& parts, const HttpRequest& request, const HttpControl& control);
    ~Transfer() override;

    /// `co_await transfer.next()`: waits for the next event. The piece of the event before is
    /// dropped.
    auto next() {
        struct Awaiter {
            Transfer& transfer;
            std::optional<Event> event{};
            bool await_ready() {
                event = transfer.take_event();
                return event.has_value();
            }
            void await_suspend(std::coroutine_handle<> reader) { transfer.wait(reader); }
            Event await_resume() { return event ? *event : transfer.resumed(); }
        };
        go_on();
        return Awaiter{*this};
    }

    const HttpHead& head() { return head_.head(); }
    /// Gives the piece to on_body. When that wants no more and the rest is short and comes within
    /// `linger`, it is read and dropped, so that the connection can be kept; then comes Event::end.
    void hand_over();
    /// After the work that on_body has left; `goes_on`: as on_body returns.
    void worked(bool goes_on) {
        if (!goes_on) stop();
        hold_to_budget();
    }
    /// After the end.
    HttpResult result();

private:
    using Clock = Deadlines::Clock;
    enum class Given { nothing, head, piece };
    enum class State { outside, running, paused };

    void begin();
    bool may_begin();
    void set_options();
    void set_request();
    std::optional<Event> take_event();
    void go_on();
    void stop();
    void hold_to_budget();
    void wait(std::coroutine_handle<> reader);
    Event resumed();
    void wake();
    void end(HttpFailure failure);
    void set_time();

    void on_end(CURLcode code) override;
    CallBudget* budget() override { return control_.budget; }
    void on_work() override { hold_to_budget(); }
    void on_due() override;
    void on_cancelled() override;
    HttpFailure failure_of(CURLcode code) const;

    bool may_connect(const std::optional<Address>& address, std::uint16_t port);
    bool may_use(int local_port);
    bool was_sent() const;
    void take_header(std::string_view line);
    std::size_t take_body(std::string_view piece);
    std::size_t take_decoded(std::string_view piece);
    template <class Work>
    bool guarded(Work&& work) noexcept;

    static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);
    static int on_close(void* pool, curl_socket_t socket);
    static int on_request(void* self, char* address, char* local, int port, int local_port);
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);

    HttpClient::Parts& parts_;
    const HttpRequest& request_;
    const HttpControl& control_;
    ParsedUrl url_;
    LineList headers_; // outlives easy_, which points at it
    EasyHandle easy_;
    PooledConnection connection_;

    HeadReader head_;
    Deadlines deadlines_;
    Clock::time_point next_tick_;
    CallMemory::Part decoder_part_;
    std::unique_ptr<ContentDecoder> decoder_; ///< none: the body is as it is
    std::string unread_;                      ///< of the body
    CallMemory::Part unread_part_;
    std::coroutine_handle<> reader_;
    std::optional<HttpFailure> ended_;
    std::exception_ptr thrown_;
    Given given_ = Given::nothing; ///< `piece`: the reader has had `given_bytes_` of `unread_`
    std::size_t given_bytes_ = 0;
    State state_ = State::outside;   ///< among libcurl's transfers
    bool is_woken_ = false;          ///< the reader, by the loop
    bool opened_connection_ = false; ///< libcurl, for this call
    std::size_t body_bytes_ = 0;
};

} // namespace usershell::net
