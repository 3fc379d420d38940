#include "fastcgi_client.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

namespace usershell::fcgi {

namespace {

char byte(std::size_t value) { return static_cast<char>(value & 0xffU); }

std::size_t number(char c) { return static_cast<unsigned char>(c); }

std::string length(std::size_t bytes) {
    if (bytes < 0x80) return {byte(bytes)};
    return {byte(bytes >> 24U | 0x80U), byte(bytes >> 16U), byte(bytes >> 8U), byte(bytes)};
}

std::string stream(std::uint8_t type, std::string_view content) {
    std::string records;
    for (; !content.empty(); content.remove_prefix(std::min<std::size_t>(content.size(), 32000)))
        records += record(type, 1, content.substr(0, 32000), 5);
    return records + record(type, 1, {});
}

} // namespace

std::string record(std::uint8_t type, std::uint16_t id, std::string_view content,
                   std::size_t padding) {
    std::string text{byte(1),
                     byte(type),
                     byte(id >> 8U),
                     byte(id),
                     byte(content.size() >> 8U),
                     byte(content.size()),
                     byte(padding),
                     byte(0)};
    return text.append(content).append(padding, '\0');
}

std::string begin_record(std::uint16_t id, std::uint8_t role) {
    return record(fastcgi::begin_request, id, std::string{byte(0), byte(role), 0, 0, 0, 0, 0, 0});
}

std::string name_value(std::string_view name, std::string_view value) {
    return length(name.size()) + length(value.size()) + std::string{name} + std::string{value};
}

std::string whole_request(const std::string& method, const std::string& uri,
                          const std::string& body, const Params& extra) {
    std::string params =
        name_value("REQUEST_METHOD", method) + name_value("REQUEST_URI", uri) +
        name_value("REMOTE_ADDR", "192.0.2.7") +
        name_value("CONTENT_LENGTH", body.empty() ? "" : std::to_string(body.size()));
    for (const auto& [name, value] : extra) params += name_value(name, value);
    return begin_record() + stream(fastcgi::params, params) + stream(fastcgi::standard_input, body);
}

int Reply::status() const {
    const std::string text = header("Status");
    return text.empty() ? 0 : std::stoi(text);
}

std::string Reply::header(std::string_view name) const {
    const std::string head = "\r\n" + output.substr(0, output.find("\r\n\r\n")) + "\r\n";
    const std::string wanted = "\r\n" + std::string{name} + ": ";
    const std::size_t at = head.find(wanted);
    if (at == std::string::npos) return {};
    BOOST_TEST(head.find(wanted, at + 1) == std::string::npos, "twice: " << name);
    const std::size_t start = at + wanted.size();
    return head.substr(start, head.find("\r\n", start) - start);
}

std::string Reply::body() const {
    const std::size_t end = output.find("\r\n\r\n");
    return end == std::string::npos ? "" : output.substr(end + 4);
}

Client::Client(const std::string& socket_path)
    : socket_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    const timeval patience{20, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    BOOST_REQUIRE(socket_path.size() < sizeof(address.sun_path));
    std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
    BOOST_REQUIRE_EQUAL(
        ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
}

/// The peer may close early, when it has read enough to refuse: that is for the reply to say.
void Client::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void Client::finish_sending() const { ::shutdown(socket_.get(), SHUT_WR); }

bool Client::read_bytes(std::size_t count) {
    while (pending_.size() < count) {
        std::array<char, 16384> piece{};
        const ssize_t got = ::recv(socket_.get(), piece.data(), piece.size(), 0);
        BOOST_REQUIRE_MESSAGE(got >= 0 || errno == ECONNRESET, "the worker does not answer");
        if (got <= 0) return false;
        pending_.append(piece.data(), static_cast<std::size_t>(got));
    }
    return true;
}

bool Client::read_record() {
    if (!read_bytes(8)) return false;
    const std::size_t content = number(pending_[4]) * 256 + number(pending_[5]);
    const std::size_t whole = 8 + content + number(pending_[6]);
    if (!read_bytes(whole)) return false;
    const auto type = static_cast<std::uint8_t>(number(pending_[1]));
    BOOST_TEST(number(pending_[3]) == 1U);
    if (type == fastcgi::standard_output) reply_.output += pending_.substr(8, content);
    if (type == fastcgi::end_request) reply_.ended = true;
    pending_.erase(0, whole);
    return true;
}

Reply Client::read_reply() {
    while (read_record()) {
    }
    return reply_;
}

void Client::read_until(std::string_view text) {
    while (reply_.output.find(text) == std::string::npos)
        BOOST_REQUIRE_MESSAGE(read_record(), "the answer ends without " << text);
}

Reply ask(const std::string& socket_path, const std::string& method, const std::string& uri,
          const std::string& body, const Params& extra) {
    Client client{socket_path};
    client.send(whole_request(method, uri, body, extra));
    return client.read_reply();
}

} // namespace usershell::fcgi
