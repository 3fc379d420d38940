// Runs libcurl's transfers on an event loop, by its multi-socket interface: libcurl says which
// descriptors and times it waits for, and is called when one of them is due. In the loop's thread
// only. For lib/net only.
#pragma once

#include "net/curl.hpp"
#include "runtime/call_memory.hpp"
#include "runtime/loop.hpp"

#include <unordered_map>

namespace usershell::net {

class CurlLoop final : Loop::Watcher, Loop::Timer {
public:
    /// Called when a transfer has ended; CURLOPT_PRIVATE of the easy handle points at it. on_end()
    /// is called outside of libcurl's callbacks, but must not add a transfer.
    class Ended {
    public:
        virtual void on_end(CURLcode code) = 0;
        /// For the work of libcurl for an event of the transfer; null: it counts for no call.
        virtual CallBudget* budget() = 0;
        /// After such work.
        virtual void on_work() = 0;

    protected:
        ~Ended() = default;
    };

    /// `max_idle`: connections kept besides those in use; then libcurl closes the one that has been
    /// idle longest.
    CurlLoop(Loop& loop, long max_idle);
    ~CurlLoop() override = default;

    /// Begins the transfer: from now on libcurl calls the handle's callbacks.
    void add(CURL* easy);
    /// Ends the transfer, however far it has come.
    void remove(CURL* easy);

private:
    void on_ready(int descriptor, std::uint32_t events) override;
    void on_due() override;
    void act(curl_socket_t socket, int events);
    void limit_connections();

    static int on_socket(CURL* easy, curl_socket_t socket, int wanted, void* self, void* known);
    static int on_timer(CURLM* multi, long milliseconds, void* self);

    Loop& loop_;
    long max_idle_;
    long transfers_ = 0;
    std::unordered_map<curl_socket_t, Ended*> owners_; ///< of the sockets that libcurl watches
    MultiHandle multi_;                                ///< last: its end still calls on_socket()
};

} // namespace usershell::net
