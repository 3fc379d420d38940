#include "upstream_connection.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include <sys/socket.h>
#include <unistd.h>

namespace usershell::bench {
namespace {

std::string chunk(const std::string& text) {
    std::ostringstream chunk;
    chunk << std::hex << text.size() << "\r\n" << text << "\r\n";
    return chunk.str();
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

struct Pace {
    int tokens = 0;
    int pause = 0; ///< between them, in milliseconds
};

/// Of a request that begins with "POST /40x25/".
std::optional<Pace> pace_of(std::string_view request) {
    constexpr std::string_view begin = "POST /";
    if (!request.starts_with(begin)) return std::nullopt;
    Pace pace;
    const char* const end = request.data() + request.size();
    const auto tokens = std::from_chars(request.data() + begin.size(), end, pace.tokens);
    if (tokens.ec != std::errc{} || tokens.ptr == end || *tokens.ptr != 'x') return std::nullopt;
    const auto pause = std::from_chars(tokens.ptr + 1, end, pace.pause);
    if (pause.ec != std::errc{} || pause.ptr == end || *pause.ptr != '/') return std::nullopt;
    return pace;
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
    const auto pace = pace_of(input_);
    if (!pace) return false;
    input_.erase(0, size);
    tokens_left_ = pace->tokens;
    pause_ = std::chrono::milliseconds{pace->pause};
    due_ = Clock::now() + pause_;
    return write(head);
}

bool UpstreamConnection::on_time() {
    *due_ += pause_;
    if (--tokens_left_ > 0) return write(token);
    due_.reset();
    return write(token + end) && begin_answer();
}

bool UpstreamConnection::write(const std::string& bytes) const {
    // A token that a caller does not take is lost: one that reads a hundred tokens behind ends
    // with a broken answer, and is counted so.
    const auto sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(bytes.size());
}

} // namespace usershell::bench
