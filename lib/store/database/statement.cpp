#include "store/database/statement.hpp"

#include <algorithm>

namespace usershell::store {

constinit const Statement* Statement::newest_ = nullptr;

Statement::Statement(std::string_view name, Roles roles,
                     std::initializer_list<std::string_view> parts, English conflict)
    : name_{name},
      roles_{roles},
      conflict_{conflict},
      next_{newest_} {
    for (const std::string_view part : parts) text_.append(part).append(" ");
    newest_ = this;
}

const std::vector<const Statement*>& Statement::all() {
    static const std::vector<const Statement*> sorted = [] {
        std::vector<const Statement*> list;
        for (const Statement* each = newest_; each != nullptr; each = each->next_) {
            list.push_back(each);
        }
        std::ranges::sort(list, {}, &Statement::name);
        return list;
    }();
    return sorted;
}

} // namespace usershell::store
