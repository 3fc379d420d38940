// Looks for the whole key of a call, and the whole value of each of its own headers, in the answer
// of its provider to a tool: raw, in the escapes of JSON (also twice escaped, as JSON inside a text
// of JSON is), and in texts of which each event brings a piece. Nothing is held back: a part of the
// key, or a key in another coding, is not seen. So a find is news only to a reader who knows the
// whole key already. A short key may be a word: it is not looked for.
//
// How it works: Knuth-Morris-Pratt, whose state is a number, so no byte of the answer is kept.
// Linear in the text.
#pragma once

#include "net/http_client.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::net {

class KeySearch {
public:
    /// Both outlive it; no_key is none, and neither is a value shorter than min_secret_header.
    explicit KeySearch(std::string_view key, std::span<const KeyHeader> own_headers = {});

    /// Is one of them in these bytes of an answer?
    bool is_in(std::string_view bytes) const;
    /// Is it in the texts of one source in an answer that came so far, one joined to the next?
    /// `source`: a name of it; those after the first 64 share one. `literal`: a text as JSON has
    /// it, without its quotes.
    bool is_across(std::string_view source, std::string_view literal);

private:
    /// Takes off one level of escapes, byte by byte.
    class Escapes {
    public:
        /// The next decoded byte; null in the midst of an escape. Other bytes than ASCII become
        /// NUL.
        const char* take(char c);

    private:
        enum class State { plain, escape, digits } state_ = State::plain;
        unsigned value_ = 0;
        int left_ = 0;
        char out_ = 0;
    };

    /// One key or value.
    struct Pattern {
        explicit Pattern(std::string_view text);
        /// The bytes of it that are matched after one more byte.
        std::size_t next(std::size_t matched, char c) const;
        bool is_in(std::string_view bytes) const;

        std::string_view key;
        std::vector<std::uint16_t>
            borders; ///< of each prefix: the longest that it begins and ends with
    };

    /// The texts of one source.
    struct Texts {
        std::string source;
        Escapes escapes;
        std::vector<std::size_t> matched; ///< of each pattern
    };
    Texts& texts_of(std::string_view source);

    std::vector<Pattern> patterns_;
    std::vector<Texts> texts_;
};

} // namespace usershell::net
