#include "execute/relay/content_coding.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include <zlib.h>
#include <zstd.h>

namespace usershell::execute {
namespace {

/// Above the first, a body has at most so many times the bytes that were sent. A long conversation
/// is pressed 5 to 20 times.
constexpr std::size_t free_of_ratio = std::size_t{4} * 1024 * 1024;
constexpr std::size_t max_ratio = 100;
/// Of what is read at a time. A body that gives less than half of what was read, above the first,
/// is made for the work that it takes: blocks without content.
constexpr std::size_t coded_step = std::size_t{64} * 1024;
constexpr std::size_t first_room = std::size_t{64} * 1024;
constexpr int max_window_log = 23; ///< 8 MiB: RFC 9659, section 3

Refusal undecodable() {
    return {ErrorCode::malformed_json, "The body can't be decoded as its Content-Encoding says."_en,
            "Content-Encoding"};
}

/// What is decoded, in memory that was asked for.
class Output {
public:
    Output(std::size_t coded, std::size_t max_bytes,
           const std::function<bool(std::size_t)>& may_take)
        : most_{std::min(max_bytes, free_of_ratio + max_ratio * coded)},
          may_take_{may_take} {}

    /// Room for at least one byte: one more than there may be, so that too many are seen.
    /// `besides`: bytes that the decoder has taken.
    std::span<char> room(std::size_t besides = 0) {
        if (size_ == text_.size()) {
            const std::size_t grown = std::min(most_ + 1, std::max(2 * size_, first_room));
            if (!may_take_(grown + besides)) throw service_is_busy();
            text_.resize(grown);
        }
        return std::span{text_}.subspan(size_);
    }

    void take(std::size_t bytes) {
        size_ += bytes;
        if (size_ > most_)
            throw Refusal{
                ErrorCode::body_too_large,
                {"The request is larger than {size}."_en, {{"size", readable_size(most_)}}}};
    }

    /// Is what was read in this relation to what it gave?
    bool is_fair(std::size_t read) const { return read <= coded_step + 2 * size_; }

    std::string text() {
        text_.resize(size_);
        return std::move(text_);
    }

private:
    std::size_t most_;
    const std::function<bool(std::size_t)>& may_take_;
    std::string text_;
    std::size_t size_ = 0; ///< of it, which is decoded
};

/// zlib's word for the form. "deflate" is meant to have zlib's header; some clients leave it out.
int window_of(std::string_view body, ContentCoding coding) {
    if (coding == ContentCoding::gzip) return MAX_WBITS + 16;
    if (body.size() < 2) return MAX_WBITS;
    const auto first = static_cast<unsigned char>(body[0]);
    const auto second = static_cast<unsigned char>(body[1]);
    const bool has_header = (first & 0x0fU) == Z_DEFLATED && (first * 256U + second) % 31 == 0;
    return has_header ? MAX_WBITS : -MAX_WBITS;
}

void inflate_all(std::string_view body, ContentCoding coding, Output& output) {
    z_stream stream{};
    if (::inflateInit2(&stream, window_of(body, coding)) != Z_OK) throw service_is_busy();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end{&stream, ::inflateEnd};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data())); // only read
    const auto left = [&] { // behind what zlib was given
        return static_cast<std::size_t>(body.data() + body.size() -
                                        reinterpret_cast<const char*>(stream.next_in)) -
               stream.avail_in;
    };
    for (;;) {
        if (stream.avail_in == 0) {
            if (!output.is_fair(body.size() - left())) throw undecodable();
            stream.avail_in = static_cast<uInt>(std::min(left(), coded_step));
        }
        const std::span<char> room = output.room();
        stream.next_out = reinterpret_cast<Bytef*>(room.data());
        stream.avail_out = static_cast<uInt>(room.size());
        const int status = ::inflate(&stream, Z_NO_FLUSH);
        output.take(room.size() - stream.avail_out);
        const bool is_read = stream.avail_in == 0 && left() == 0;
        if (status == Z_STREAM_END && is_read) return;
        const bool is_cut = is_read && stream.avail_out > 0;
        // A file of gzip may have several members.
        const bool goes_on = status == Z_STREAM_END && coding == ContentCoding::gzip;
        if (is_cut || (status != Z_OK && status != Z_BUF_ERROR && !goes_on)) throw undecodable();
        if (goes_on) ::inflateReset(&stream);
    }
}

void decode_zstd(std::string_view body, Output& output) {
    const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream{
        ::ZSTD_createDStream(), ::ZSTD_freeDStream};
    if (!stream) throw service_is_busy();
    ::ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, max_window_log);
    ZSTD_inBuffer input{body.data(), 0, 0};
    for (;;) {
        if (input.pos == input.size) {
            if (!output.is_fair(input.pos)) throw undecodable();
            input.size = std::min(body.size(), input.size + coded_step);
        }
        const std::span<char> room = output.room(std::size_t{1} << max_window_log);
        ZSTD_outBuffer part{room.data(), room.size(), 0};
        const std::size_t status = ::ZSTD_decompressStream(stream.get(), &part, &input);
        if (::ZSTD_isError(status) != 0) throw undecodable();
        output.take(part.pos);
        const bool is_read = input.pos == body.size();
        if (is_read && status == 0) return;
        if (is_read && part.pos < part.size) throw undecodable();
    }
}

} // namespace

ContentCoding coding_of(std::optional<std::string_view> header) {
    const std::string word = lower_ascii(trim_blanks(header.value_or("")));
    if (word.empty() || word == "identity") return ContentCoding::none;
    if (word == "gzip" || word == "x-gzip") return ContentCoding::gzip;
    if (word == "deflate") return ContentCoding::deflate;
    if (word == "zstd") return ContentCoding::zstd;
    throw Refusal{ErrorCode::unsupported_media_type,
                  "The Content-Encoding of a body is gzip, deflate or zstd, or none."_en,
                  "Content-Encoding"};
}

std::string decoded(std::string_view body, ContentCoding coding, std::size_t max_bytes,
                    const std::function<bool(std::size_t)>& may_take) {
    Output output{body.size(), max_bytes, may_take};
    if (coding == ContentCoding::zstd)
        decode_zstd(body, output);
    else
        inflate_all(body, coding, output);
    return output.text();
}

} // namespace usershell::execute
