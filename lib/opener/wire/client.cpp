#include "opener/wire/client.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "opener/wire/packets.hpp"
#include "runtime/listener.hpp"
#include "runtime/stall_watch.hpp"

#include <utility>

namespace usershell::opener {

// The opener may have been restarted since a connection was last used. That shows when a request is
// sent or its answer awaited; so the request is made once more, and then on a new connection, since
// all others of that time are gone, too. To begin a call twice under one id is to begin it once.

class Client::Loan {
public:
    /// Waits until `deadline` for a connection to be free. Throws Refusal unavailable.
    Loan(Client& all, Clock::time_point deadline) : all_{all} {
        std::unique_lock lock{all_.mutex_};
        const auto is_free = [this] { return all_.lent_ < all_.most_; };
        if (!all_.freed_.wait_until(lock, deadline, is_free)) throw service_is_busy();
        ++all_.lent_;
        if (all_.idle_.empty()) return;
        socket_ = std::move(all_.idle_.back());
        all_.idle_.pop_back();
    }
    ~Loan() {
        {
            const std::scoped_lock lock{all_.mutex_};
            --all_.lent_;
            if (may_stay) all_.idle_.push_back(std::move(socket_)); // there is room for all
        }
        all_.freed_.notify_one();
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    bool is_new() const { return !socket_; }
    /// A new connection in place of the lost one and of all that are idle.
    void connect() {
        {
            const std::scoped_lock lock{all_.mutex_};
            all_.idle_.clear();
        }
        socket_ = connect_to(all_.socket_, Transport::packets);
    }
    int fd() const { return socket_.get(); }

    bool may_stay = false;

private:
    Client& all_;
    Descriptor socket_;
};

Client::Client(std::string socket, std::size_t connections, std::chrono::milliseconds limit)
    : socket_{std::move(socket)},
      most_{connections},
      limit_{limit} {
    idle_.reserve(connections);
}

/// Null when there is none in time.
std::optional<WipedString> Client::answer_to(std::string_view request) {
    assert_may_wait("usershell-opener");
    const auto deadline = Clock::now() + limit_;
    Loan loan{*this, deadline};
    WipedString answer;
    const auto exchange = [&] {
        return send_request(loan.fd(), request) && receive_answer(loan.fd(), answer, deadline);
    };
    if (!loan.is_new() && exchange()) {
        loan.may_stay = true;
    } else if (Clock::now() < deadline) {
        loan.connect();
        loan.may_stay = exchange();
    }
    if (!loan.may_stay) return std::nullopt;
    return answer;
}

template <class Kind>
std::optional<Kind> Client::ask(const Request& request) {
    const auto bytes = answer_to(encoded(request));
    if (!bytes) {
        log(Level::warning, "opener unavailable");
        throw service_is_busy();
    }
    Answer answer = read_answer(*bytes);
    if (auto* const found = std::get_if<std::optional<Kind>>(&answer)) return std::move(*found);
    const auto* const trouble = std::get_if<Trouble>(&answer);
    if (trouble == nullptr) throw Malformed{};
    if (*trouble == Trouble::unavailable) throw service_is_busy();
    throw Error{"The opener has failed; its log says why."};
}

std::optional<CallStart> Client::begin_call(const BeginCall& request) {
    auto start = ask<CallStart>(request);
    if (start) start->caller.calls_token_hash = request.calls_token_hash;
    return start;
}

std::optional<TokenCallStart> Client::begin_token_call(const BeginTokenCall& request) {
    return ask<TokenCallStart>(request);
}

std::optional<LoadedProvider> Client::load_provider(const LoadProvider& request) {
    return ask<LoadedProvider>(request);
}

std::optional<FoundKey> Client::next_key(const NextKey& request) { return ask<FoundKey>(request); }

} // namespace usershell::opener
