#include "base/settings/option_words.hpp"

#include "base/settings/config.hpp"

#include <algorithm>

namespace usershell {

OptionWords::OptionWords(int argc, const char* const* argv)
    : words_(argv + std::min(argc, 1), argv + argc) {}

bool OptionWords::at_option() const {
    return next_ < words_.size() && words_[next_].starts_with("--") && words_[next_].size() > 2;
}

std::vector<std::string> OptionWords::rest() const {
    return {words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end()};
}

std::string OptionWords::take_name() {
    const std::string& word = words_[next_++];
    const auto equals = word.find('=');
    joined_ = equals != std::string::npos;
    if (joined_) value_ = word.substr(equals + 1);
    return word.substr(2, equals - 2);
}

std::string OptionWords::take_value(const std::string& name) {
    if (joined_) return value_;
    if (next_ == words_.size()) throw ConfigError{"command line: --" + name + " needs a value."};
    return words_[next_++];
}

} // namespace usershell
