// A run of the load client: many connections to one server, kept busy from one thread.
#pragma once

#include "load_connection.hpp"
#include "load_options.hpp"
#include "load_report.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include <openssl/ssl.h>

namespace usershell::bench {

class LoadRun {
public:
    /// `options` outlive it. Throws std::exception when the authority can't be read.
    explicit LoadRun(const LoadOptions& options);
    ~LoadRun();
    LoadRun(const LoadRun&) = delete;
    LoadRun& operator=(const LoadRun&) = delete;

    /// Call once. Prints "open" on a line of its own when the answers of all connections have
    /// begun.
    LoadReport run();

private:
    struct FreeTls {
        void operator()(SSL_CTX* tls) const { SSL_CTX_free(tls); }
    };

    void connect_all();
    void open_what_is_due();
    void open(std::size_t connection);
    void send(std::size_t connection);
    void wait();
    void serve(std::size_t connection);
    void note_open();
    void take_answer(std::size_t connection);
    void note_times(const LoadConnection& connection);
    void go_on(std::size_t connection);
    void lose(std::size_t connection, LoadConnection::State before);
    bool is_time() const;
    bool is_quiet() const;
    bool is_over() const;

    const LoadOptions& options_;
    std::unique_ptr<SSL_CTX, FreeTls> tls_;
    int epoll_;
    std::vector<std::unique_ptr<LoadConnection>> connections_;
    LoadReport report_;
    bool has_begun_ = false;
    Clock::time_point begun_{};
    std::size_t opened_ = 0;        ///< the first so many have been opened
    std::size_t connecting_ = 0;    ///< of them
    std::size_t under_way_ = 0;     ///< requests without a whole answer yet
    std::size_t streaming_ = 0;     ///< of them: with status 200
    std::vector<std::size_t> sent_; ///< requests a connection, with `rotate`
    bool told_ = false;
};

} // namespace usershell::bench
