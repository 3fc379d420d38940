#include "fcgi/records.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring> // explicit_bzero(3)

#include <poll.h>
#include <sys/socket.h>

namespace usershell::fcgi {

namespace {

using Clock = std::chrono::steady_clock;

enum RecordType : std::uint8_t { begin_request = 1, params = 4, standard_input = 5 };

constexpr std::uint8_t version = 1;
constexpr std::size_t begin_bytes = 8;
constexpr std::uint8_t responder = 1;
constexpr std::size_t small_body = 8192; ///< bytes
constexpr std::chrono::milliseconds moment{2};

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
}

std::uint16_t pair_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint16_t>(byte_at(bytes, at) * 256U + byte_at(bytes, at + 1));
}

/// The bytes that come in, through a buffer that is wiped in the end.
class Input {
public:
    Input(int connection, Clock::time_point deadline)
        : connection_{connection},
          deadline_{deadline} {}
    ~Input() { ::explicit_bzero(buffer_.data(), used_); }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    /// False at the end of what the peer sends. Waits for a byte.
    bool has_more() {
        if (start_ < end_) return true;
        const bool came = Clock::now() < deadline_ && receive(deadline_);
        if (!came && Clock::now() >= deadline_)
            throw BadRecords{"the request did not arrive in time"};
        return came;
    }

    /// Between one byte and `max_bytes`, valid until the next call.
    std::string_view take(std::size_t max_bytes) {
        if (!has_more()) throw BadRecords{"the request ends early"};
        const std::string_view taken{buffer_.data() + start_, std::min(max_bytes, end_ - start_)};
        start_ += taken.size();
        return taken;
    }

    /// Gives the next `count` bytes to `use`, in pieces as they come.
    template <class Use>
    void pass_on(std::size_t count, Use use) {
        while (count > 0) {
            const std::string_view piece = take(count);
            count -= piece.size();
            use(piece);
        }
    }

    /// The bytes that were received and not taken, else those that come next. Empty: none came
    /// until `end`. Valid until the next call.
    std::string_view take_rest(Clock::time_point end) {
        return start_ < end_ || receive(end) ? take(buffer_.size()) : std::string_view{};
    }

    void skip(std::size_t count) {
        pass_on(count, [](std::string_view) {});
    }

    template <std::size_t size>
    std::array<char, size> take_array() {
        std::array<char, size> taken{};
        auto* end = taken.begin();
        pass_on(size, [&](std::string_view piece) { end = std::ranges::copy(piece, end).out; });
        return taken;
    }

private:
    /// False at the end of what the peer sends, and when nothing comes until `end`. Mostly the web
    /// server has sent everything already, so poll(2) is only called when it has not.
    bool receive(Clock::time_point end) {
        do {
            const ssize_t count = ::recv(connection_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
            if (count > 0) {
                start_ = 0;
                end_ = static_cast<std::size_t>(count);
                used_ = std::max(used_, end_);
                return true;
            }
            if (count < 0 && errno == EAGAIN)
                wait(end);
            else if (count == 0 || errno != EINTR)
                return false;
        } while (Clock::now() < end);
        return false;
    }

    void wait(Clock::time_point end) const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        pollfd watched{connection_, POLLIN, 0};
        ::poll(&watched, 1, std::max(0, static_cast<int>(left.count())));
    }

    int connection_;
    Clock::time_point deadline_;
    std::array<char, 16384> buffer_; // NOLINT(*-member-init): recv fills it
    std::size_t start_ = 0;          ///< of what has been received and not been taken
    std::size_t end_ = 0;
    std::size_t used_ = 0; ///< bytes at the buffer's start that were ever filled
};

struct Header {
    std::uint8_t type;
    std::uint16_t id;
    std::size_t content; ///< bytes
    std::size_t padding; ///< bytes
};

Header header_of(const std::array<char, 8>& bytes) {
    const std::string_view header{bytes.data(), bytes.size()};
    if (byte_at(header, 0) != version) throw BadRecords{"unknown FastCGI version"};
    return {byte_at(header, 1), pair_at(header, 2), pair_at(header, 4), byte_at(header, 6)};
}

Header read_header(Input& input) { return header_of(input.take_array<8>()); }

std::uint16_t read_begin(Input& input) {
    const Header header = read_header(input);
    if (header.type != begin_request || header.id == 0 || header.content != begin_bytes)
        throw BadRecords{"no proper FCGI_BEGIN_REQUEST"};
    const auto content = input.take_array<begin_bytes>();
    input.skip(header.padding);
    if (pair_at({content.data(), content.size()}, 0) != responder)
        throw BadRecords{"a role other than responder"};
    return header.id;
}

/// Gives the content of a stream's records to `keep`, up to the empty record that ends it.
template <class Keep>
void read_stream(Input& input, std::uint16_t id, RecordType type, Keep keep) {
    for (;;) {
        const Header header = read_header(input);
        if (header.type != type || header.id != id) throw BadRecords{"a record out of place"};
        input.pass_on(header.content, keep);
        input.skip(header.padding);
        if (header.content == 0) return;
    }
}

/// A length of one byte, or of four with the highest bit set.
std::size_t take_length(std::string_view& bytes) {
    if (bytes.empty()) throw BadRecords{"a parameter is cut short"};
    const bool is_long = byte_at(bytes, 0) >= 0x80;
    if (is_long && bytes.size() < 4) throw BadRecords{"a parameter is cut short"};
    const std::size_t length =
        is_long ? (pair_at(bytes, 0) & 0x7fffU) * 65536UL + pair_at(bytes, 2) : byte_at(bytes, 0);
    bytes.remove_prefix(is_long ? 4 : 1);
    return length;
}

std::string_view take_text(std::string_view& bytes, std::size_t length) {
    if (length > bytes.size()) throw BadRecords{"a parameter is cut short"};
    const std::string_view text = bytes.substr(0, length);
    if (text.find('\0') != std::string_view::npos) throw BadRecords{"a parameter with a NUL"};
    bytes.remove_prefix(length);
    return text;
}

/// The pairs as views into `content`.
std::vector<Param> decode_params(std::string_view content) {
    std::vector<Param> params;
    params.reserve(40);
    while (!content.empty()) {
        const std::size_t name = take_length(content);
        const std::size_t value = take_length(content);
        if (name == 0) throw BadRecords{"a parameter without a name"};
        params.push_back({take_text(content, name), take_text(content, value)});
    }
    return params;
}

std::string_view uri_of(const std::vector<Param>& params) {
    const auto uri = std::ranges::find(params, "REQUEST_URI", &Param::name);
    return uri == params.end() ? std::string_view{} : uri->value;
}

/// The size that the web server announces, so that the body is not copied while it grows; 0 when it
/// says none.
std::size_t announced_body(const std::vector<Param>& params) {
    const auto length = std::ranges::find(params, "CONTENT_LENGTH", &Param::name);
    std::size_t size = 0;
    if (length != params.end())
        std::from_chars(length->value.data(), length->value.data() + length->value.size(), size);
    return size;
}

/// Reads a body that may be late. True: it is. A small one mostly comes a moment after its
/// parameters. The faults of others are told when they are read.
bool read_early(RequestRecords& request, Input& input) {
    if (request.body_size == 0 || request.body_size > small_body) {
        request.early.append(input.take_rest({}));
        return true;
    }
    const auto end = Clock::now() + moment;
    BodyReader reader{request.id};
    const auto keep = [&](std::string_view piece) { request.body.append(piece); };
    try {
        for (;;) {
            const std::string_view records = input.take_rest(end);
            request.early.append(records);
            const bool is_whole = reader.feed(records, keep);
            if (is_whole && request.body.size() == request.body_size) {
                request.early.clear();
                return false;
            }
            if (is_whole || records.empty() || request.body.size() > request.body_size) break;
        }
    } catch (const BadRecords&) {
    }
    request.body.clear();
    return true;
}

} // namespace

std::optional<RequestRecords> read_request(int connection, const RecordLimits& limits,
                                           const ReadsLate& reads_late) {
    Input input{connection, Clock::now() + limits.timeout};
    if (!input.has_more()) return std::nullopt;
    RequestRecords request;
    request.id = read_begin(input);
    read_stream(input, request.id, params, [&](std::string_view piece) {
        if (request.param_bytes.size() + piece.size() > limits.max_params)
            throw BadRecords{"the parameters are too large"};
        request.param_bytes.append(piece);
    });
    request.params = decode_params(request.param_bytes);
    const std::size_t announced = announced_body(request.params);
    if (reads_late && reads_late(uri_of(request.params), announced)) {
        request.body_size = announced;
        request.is_late = read_early(request, input);
        return request;
    }
    request.body.reserve(std::min(announced, limits.max_body));
    read_stream(input, request.id, standard_input, [&](std::string_view piece) {
        request.body_size += piece.size();
        if (request.body_size <= limits.max_body) request.body.append(piece);
    });
    if (request.body_size > limits.max_body) request.body.clear();
    return request;
}

bool BodyReader::feed(std::string_view bytes, const Take& take) {
    while (!bytes.empty()) {
        if (header_bytes_ < header_.size()) {
            header_[header_bytes_++] = bytes.front(); // NOLINT(*-constant-array-index)
            bytes.remove_prefix(1);
            if (header_bytes_ == header_.size()) take_header();
        } else if (content_ > 0) {
            const auto piece = bytes.substr(0, content_);
            content_ -= piece.size();
            bytes.remove_prefix(piece.size());
            take(piece);
        } else {
            const std::size_t skipped = std::min(padding_, bytes.size());
            padding_ -= skipped;
            bytes.remove_prefix(skipped);
        }
        if (header_bytes_ < header_.size() || content_ > 0 || padding_ > 0) continue;
        if (is_last_) return true;
        header_bytes_ = 0;
    }
    return false;
}

void BodyReader::take_header() {
    const Header header = header_of(header_);
    if (header.type != standard_input || header.id != id_)
        throw BadRecords{"a record out of place"};
    content_ = header.content;
    padding_ = header.padding;
    is_last_ = header.content == 0;
}

} // namespace usershell::fcgi
