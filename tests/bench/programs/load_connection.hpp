// One connection of the load client, with or without TLS: sends a request, reads its answer, says
// what happened. Never blocks. Owned by the loop that calls on_event(); one thread.
#pragma once

#include "load_report.hpp"
#include "response_reader.hpp"

#include <memory>
#include <string>

#include <openssl/ssl.h>

namespace usershell::bench {

class LoadConnection {
public:
    enum class State { connecting, idle, waiting, answered, lost };

    LoadConnection(const Marks& marks, int port, SSL_CTX* tls);
    ~LoadConnection();
    LoadConnection(const LoadConnection&) = delete;
    LoadConnection& operator=(const LoadConnection&) = delete;

    int descriptor() const { return descriptor_; }
    State state() const { return state_; }
    /// The socket may be read or written. Afterwards state() is `idle` once connected, `answered`
    /// when the whole answer is there.
    void on_event();
    /// In state idle or answered only. `request` outlives the answer.
    void send(const std::string& request);

    const ResponseReader& answer() const { return answer_; }
    Clock::time_point sent_at() const { return sent_at_; }
    /// Of the first token; the epoch when none has come.
    Clock::time_point first_at() const { return first_at_; }

private:
    struct Free {
        void operator()(SSL* tls) const { SSL_free(tls); }
    };

    void connect();
    void read();
    /// Bytes read or written; 0: not now; -1: lost.
    int read_some(char* into, int size);
    int write_some(const char* from, int size);
    int outcome(int result);
    void flush();

    std::unique_ptr<SSL, Free> tls_;
    int descriptor_;
    State state_ = State::connecting;
    ResponseReader answer_;
    const std::string* request_ = nullptr;
    std::size_t written_ = 0;
    Clock::time_point sent_at_{};
    Clock::time_point first_at_{};
};

} // namespace usershell::bench
