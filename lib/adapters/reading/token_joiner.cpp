#include "adapters/reading/token_joiner.hpp"

#include "base/text.hpp"

#include <cstdint>

namespace usershell::adapters {

namespace {

// How it works. `held_` keeps the bytes that can't be returned yet: at most the beginning of a
// character, which is three bytes, or the first half of a surrogate pair with the beginning of a
// second. take() goes through the held bytes sequence by sequence. A sequence is a lead byte and as
// many continuation bytes as it announces and as there are; it is then one of four things:
//   - unfinished, and at the end of what has come: held until more comes;
//   - the first half of a pair (three bytes that would be U+D800 to U+DBFF): held while the bytes
//     after it are, or may become, the second half; both together are one character;
//   - well-formed: given out;
//   - anything else: given out as U+FFFD, one for each such sequence or stray byte.
// At the end of the answer nothing is held any more, so that what is unfinished becomes U+FFFD too.

constexpr std::string_view replacement = "\xef\xbf\xbd";

unsigned byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

bool continues(std::string_view bytes, std::size_t at) {
    return (byte_at(bytes, at) & 0xc0U) == 0x80U;
}

std::size_t announced_size(unsigned lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    if (lead >= 0xf0 && lead < 0xf5) return 4;
    return 0;
}

/// Bytes at the front that hang together: a whole sequence, or as much of one as there is.
std::size_t sequence_size(std::string_view bytes) {
    const std::size_t announced = announced_size(byte_at(bytes, 0));
    std::size_t size = announced == 0 ? 0 : 1;
    while (size < announced && size < bytes.size() && continues(bytes, size)) ++size;
    return size;
}

bool is_surrogate(std::string_view bytes) {
    return bytes.size() == 3 && byte_at(bytes, 0) == 0xed && byte_at(bytes, 1) >= 0xa0;
}

bool is_high(std::string_view bytes) { return is_surrogate(bytes) && byte_at(bytes, 1) < 0xb0; }
bool is_low(std::string_view bytes) { return is_surrogate(bytes) && byte_at(bytes, 1) >= 0xb0; }

/// Could these few bytes become a low surrogate?
bool may_become_low(std::string_view bytes) {
    return bytes.empty() || (bytes.size() < 3 && byte_at(bytes, 0) == 0xed &&
                             (bytes.size() == 1 || byte_at(bytes, 1) >= 0xb0));
}

std::uint32_t ten_bits(std::string_view surrogate) {
    return ((byte_at(surrogate, 1) & 0x0fU) << 6U) | (byte_at(surrogate, 2) & 0x3fU);
}

std::string pair(std::string_view high, std::string_view low) {
    const std::uint32_t point = 0x10000U + (ten_bits(high) << 10U) + ten_bits(low);
    return {static_cast<char>(0xf0U | (point >> 18U)),
            static_cast<char>(0x80U | ((point >> 12U) & 0x3fU)),
            static_cast<char>(0x80U | ((point >> 6U) & 0x3fU)),
            static_cast<char>(0x80U | (point & 0x3fU))};
}

} // namespace

std::string TokenJoiner::join(std::string_view piece) {
    if (held_.empty() && is_utf8(piece)) return std::string{piece};
    held_ += piece;
    return take(false);
}

std::string TokenJoiner::flush() { return take(true); }

std::string TokenJoiner::take(bool at_end) {
    std::string text;
    std::string_view left = held_;
    while (!left.empty()) {
        const auto size = sequence_size(left);
        const auto sequence = left.substr(0, size);
        const bool unfinished = size == left.size() && size < announced_size(byte_at(left, 0));
        const auto rest = left.substr(size);
        const auto next = rest.empty() ? rest : rest.substr(0, sequence_size(rest));
        if (!at_end && (unfinished ||
                        (is_high(sequence) && next.size() == rest.size() && may_become_low(next))))
            break;
        if (is_high(sequence) && is_low(next)) {
            text += pair(sequence, next);
            left.remove_prefix(size + next.size());
        } else {
            text += is_utf8(sequence) && size > 0 ? sequence : replacement;
            left.remove_prefix(std::max<std::size_t>(size, 1));
        }
    }
    held_.erase(0, held_.size() - left.size());
    return text;
}

} // namespace usershell::adapters
