// One HTTP request and its answer: what libcurl's callbacks work on. For http_client.cpp only.
// Lives for one perform(), in one thread.
#pragma once

#include "net/connection_pool.hpp"
#include "net/curl.hpp"
#include "net/deadlines.hpp"
#include "net/egress_guard.hpp"
#include "net/head_reader.hpp"
#include "net/http_client.hpp"

#include <exception>
#include <optional>

namespace usershell::net {

class Transfer {
public:
    /// All outlive the transfer.
    Transfer(EgressGuard& egress, const HttpRequest& request, const HttpControl& control);

    HttpResult run(ConnectionPool& connections, const std::string& ca_file);

private:
    using Clock = Deadlines::Clock;

    bool prepare(const std::string& ca_file);
    void set_options(const std::string& ca_file);
    void set_request();
    void drive(PooledConnection& connection);
    void wait(CURLM* multi);
    void check_time();
    void end(HttpFailure failure);
    void end_by_code(CURLcode code);
    bool caller_gone() const;
    bool must_end();

    bool may_connect(const std::optional<Address>& address, std::uint16_t port);
    bool was_sent() const;
    void take_header(std::string_view line);
    bool take_body(std::string_view piece);
    template <class Work>
    bool guarded(Work&& work) noexcept;

    static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);
    static int on_request(void* self, char* address, char* local, int port, int local_port);
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);

    EgressGuard& egress_;
    const HttpRequest& request_;
    const HttpControl& control_;
    ParsedUrl url_;
    LineList headers_; // outlives easy_, which points at it
    EasyHandle easy_;

    HeadReader head_;
    Deadlines deadlines_;
    Clock::time_point next_tick_;
    Clock::time_point next_look_; ///< at what must end the call between two pieces
    std::optional<HttpFailure> ended_;
    std::exception_ptr thrown_;
    bool body_begun_ = false;
    bool stopped_ = false; ///< by the body's reader
    std::size_t body_bytes_ = 0;
};

} // namespace usershell::net
