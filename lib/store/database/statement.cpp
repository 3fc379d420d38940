#include "store/database/statement.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "store/database/fault.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include <libpq-fe.h>

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

std::string composite_of(std::initializer_list<std::string> fields) {
    std::string text;
    for (const std::string& field : fields) {
        text += text.empty() ? "(\"" : ",\"";
        for (const char each : field) text.append(each == '"' || each == '\\' ? 2 : 1, each);
        text += '"';
    }
    return text + ")";
}

std::string bytea(std::string_view bytes) { return "\\x" + hex(bytes); }

std::string quoted_bytea(std::string_view bytes) { return R"("\\x)" + hex(bytes) + '"'; }

std::string parameter(const Bytes& bytes) { return bytea(bytes.value); }

Columns::Columns(const pqxx::result& result) {
    names_.reserve(result.columns());
    for (pqxx::row_size_type i = 0; i < result.columns(); ++i) {
        names_.emplace_back(result.column_name(i));
    }
}

pqxx::row_size_type Columns::find(std::string_view name) {
    for (std::size_t looked_at = 0; looked_at < names_.size(); ++looked_at) {
        if (next_ == names_.size()) next_ = 0;
        if (names_[next_++] == name) return static_cast<pqxx::row_size_type>(next_ - 1);
    }
    throw Error{"The answer has no column " + std::string{name} + "."};
}

std::vector<std::string> lines_of(const std::optional<std::string>& text) {
    std::vector<std::string> lines;
    if (text)
        for_each_piece(*text, '\n', [&lines](std::string_view line) { lines.emplace_back(line); });
    return lines;
}

std::string bytes_of(std::string_view text) {
    const std::string terminated{text};
    std::size_t size = 0;
    const std::unique_ptr<unsigned char, decltype(&PQfreemem)> bytes{
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        PQunescapeBytea(reinterpret_cast<const unsigned char*>(terminated.c_str()), &size),
        &PQfreemem};
    if (!bytes) throw std::bad_alloc{};
    return {bytes.get(), bytes.get() + size};
}

std::optional<std::string_view> Row::text_of(std::string_view column) const {
    const pqxx::field field = row_[columns_.find(column)];
    if (field.is_null()) return std::nullopt;
    return std::string_view{field.c_str(), field.size()};
}

Texts Rows::texts() const {
    Texts texts;
    for (pqxx::row_size_type i = 0; i < result_.columns(); ++i)
        texts.columns.emplace_back(result_.column_name(i));
    for (const pqxx::row& row : result_) {
        auto& cells = texts.rows.emplace_back();
        for (const pqxx::field& field : row)
            cells.push_back(field.is_null() ? std::nullopt
                                            : std::optional<std::string>{
                                                  std::in_place, field.c_str(), field.size()});
    }
    return texts;
}

} // namespace usershell::store
