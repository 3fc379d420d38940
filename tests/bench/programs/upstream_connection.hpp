// A connection of the provider that the bench calls: reads requests, answers each with a stream of
// tokens in OpenAI's format, at the pace that the request's path names. Never blocks. Owned by the
// loop; one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace usershell::bench {

using Clock = std::chrono::steady_clock;

class UpstreamConnection {
public:
    explicit UpstreamConnection(int descriptor) : descriptor_{descriptor} {}
    ~UpstreamConnection();
    UpstreamConnection(const UpstreamConnection&) = delete;
    UpstreamConnection& operator=(const UpstreamConnection&) = delete;

    /// Bytes have come. False: the peer has gone, or sent what is no request; forget the
    /// connection.
    bool on_input();
    /// A token is due. False as above.
    bool on_time();
    /// When the next token is due; nothing while no answer is under way.
    std::optional<Clock::time_point> due() const { return due_; }

private:
    bool begin_answer();
    bool write(const std::string& chunk) const;

    int descriptor_;
    std::string input_;
    std::optional<Clock::time_point> due_;
    int tokens_left_ = 0;
    std::chrono::milliseconds pause_{};
};

} // namespace usershell::bench
