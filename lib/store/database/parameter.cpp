#include "store/database/parameter.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "store/database/fault.hpp"

#include <algorithm>

namespace usershell::store {

namespace {

bool is_control(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f;
}

} // namespace

bool is_storable(const std::string& text) {
    return std::ranges::none_of(text, is_control) && is_utf8(text);
}

const std::string& parameter(const std::string& text) {
    if (!is_storable(text)) throw not_storable();
    return text;
}

std::string parameter(const Bytes& bytes) { return "\\x" + hex(bytes.value); }

} // namespace usershell::store
