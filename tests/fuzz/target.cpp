#include "target.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace usershell::fuzz {

namespace {

std::vector<const Target*>& registered() {
    static std::vector<const Target*> all;
    return all;
}

} // namespace

Target::Target(std::string_view its_name, void (*its_run)(std::string_view),
               std::size_t its_largest, std::size_t its_memory)
    : name{its_name},
      run{its_run},
      largest{its_largest},
      memory{its_memory} {
    registered().push_back(this);
    std::ranges::sort(registered(), {}, &Target::name);
}

const std::vector<const Target*>& targets() { return registered(); }

void fail(std::string_view rule) {
    std::cerr << "broken rule: " << rule << std::endl;
    std::abort();
}

std::string_view Input::piece(char separator) {
    const auto end = std::min(rest_.find(separator), rest_.size());
    const auto piece = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return piece;
}

std::vector<std::string_view> cut(std::string_view text, std::size_t seed) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
        seed = seed * 1103515245 + 12345;
        const auto size = std::min(text.size(), (seed >> 16U) % 61 + 1);
        pieces.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return pieces;
}

} // namespace usershell::fuzz
