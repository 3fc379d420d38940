// One request on one connection, by libfcgi. The only file besides worker.cpp that knows libfcgi.
//
// How libfcgi is used: FCGX_InitRequest(&r, -1, 0) with ipcFd set to a memory file that holds the
// request as records.hpp let it through, and keepConnection set so that FCGX_Accept_r serves that
// instead of accepting; once the request is read, ipcFd is the connection, to which the answer
// goes. The connection stays ours: it is closed by our own Descriptor, once.
#pragma once

#include "base/descriptor.hpp"
#include "base/wiping.hpp"
#include "fcgi/records.hpp"

#include <fcgiapp.h>

#include <string_view>
#include <utility>

namespace usershell::fcgi {

/// Used by one thread. FCGX_Init must have run.
class Exchange {
public:
    /// Throws std::runtime_error when the request can't be handed to libfcgi.
    Exchange(Descriptor connection, const RequestRecords& request);
    /// Closes the connection; without finish() the web server sees a broken answer.
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// "NAME=value" strings, ended by a nullptr; valid as long as the Exchange.
    const char* const* params() const { return request_.envp; }
    WipedString take_body() { return std::move(body_); }
    int connection() const { return connection_.get(); }

    /// Queues a piece of the answer. After a failure it does nothing.
    void write(std::string_view bytes);
    /// Sends what is queued; false when the peer has gone or does not read.
    bool flush();
    /// Sends the rest and says that the answer is whole; false when it did not get through.
    bool finish();
    /// errno of the first failure, 0 when there was none.
    int failure() const { return failure_; }

private:
    void begin(int source);
    void read_body(std::size_t size);
    void note_failure();

    Descriptor connection_;
    FCGX_Request request_{};
    WipedString body_;
    int failure_ = 0;
};

} // namespace usershell::fcgi
