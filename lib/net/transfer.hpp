// One HTTP request and its answer: the state that libcurl's callbacks work on. For http_client.cpp
// only. Lives for one perform(), in one thread.
#pragma once

#include "net/curl.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <exception>
#include <optional>

namespace usershell::net {

class Transfer {
public:
    /// All three outlive the transfer.
    Transfer(const EgressPolicy& policy, const HttpRequest& request, const HttpControl& control);

    /// `share` holds DNS and TLS sessions of all threads; `multi` is this thread's.
    HttpResult run(CURLM* multi, CURLSH* share, const std::string& ca_file);

private:
    using Clock = std::chrono::steady_clock;
    struct Deadline {
        Clock::time_point when;
        std::string_view what;
    };

    bool prepare(CURLSH* share, const std::string& ca_file);
    void set_options(CURLSH* share, const std::string& ca_file);
    void set_request();
    void add_headers();
    void drive(CURLM* multi);
    void wait(CURLM* multi);
    void keep_time();
    Deadline deadline() const;
    void end(HttpFailure failure, std::string_view detail);
    void end_by_code(CURLcode code);
    bool caller_gone() const;

    bool permits(const std::optional<Address>& address, std::uint16_t port);
    void take_header(std::string_view line);
    bool take_body(std::string_view piece);
    template <class Work>
    bool guarded(Work&& work) noexcept;

    static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);
    static int on_request(void* self, char* address, char* local, int port, int local_port);
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);

    const EgressPolicy& policy_;
    const HttpRequest& request_;
    const HttpControl& control_;
    ParsedUrl url_;
    LineList headers_; // outlives easy_, which points at it
    EasyHandle easy_;

    HttpResult result_;
    std::optional<HttpFailure> ended_;
    std::exception_ptr thrown_;
    bool connected_ = false;
    bool headers_done_ = false;
    bool enough_ = false;
    std::size_t header_bytes_ = 0;
    std::size_t body_bytes_ = 0;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_piece_ = start_;
    Clock::time_point next_tick_ = start_;
};

} // namespace usershell::net
