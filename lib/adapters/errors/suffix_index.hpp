// Finds every place of many strings in one text. The starts of the text's suffixes are sorted once,
// so that all suffixes that begin with a given string stand side by side and two binary searches
// find them: a thousand strings cost little more than one, whatever they and the text are. Sorting
// compares suffixes to their ends at worst; meant for texts of a few KiB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace usershell::adapters {

class SuffixIndex {
public:
    /// `text` outlives it.
    explicit SuffixIndex(std::string_view text) : text_{text}, starts_(text.size()) {
        std::iota(starts_.begin(), starts_.end(), std::uint32_t{0});
        std::ranges::sort(starts_, {}, [text](std::uint32_t start) { return text.substr(start); });
    }

    /// Where `needle` begins, in no order.
    std::span<const std::uint32_t> places(std::string_view needle) const {
        const auto begins = [&](std::uint32_t start) { return text_.substr(start, needle.size()); };
        const auto first = std::ranges::lower_bound(starts_, needle, {}, begins);
        const auto last = std::ranges::upper_bound(first, starts_.end(), needle, {}, begins);
        return {first, last};
    }

private:
    std::string_view text_;
    std::vector<std::uint32_t> starts_;
};

} // namespace usershell::adapters
