#include "opener/wire/client.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "opener/wire/transfer.hpp"
#include "runtime/listener.hpp"
#include "runtime/stall_watch.hpp"

#include <optional>
#include <utility>

namespace usershell::opener {

// An opener that ends without a whole answer is asked once more; the question then waits for the
// next one. To begin a call twice under one id is to begin it once.
Answer Client::ask(const Question& question) {
    assert_may_wait("usershell-opener");
    constexpr int attempts = 2;
    const WipedString bytes = encoded(question);
    const auto deadline = std::chrono::steady_clock::now() + limit_;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const Descriptor socket = connect_to(socket_);
        if (!socket || !send_message(socket.get(), bytes, deadline)) continue;
        auto answer = receive_message(socket.get(), max_answer, deadline);
        try {
            if (answer) return Answer{*std::move(answer)};
        } catch (const Malformed&) { // cut short
        }
    }
    log(Level::warning, "opener unavailable");
    throw service_is_busy();
}

} // namespace usershell::opener
