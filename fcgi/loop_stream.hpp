// Sends a response on the event loop without ever blocking: bytes that the web server does not take
// yet are kept. writable() is set while the client keeps up; cancellation() is cancelled when it
// has gone. Decision 0012.
//
// That event and the call's memory bound what is kept: writers wait for the one between pieces, and
// each piece is reserved in the other before it is kept. A stream whose memory is lost sends what
// its client takes; a client that leaves much unread then counts as gone. So does one that takes no
// byte for `stall_after`. In the loop's thread only.
#pragma once

#include "base/wiping.hpp"
#include "fcgi/records.hpp"
#include "fcgi/response.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/loop.hpp"
#include "runtime/signals.hpp"
#include "web/message.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::fcgi {

class LoopStream final : public web::Stream,
                         Loop::Watcher,
                         Loop::Timer,
                         Loop::Deferred,
                         CancellationToken::Listener {
public:
    struct Origin {
        std::uint16_t record_id = 0; ///< FastCGI's
        std::string request_id;      ///< X-Request-Id
        bool is_head = false;        ///< a HEAD request: no body is sent
        bool is_late = false;        ///< the request's body is still to be read
        WipedString early{};         ///< of a late body: what has been received of its records
    };

    /// writable() is reset at `max_unread` bytes that the client has not read, and set again at
    /// `few_unread`.
    static constexpr std::size_t max_unread = std::size_t{64} * 1024;
    static constexpr std::size_t few_unread = std::size_t{16} * 1024;

    /// Any thread. `body_interval`: as in ConnectionLimits.
    LoopStream(Loop& loop, Descriptor connection, Origin origin,
               std::chrono::milliseconds stall_after, std::chrono::milliseconds body_interval);
    ~LoopStream() override;

    /// From now on the stream notices when the client goes away.
    void attach();

    void begin(const web::Response& head) override;
    bool write(std::string_view bytes) override;
    void counts_in(std::shared_ptr<CallMemory> memory) override;
    Task<web::BodyEnd> read_body(web::TakeBody take) override;
    AsyncEvent& writable() override { return writable_; }
    CancellationToken& cancellation() override { return cancellation_; }

    bool begun() const { return begun_; }

    /// The whole response. False when there is no memory for it. Throws BadHead. Nothing is sent
    /// then.
    bool send(const web::Response& response);
    /// Ends the response with FastCGI's end records; the task ends when the web server has taken
    /// everything, or has gone. The rest of a late body is read and dropped before that, so that
    /// the web server is not disturbed while it sends.
    Task<> finish();
    /// Ends the response without the end records, so that the web server sees that it is
    /// incomplete. Sends what can be sent at once.
    void cut() { flush(); }

private:
    /// A late body while it is read.
    struct LateBody {
        web::TakeBody take;
        std::size_t bytes = 0; ///< since the last look at how fast they come
        std::optional<web::BodyEnd> end{};
    };
    void receive();
    void take_body(std::string_view records);
    void end_body(web::BodyEnd end);
    bool append(std::string_view bytes);
    bool may_keep(std::size_t bytes);
    bool is_lost() const { return memory_ && memory_->is_lost(); }
    void flush();
    void leave();
    void set_watch();

    void on_ready(int descriptor, std::uint32_t events) override;
    void on_due() override;
    void on_deferred() override;
    void on_cancelled() override;

    Loop& loop_;
    Descriptor connection_;
    Origin origin_;
    ResponseRecords records_; ///< to be sent
    std::shared_ptr<CallMemory> memory_;
    CallMemory::Part part_; ///< of `records_`
    std::chrono::milliseconds stall_after_;
    std::chrono::milliseconds body_interval_;
    AsyncEvent writable_;
    AsyncEvent drained_;
    AsyncEvent body_ended_;
    RecordReader body_reader_;       ///< goes on where an earlier read_body() stopped
    std::unique_ptr<LateBody> body_; ///< while it is read
    CancellationToken cancellation_;
    std::uint32_t watched_ = 0;
    bool begun_ = false;
    bool is_sent_ = false; ///< the whole response
    bool client_gone_ = false;
};

} // namespace usershell::fcgi
