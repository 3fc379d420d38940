// Collects a provider's model list, as adapters read it.
#pragma once

#include "adapters/calls.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

/// The models of a list, page after page.
class ModelList {
public:
    /// Ignores ids that can't be used, and models after the first 10,000.
    void add(std::string_view id, std::string_view display_name, std::string capabilities);
    /// Have more models been read than take() returns?
    bool full() const;
    /// Sorted by id, each once, at most 2,000.
    ModelListing take() &&;

private:
    std::vector<AvailableModel> models_;
};

/// Collects capability words as rules::capability spells them, each once.
class Capabilities {
public:
    void add(std::string_view word, bool condition = true);
    std::string text() && { return std::move(text_); }

private:
    std::string text_;
};

} // namespace usershell::adapters
