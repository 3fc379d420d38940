#include "upstream_connection.hpp"

#include <array>
#include <cerrno>
#include <cstdio>

#include <sys/socket.h>
#include <unistd.h>

namespace usershell::bench {
namespace {

std::string chunk(const std::string& text) {
    std::array<char, 16> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", text.size());
    return size.data() + text + "\r\n";
}

std::string event(const std::string& delta, const std::string& finish) {
    return R"(data: {"id":"bench","object":"chat.completion.chunk","created":1,"model":"bench",)"
           R"("choices":[{"index":0,"delta":)" +
           delta + R"(,"finish_reason":)" + finish + "}]}\n\n";
}

const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n";
const std::string token = chunk(event(R"({"content":"token "})", "null"));
const std::string end = chunk(event("{}", R"("stop")") + "data: [DONE]\n\n") + "0\r\n\r\n";

/// Bytes of the first whole request in `input`; 0: more is to come.
std::size_t request_size(const std::string& input) {
    const auto head_end = input.find("\r\n\r\n");
    if (head_end == std::string::npos) return 0;
    std::size_t length = 0;
    for (const char* name : {"\r\nContent-Length: ", "\r\ncontent-length: "}) {
        const auto at = input.find(name);
        if (at < head_end) length = std::strtoul(input.c_str() + at + 18, nullptr, 10);
    }
    const std::size_t size = head_end + 4 + length;
    return size <= input.size() ? size : 0;
}

} // namespace

UpstreamConnection::~UpstreamConnection() { close(descriptor_); }

bool UpstreamConnection::on_input() {
    std::array<char, 16'384> buffer{};
    for (;;) {
        const auto size = recv(descriptor_, buffer.data(), buffer.size(), 0);
        if (size < 0 && errno == EAGAIN) break;
        if (size <= 0) return false;
        input_.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return due_ || begin_answer();
}

bool UpstreamConnection::begin_answer() {
    const std::size_t size = request_size(input_);
    if (size == 0) return true;
    int tokens = 0;
    int pause = 0;
    if (std::sscanf(input_.c_str(), "POST /%dx%d/", &tokens, &pause) != 2) return false;
    input_.erase(0, size);
    tokens_left_ = tokens;
    pause_ = std::chrono::milliseconds{pause};
    due_ = Clock::now() + pause_;
    return write(head);
}

bool UpstreamConnection::on_time() {
    *due_ += pause_;
    if (--tokens_left_ > 0) return write(token);
    due_.reset();
    return write(token + end) && begin_answer();
}

bool UpstreamConnection::write(const std::string& bytes) {
    // Whatever a caller does not take is lost to it: one that reads a hundred tokens behind ends
    // with a broken answer, and is counted so.
    const auto sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(bytes.size());
}

} // namespace usershell::bench
