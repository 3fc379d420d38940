// Makes well-formed UTF-8 of an answer's pieces when a provider cuts a character in two: the bytes
// of one sequence over several events, or the two halves of a surrogate pair (as JavaScript
// programs do that cut their strings by UTF-16 units; json.hpp hands such a half on as the three
// bytes it would have in UTF-8). Each half without the other, and each byte that belongs to no
// character, becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace usershell::adapters {

class TokenJoiner {
public:
    /// Returns the text that is complete so far; may be empty.
    std::string join(std::string_view piece);
    /// Returns the held bytes, whose rest did not come.
    std::string flush();

private:
    std::string take(bool at_end);

    std::string held_;
};

} // namespace usershell::adapters
