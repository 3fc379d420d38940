// Ways to read one text: as it is, with escapes undone, case folded, its base64 decoded. Each knows
// which part of the text every byte stands for, so that what is found in a reading can be pointed
// at in the text. For redaction.cpp. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

struct Span {
    std::uint32_t begin;
    std::uint32_t end; ///< one past the last
};

class TextReading {
public:
    /// The text as it is.
    static TextReading of(std::string_view text);

    /// JSON's and URLs' escapes undone, once.
    TextReading unescaped() const;
    /// By fold_first().
    TextReading folded() const;
    /// Its runs of base64's characters (either alphabet), each decoded from its `skipped`th
    /// character on and followed by a NUL. Every byte stands for its whole run.
    TextReading from_base64(std::size_t skipped) const;

    std::string_view bytes() const { return bytes_; }
    /// The part of the text that `size` (not 0) bytes from `begin` on stand for.
    Span origin(std::size_t begin, std::size_t size) const {
        return {origins_[begin].begin, origins_[begin + size - 1].end};
    }

private:
    void append(std::string_view bytes, Span origin);

    std::string bytes_;
    std::vector<Span> origins_;
};

} // namespace usershell::adapters
