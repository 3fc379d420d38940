// Serves one connection from its first byte to its last: request records, application, response. A
// response is written by the thread that serves the request, or later on the application's loop.
#pragma once

#include "base/error.hpp"
#include "fcgi/libfcgi.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/loop.hpp"
#include "web/message.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace usershell::fcgi {

/// The program that the worker serves. Many threads call it at once.
struct Application {
    /// The whole response to one request, or an AsyncResponse. Neither throws.
    std::function<web::Response(const web::Request&)> serve;
    /// The response to a malformed request, in the form that the client accepts. Does not throw.
    std::function<web::Response(const Refusal&, const web::Request&)> refuse;
    /// The event loop on which later responses are made; null in a program that has none. It must
    /// run as long as any of them is pending.
    Loop* loop = nullptr;
    /// May a request with that path and query be served before its body is read? By the stream of
    /// its response, which needs the loop. Empty: none.
    ReadsLate reads_late{};
    /// The lane of a request that has cookies and nothing else: requests of one lane take at most
    /// half of the threads. Empty: there are no lanes.
    std::function<std::string(const web::Request&)> lane{};
};

struct ConnectionLimits {
    RecordLimits records{};
    std::chrono::milliseconds stall{30'000}; ///< for a client to take a piece of a later response
    /// In which a late body brings 100 KiB, or ends.
    std::chrono::milliseconds body_interval{10'000};
};

/// Counts the answers that are still being made on the event loop, after their request's thread has
/// been freed. Any thread.
class Pending {
public:
    /// Counts as one pending answer as long as it lives.
    class One {
    public:
        explicit One(Pending& all) : all_{all} {
            const std::scoped_lock lock{all_.mutex_};
            ++all_.count_;
        }
        ~One() {
            const std::scoped_lock lock{all_.mutex_};
            if (--all_.count_ == 0) all_.none_.notify_all();
        }
        One(const One&) = delete;
        One& operator=(const One&) = delete;

    private:
        Pending& all_;
    };

    /// Waits until there is none: true; false when that takes longer than `timeout`.
    bool wait_none(std::chrono::milliseconds timeout) {
        std::unique_lock lock{mutex_};
        return none_.wait_for(lock, timeout, [this] { return count_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable none_;
    std::size_t count_ = 0;
};

/// The request of a connection. Null when it does not reach the application, which is logged. Any
/// thread may call it.
std::optional<RequestRecords> receive(int connection, const ConnectionLimits& limits,
                                      const Application& application) noexcept;

/// The lane of a request, by its cookies; empty: none.
std::string lane_of(const RequestRecords& records, const Application& application) noexcept;

/// Answers a request that was received. A later response counts as pending until it has been sent.
/// Any thread may call it.
void respond(Descriptor connection, RequestRecords records, const ConnectionLimits& limits,
             const Application& application, Pending& pending) noexcept;

} // namespace usershell::fcgi
