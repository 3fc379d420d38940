#include "fcgi/records.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include <poll.h>
#include <sys/socket.h>

namespace usershell::fcgi {

namespace {

using Clock = std::chrono::steady_clock;

enum RecordType : std::uint8_t { begin_request = 1, params = 4, standard_input = 5 };

constexpr std::uint8_t version = 1;
constexpr std::size_t header_bytes = 8;
constexpr std::size_t begin_bytes = 8;
constexpr std::uint8_t responder = 1;
constexpr std::size_t max_content = 65528; ///< a multiple of 8 below 2^16

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
}

std::uint16_t pair_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint16_t>(byte_at(bytes, at) * 256U + byte_at(bytes, at + 1));
}

struct Record {
    std::uint8_t type;
    std::uint16_t id;
    std::string_view content; ///< valid until the next record is read
};

/// Takes records off a socket, one at a time.
class RecordReader {
public:
    RecordReader(int connection, Clock::time_point deadline)
        : connection_{connection},
          deadline_{deadline} {}

    /// False when the peer closes before it has sent a byte.
    bool said_something() { return fill(1); }

    Record next() {
        take(used_);
        need(header_bytes);
        const std::string_view header = pending();
        if (byte_at(header, 0) != version) throw BadRecords{"unknown FastCGI version"};
        const std::size_t content = pair_at(header, 4);
        used_ = header_bytes + content + byte_at(header, 6);
        need(used_);
        const std::string_view whole = pending();
        return {byte_at(whole, 1), pair_at(whole, 2), whole.substr(header_bytes, content)};
    }

private:
    std::string_view pending() const { return std::string_view{buffer_}.substr(start_); }

    void take(std::size_t bytes) {
        start_ += bytes;
        used_ = 0;
        if (start_ < buffer_.size() / 2) return;
        buffer_.erase(0, start_);
        start_ = 0;
    }

    void need(std::size_t bytes) {
        if (!fill(bytes)) throw BadRecords{"the request ends early"};
    }

    /// True once so many bytes are pending; false at the end of what is sent.
    bool fill(std::size_t bytes) {
        while (pending().size() < bytes) {
            wait();
            std::array<char, 16384> piece; // NOLINT(*-member-init): recv fills it
            const ssize_t count = ::recv(connection_, piece.data(), piece.size(), MSG_DONTWAIT);
            if (count == 0) return false;
            if (count > 0)
                buffer_.append(piece.data(), static_cast<std::size_t>(count));
            else if (errno == ECONNRESET)
                return false;
            else if (errno != EAGAIN && errno != EINTR)
                throw BadRecords{"the connection broke"};
        }
        return true;
    }

    void wait() const {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
        pollfd watched{connection_, POLLIN, 0};
        const int ready = left > 0 ? ::poll(&watched, 1, static_cast<int>(left)) : 0;
        if (ready == 0) throw BadRecords{"the request did not arrive in time"};
    }

    int connection_;
    Clock::time_point deadline_;
    std::string buffer_;
    std::size_t start_ = 0; ///< of what is pending in buffer_
    std::size_t used_ = 0;  ///< bytes of the record given out last
};

std::uint16_t read_begin(RecordReader& reader) {
    const Record record = reader.next();
    if (record.type != begin_request || record.id == 0 || record.content.size() != begin_bytes)
        throw BadRecords{"no proper FCGI_BEGIN_REQUEST"};
    if (pair_at(record.content, 0) != responder) throw BadRecords{"a role other than responder"};
    return record.id;
}

/// Gives the content of each record of a stream to `keep`, up to the empty one that ends it.
template <class Keep>
void read_stream(RecordReader& reader, std::uint16_t id, RecordType type, Keep keep) {
    for (;;) {
        const Record record = reader.next();
        if (record.type != type || record.id != id) throw BadRecords{"a record out of place"};
        if (record.content.empty()) return;
        keep(record.content);
    }
}

/// A length of one byte, or of four with the highest bit set (FastCGI 1.0, 3.4).
std::size_t take_length(std::string_view& bytes) {
    if (bytes.empty()) throw BadRecords{"a parameter is cut short"};
    const bool is_long = byte_at(bytes, 0) >= 0x80;
    if (is_long && bytes.size() < 4) throw BadRecords{"a parameter is cut short"};
    const std::size_t length =
        is_long ? (pair_at(bytes, 0) & 0x7fffU) * 65536UL + pair_at(bytes, 2) : byte_at(bytes, 0);
    bytes.remove_prefix(is_long ? 4 : 1);
    return length;
}

void check_params(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t name = take_length(bytes);
        const std::size_t value = take_length(bytes);
        if (name > bytes.size() || value > bytes.size() - name)
            throw BadRecords{"a parameter is cut short"};
        const std::string_view both = bytes.substr(0, name + value);
        if (name == 0 || both.find('\0') != std::string_view::npos)
            throw BadRecords{"a parameter without a name or with a NUL"};
        bytes.remove_prefix(both.size());
    }
}

void append_record(std::string& out, RecordType type, std::uint16_t id, std::string_view content) {
    const auto byte = [](std::size_t value) { return static_cast<char>(value & 0xffU); };
    out += {byte(version),
            byte(type),
            byte(id / 256U),
            byte(id),
            byte(content.size() / 256U),
            byte(content.size()),
            0,
            0};
    out += content;
}

void append_stream(std::string& out, RecordType type, std::uint16_t id, std::string_view content) {
    while (!content.empty()) {
        const std::string_view piece = content.substr(0, max_content);
        append_record(out, type, id, piece);
        content.remove_prefix(piece.size());
    }
    append_record(out, type, id, {});
}

} // namespace

std::optional<RequestRecords> read_request(int connection, const RecordLimits& limits) {
    RecordReader reader{connection, Clock::now() + limits.time};
    if (!reader.said_something()) return std::nullopt;
    RequestRecords request;
    request.id = read_begin(reader);
    read_stream(reader, request.id, params, [&](std::string_view content) {
        if (request.params.size() + content.size() > limits.params)
            throw BadRecords{"the parameters are too large"};
        request.params += content;
    });
    check_params(request.params);
    read_stream(reader, request.id, standard_input, [&](std::string_view content) {
        request.body_size += content.size();
        if (request.body_size <= limits.body) request.body += content;
    });
    if (request.body_size > limits.body) request.body = {};
    return request;
}

std::string compose(const RequestRecords& request) {
    std::string records;
    records.reserve(request.params.size() + request.body.size() + 256);
    append_record(records, begin_request, request.id,
                  std::string_view{"\0\1\0\0\0\0\0\0", begin_bytes});
    append_stream(records, params, request.id, request.params);
    append_stream(records, standard_input, request.id, request.body);
    return records;
}

} // namespace usershell::fcgi
