#include "base/ids.hpp"

namespace usershell {

bool is_uuid(std::string_view text) {
    constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (text.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const char c = text[i];
        const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (shape[i] == '-' ? c != '-' : !digit) return false;
    }
    return true;
}

UserId global_owner() { return *UserId::parse("00000000-0000-0000-0000-000000000000"); }

} // namespace usershell
