#include "net/http_head.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring> // explicit_bzero(3)
#include <new>
#include <utility>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

namespace usershell::net {

namespace {

constexpr std::size_t max_key = 4096;
constexpr std::size_t max_head = std::size_t{64} * 1024;

bool is_line(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

bool is_key(std::string_view key) {
    return !key.empty() && key.size() <= max_key && is_visible_ascii(key);
}

bool is_own(const KeyHeader& header) {
    return !header.name.empty() && !header.key.empty() && header.key.size() <= max_key &&
           is_visible_ascii(header.key, ' ') &&
           std::ranges::all_of(header.name, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

void add_secret(LineList& lines, std::string_view name, std::string_view prefix,
                std::string_view key) {
    std::string line;
    line.reserve(name.size() + 2 + prefix.size() + key.size()); // one copy to wipe
    line.append(name).append(": ").append(prefix).append(key);
    lines.add(line);
    ::explicit_bzero(line.data(), line.size());
}

/// Of "HTTP/1.1 200 OK"; libcurl has refused what is no status line.
int status_of(std::string_view line) {
    const auto number = line.substr(std::min(line.find(' ') + 1, line.size()));
    int status = 0;
    std::from_chars(number.data(), number.data() + number.size(), status);
    return status;
}

} // namespace

bool can_be_sent(const HttpRequest& request, std::span<const KeyHeader> own_headers) {
    const bool lines = std::ranges::all_of(request.headers, [](const auto& header) {
        return is_line(header.first) && is_line(header.second);
    });
    return lines && std::ranges::all_of(own_headers, is_own) &&
           (request.method == "GET" || request.method == "POST") &&
           (!request.key || (is_line(request.key->name) && is_line(request.key->prefix) &&
                             is_key(request.key->key)));
}

LineList header_lines(const HttpRequest& request, std::span<const KeyHeader> own_headers) {
    const auto is_given = [&](std::string_view name) {
        return std::ranges::find(own_headers, lower_ascii(name), &KeyHeader::name) !=
               own_headers.end();
    };
    LineList lines;
    if (!is_given("user-agent")) lines.add("User-Agent: usershell/" USERSHELL_VERSION);
    // The program asks for no coding. It decodes a coded answer itself, because libcurl fails on a
    // coding that it does not know.
    lines.add("Accept-Encoding: identity");
    lines.add("Expect:"); // none: a server that ignores it would cost a second of waiting
    std::string line;
    for (const auto& [name, value] : request.headers) {
        if (is_given(name)) continue;
        line.assign(name).append(": ").append(value);
        lines.add(line);
    }
    for (const KeyHeader& own : own_headers) add_secret(lines, own.name, {}, own.key);
    if (!request.key) return lines;
    const KeyHeader& key = *request.key;
    add_secret(lines, key.name, key.prefix, key.key);
    if (key.as_bearer) add_secret(lines, "Authorization", "Bearer ", key.key);
    return lines;
}

HeadReader::State HeadReader::take(std::string_view line) {
    bytes_ += line.size();
    if (bytes_ > max_head) return state_ = State::too_large;
    if (state_ != State::reading) return state_;
    if (line.starts_with("HTTP/")) {
        head_ = {};
        head_.status = status_of(line);
    } else if (!trim_blanks(line).empty()) {
        take_field(line);
    } else if (head_.status >= 200) {
        state_ = State::done;
    }
    if (codings_ > 1) state_ = State::encoded_twice;
    return state_;
}

void HeadReader::take_codings(std::string_view list, bool of_the_transfer) {
    for_each_piece(list, ',', [&](std::string_view piece) {
        std::string coding = lower_ascii(trim_blanks(piece));
        const bool is_none = coding.empty() || coding == "identity" || coding == "chunked";
        if (of_the_transfer ? is_none : ContentDecoder::memory_of(coding) == 0) return;
        ++codings_;
        if (!of_the_transfer) coding_ = std::move(coding);
    });
}

void HeadReader::take_field(std::string_view line) {
    const auto colon = line.find(':');
    const bool continues_another = line.front() == ' ' || line.front() == '\t';
    if (colon == std::string_view::npos || continues_another) return;
    const std::string name = lower_ascii(trim_blanks(line.substr(0, colon)));
    const auto value = trim_blanks(line.substr(colon + 1));
    if (name == "content-type")
        head_.content_type = lower_ascii(trim_blanks(value.substr(0, value.find(';'))));
    if (name == "content-encoding" || name == "transfer-encoding")
        take_codings(value, name == "transfer-encoding");
    head_.fields.insert_or_assign(name, std::string{value});
}

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t part_size = 16 * kib;
constexpr int br_window_log = 24;         ///< the largest: 16 MiB
constexpr int max_window_log = 23;        ///< of zstd: 8 MiB
constexpr std::size_t tables = 512 * kib; ///< of br and zstd, besides their windows

class Inflater final : public ContentDecoder {
public:
    explicit Inflater(bool is_gzip) : is_gzip_{is_gzip} {}
    ~Inflater() override { ::inflateEnd(&stream_); }

private:
    Status step(std::string_view& bytes, std::span<char>& room) override {
        begin(bytes);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // only read
        stream_.avail_in = static_cast<uInt>(bytes.size());
        stream_.next_out = reinterpret_cast<Bytef*>(room.data());
        stream_.avail_out = static_cast<uInt>(room.size());
        const int status = ::inflate(&stream_, Z_NO_FLUSH);
        bytes = bytes.substr(bytes.size() - stream_.avail_in);
        room = room.last(stream_.avail_out);
        if (status == Z_MEM_ERROR) throw std::bad_alloc{};
        if (status == Z_STREAM_END) return Status::ended;
        return status == Z_OK || status == Z_BUF_ERROR ? Status::goes_on : Status::broken;
    }

    /// A file of gzip may have several members.
    bool begins_again(std::string_view bytes) override {
        constexpr char first_of_gzip = 0x1f;
        return is_gzip_ && bytes.front() == first_of_gzip && ::inflateReset(&stream_) == Z_OK;
    }

    /// "deflate" is meant to have zlib's header; some writers leave it out. Then the first byte has
    /// not the method of that header, but for a stored block that is padded by a one.
    void begin(std::string_view bytes) {
        if (has_begun_ || bytes.empty()) return;
        const bool has_header = (static_cast<unsigned char>(bytes.front()) & 0x0fU) == Z_DEFLATED;
        int window = has_header ? MAX_WBITS : -MAX_WBITS;
        if (is_gzip_) window = MAX_WBITS + 16;
        if (::inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc{};
        has_begun_ = true;
    }

    z_stream stream_{};
    bool is_gzip_;
    bool has_begun_ = false;
};

class Zstd final : public ContentDecoder {
public:
    Zstd() {
        if (!stream_) throw std::bad_alloc{};
        ::ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, max_window_log);
    }

private:
    Status step(std::string_view& bytes, std::span<char>& room) override {
        ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
        ZSTD_outBuffer output{room.data(), room.size(), 0};
        const std::size_t left = ::ZSTD_decompressStream(stream_.get(), &output, &input);
        bytes.remove_prefix(input.pos);
        room = room.subspan(output.pos);
        if (::ZSTD_isError(left) != 0) return Status::broken;
        return left == 0 ? Status::ended : Status::goes_on;
    }
    bool begins_again(std::string_view) override { return true; } // frames follow one another

    std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_{::ZSTD_createDStream(),
                                                                          ::ZSTD_freeDStream};
};

class Brotli final : public ContentDecoder {
public:
    Brotli() {
        if (!state_) throw std::bad_alloc{};
    }

private:
    Status step(std::string_view& bytes, std::span<char>& room) override {
        std::size_t more = bytes.size();
        const auto* next = reinterpret_cast<const std::uint8_t*>(bytes.data());
        std::size_t free = room.size();
        auto* out = reinterpret_cast<std::uint8_t*>(room.data());
        const auto result =
            ::BrotliDecoderDecompressStream(state_.get(), &more, &next, &free, &out, nullptr);
        bytes = bytes.substr(bytes.size() - more);
        room = room.last(free);
        if (result == BROTLI_DECODER_RESULT_ERROR) return Status::broken;
        return result == BROTLI_DECODER_RESULT_SUCCESS ? Status::ended : Status::goes_on;
    }

    std::unique_ptr<BrotliDecoderState, void (*)(BrotliDecoderState*)> state_{
        ::BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), ::BrotliDecoderDestroyInstance};
};

template <class Decoder, auto... arguments>
std::unique_ptr<ContentDecoder> make() {
    return std::make_unique<Decoder>(arguments...);
}

struct Row {
    std::string_view coding;
    std::size_t memory; ///< bytes
    std::unique_ptr<ContentDecoder> (*make)();
};

constexpr auto rows = std::to_array<Row>({
    {"gzip", 64 * kib, make<Inflater, true>},
    {"x-gzip", 64 * kib, make<Inflater, true>},
    {"deflate", 64 * kib, make<Inflater, false>},
    {"br", (std::size_t{1} << br_window_log) + tables, make<Brotli>},
    {"zstd", (std::size_t{1} << max_window_log) + tables, make<Zstd>},
});

} // namespace

std::unique_ptr<ContentDecoder> ContentDecoder::of(std::string_view coding) {
    const auto* const row = std::ranges::find(rows, coding, &Row::coding);
    return row == rows.end() ? nullptr : row->make();
}

std::size_t ContentDecoder::memory_of(std::string_view coding) {
    const auto* const row = std::ranges::find(rows, coding, &Row::coding);
    return row == rows.end() ? 0 : row->memory;
}

bool ContentDecoder::take(std::string_view bytes,
                          const std::function<bool(std::string_view)>& sink) {
    std::array<char, part_size> part; // NOLINT(*-member-init): step() fills it
    for (bool is_full = false; is_full || !bytes.empty();) {
        if (at_ == At::end && !bytes.empty()) at_ = begins_again(bytes) ? At::inside : At::beyond;
        if (at_ == At::end || at_ == At::beyond) return true;
        std::span<char> room{part};
        const Status status = step(bytes, room);
        const std::size_t size = part.size() - room.size();
        if (size > 0 && !sink({part.data(), size})) return false;
        if (status == Status::broken) return false;
        at_ = status == Status::ended ? At::end : At::inside;
        is_full = room.empty();
    }
    return true;
}

} // namespace usershell::net
