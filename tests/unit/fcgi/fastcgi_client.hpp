// A FastCGI client as small as the tests need: it writes records by hand, so that it can also write
// them wrongly. Reads give up after 20 s with a failed test.
#pragma once

#include "base/descriptor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::fcgi {

using Params = std::vector<std::pair<std::string, std::string>>;

namespace fastcgi {
constexpr std::uint8_t begin_request = 1;
constexpr std::uint8_t abort_request = 2;
constexpr std::uint8_t end_request = 3;
constexpr std::uint8_t params = 4;
constexpr std::uint8_t standard_input = 5;
constexpr std::uint8_t standard_output = 6;
constexpr std::uint8_t get_values = 9;
} // namespace fastcgi

std::string record(std::uint8_t type, std::uint16_t id, std::string_view content,
                   std::size_t padding = 0);
std::string begin_record(std::uint16_t id = 1, std::uint8_t role = 1);
std::string name_value(std::string_view name, std::string_view value);

/// All the records of a request. CONTENT_LENGTH and the usual parameters are added; `extra` comes
/// last.
std::string whole_request(const std::string& method, const std::string& uri,
                          const std::string& body = {}, const Params& extra = {});

struct Reply {
    bool ended = false; ///< FCGI_END_REQUEST came
    std::string output; ///< all of FCGI_STDOUT

    int status() const;
    /// "" when missing. Fails the test when it stands twice.
    std::string header(std::string_view name) const;
    std::string body() const;
};

class Client {
public:
    explicit Client(const std::string& socket_path);

    void send(std::string_view bytes) const;
    /// No more will be sent.
    void finish_sending() const;
    /// Reads up to the end of the connection.
    Reply read_reply();
    /// Reads until the output has this text in it.
    void read_until(std::string_view text);
    void close() { socket_.reset(); }

private:
    bool read_record();
    bool read_bytes(std::size_t count);

    Descriptor socket_;
    std::string pending_;
    Reply reply_;
};

/// One request, one reply.
Reply ask(const std::string& socket_path, const std::string& method, const std::string& uri,
          const std::string& body = {}, const Params& extra = {});

} // namespace usershell::fcgi
