// Hand-made requests, a recording stream, an unreachable store, the log as a text.
#pragma once
#include "crypto/token.hpp"
#include "pages/templates.hpp"
#include "tests/unit/test.hpp"
#include "web/message.hpp"
#include <initializer_list>
namespace usershell::test {
using Headers = std::initializer_list<std::pair<std::string, std::string>>;
/// `target`: path and query.
web::Request request(web::Method method, std::string_view target, Headers headers = {},
                     const std::string& body = {});
std::vector<std::string> header(const web::Response& response, std::string_view name);
/// The header's only value; "" when there is none, "(several)" when there are more.
std::string only_header(const web::Response& response, std::string_view name);
/// A client that takes everything, or is gone after `pieces`.
struct Recorder : public web::Stream {
    explicit Recorder(std::size_t pieces = static_cast<std::size_t>(-1)) : pieces_{pieces} {}
    void begin(const web::Response& head) override;
    bool write(std::string_view bytes) override;
    AsyncEvent& writable() override { return writable_; }
    CancellationToken& cancellation() override { return cancellation_; }
    std::vector<web::Response> heads;
    std::string sent;
    std::size_t pieces_;
    Loop loop_;
    AsyncEvent writable_{loop_};
    CancellationToken cancellation_;
};
/// A libpq string that no server answers to; nothing on a network is asked.
inline constexpr const char* no_store = "host=/nonexistent/usershell dbname=none";
/// Captures the log during its life: standard error is redirected into an unlinked file.
struct CapturedLog : boost::noncopyable {
    CapturedLog();
    ~CapturedLog();
    std::string text() const;
    int file_, before_;
};
} // namespace usershell::test
