// The deadlines of one call, by what has happened so far. Pure: the caller gives the time. For
// transfer.cpp only.
#pragma once

#include "net/http_client.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace usershell::net {

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

} // namespace usershell::net
