// How usershell-execute asks usershell-opener. Each question has a connection of its own, which
// waits in the socket's backlog for a thread of the opener. Waits for the answer, so it is for
// threads that may wait. Thread-safe.
#pragma once

#include "opener/wire/protocol.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace usershell::opener {

/// Asks the opener.
class Asker {
public:
    Asker() = default;
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;
    virtual ~Asker() = default;

    /// Throws Refusal unavailable (503, Retry-After: 1) when the opener or its store does not
    /// answer in time, and Error for a fault that the opener's log has.
    virtual Answer ask(const Question& question) = 0;
};

class Client final : public Asker {
public:
    /// `limit`: of a whole question.
    Client(std::string socket, std::chrono::milliseconds limit)
        : socket_{std::move(socket)},
          limit_{limit} {}

    Answer ask(const Question& question) override;

private:
    const std::string socket_;
    const std::chrono::milliseconds limit_;
};

} // namespace usershell::opener
