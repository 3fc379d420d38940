// What ${…} stands for in a case.
#pragma once

#include "case_file.hpp"

#include <map>
#include <string>
#include <string_view>

namespace usershell::test {

class Variables {
public:
    void set(const std::string& name, std::string value);

    /// The text with every ${…} in it replaced; fails for one that means nothing.
    std::string fill(const Place& place, std::string_view text) const;

private:
    std::string value_of(const Place& place, const std::string& expression) const;

    std::map<std::string, std::string> values_;
};

} // namespace usershell::test
