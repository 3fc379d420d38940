#include "opener/wire/protocol.hpp"

#include "base/ascii.hpp"
#include "base/ids.hpp"
#include "opener/wire/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace usershell::opener {

namespace {

class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_{bytes} {}

    std::size_t number() {
        return number_in(std::span<const char, number_size>{take(number_size)});
    }
    std::optional<std::string_view> text() {
        const std::size_t size = number();
        if (size == 0) return std::nullopt;
        return take(size - 1);
    }
    std::string_view take(std::size_t size) {
        if (size > rest_.size()) throw Malformed{};
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }
    bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

class Writer {
public:
    Writer() { bytes.reserve(usual_size); }

    void number(std::size_t value) {
        const auto digits = bytes_of(value);
        bytes.append({digits.data(), digits.size()});
    }
    void text(std::optional<std::string_view> value) {
        number(value ? value->size() + 1 : 0);
        if (value) bytes.append(*value);
    }

    WipedString bytes;

private:
    static constexpr std::size_t usual_size = 2048;
};

enum class Form { bytes, id, flag, count, text };
/// One value of a question.
struct Field {
    Form form;
    std::size_t size = 0; ///< of bytes; the most of a text
    bool may_miss = false;
};

constexpr Field id{Form::id}, maybe_id{Form::id, 0, true}, flag{Form::flag}, count{Form::count};
constexpr Field hash{Form::bytes, 32}, selector{Form::bytes, 12};
constexpr Field route{Form::text, 16}, network{Form::text, 64};
constexpr Field model{Form::text, max_model_name}, maybe_model{Form::text, max_model_name, true};

// The call's id is drawn by the asking program, so that a question may be repeated after a lost
// answer.
constexpr std::array begin_call{hash, id, maybe_id, maybe_id, flag};
constexpr std::array begin_token_call{selector, hash,  id,    route,
                                      network,  count, count, maybe_model};
constexpr std::array load_provider{id, id, id, model, count, count};
constexpr std::array next_key{id, id, id, maybe_id, flag};
constexpr std::array<std::span<const Field>, 4> fields{begin_call, begin_token_call, load_provider,
                                                       next_key};

bool has_form(const Field& field, const std::string& value) {
    constexpr std::size_t digits = 12; // so that sums fit
    switch (field.form) {
    case Form::bytes:
        return value.size() == field.size;
    case Form::id:
        return is_uuid(value);
    case Form::flag:
        return value == "t" || value == "f";
    case Form::count:
        return !value.empty() && value.size() <= digits && std::ranges::all_of(value, is_digit);
    case Form::text:
        return value.size() <= field.size && store::is_storable(value);
    }
    return false;
}

void check(const Question& question) {
    const auto& wanted = fields.at(static_cast<std::size_t>(question.statement));
    const auto fits = [](const Field& field, const std::optional<std::string>& value) {
        return value ? has_form(field, *value) : field.may_miss;
    };
    if (!std::ranges::equal(wanted, question.values, fits)) throw Malformed{};
}

constexpr std::string_view envelope_column = "sealed_key";
constexpr char open_mark = 'o'; ///< a closed one has the reason's digit
constexpr std::size_t digest_size = 32;
enum State : std::size_t { rows_follow, unavailable, failed };

OpenedKey read_opened(std::string_view cell) {
    Reader wire{cell};
    const char mark = wire.take(1).front();
    OpenedKey opened{crypto::UnsealError::Reason::damaged, std::string{wire.take(digest_size)}};
    const std::string_view plain = cell.substr(1 + digest_size);
    const auto reason = static_cast<std::size_t>(mark - '0');
    if (mark == open_mark)
        opened.key = crypto::Secret{plain};
    else if (reason <= static_cast<std::size_t>(crypto::UnsealError::Reason::address_changed))
        opened.key = static_cast<crypto::UnsealError::Reason>(reason);
    else
        throw Malformed{};
    return opened;
}

void write_opened(Writer& wire, const OpenedKey& opened) {
    const auto* const plain = std::get_if<crypto::Secret>(&opened.key);
    const char mark =
        plain ? open_mark : static_cast<char>('0' + static_cast<int>(std::get<1>(opened.key)));
    WipedString cell{std::string_view{&mark, 1}};
    cell.append(opened.digest);
    if (plain != nullptr) cell.append(plain->reveal());
    wire.text(std::string_view{cell});
}

} // namespace

WipedString encoded(const Question& question) {
    check(question);
    Writer wire;
    wire.number(static_cast<std::size_t>(question.statement));
    for (const auto& value : question.values) wire.text(value);
    return std::move(wire.bytes);
}

Question read_question(std::string_view bytes) {
    Reader wire{bytes};
    const std::size_t statement = wire.number();
    if (statement >= fields.size()) throw Malformed{};
    Question question{static_cast<store::CallStatement>(statement), {}};
    while (!wire.at_end() && question.values.size() < fields.at(statement).size()) {
        const auto value = wire.text();
        question.values.push_back(value ? std::optional<std::string>{*value} : std::nullopt);
    }
    if (!wire.at_end()) throw Malformed{};
    check(question);
    for (std::size_t i = 0; i < question.values.size(); ++i)
        if (fields.at(statement)[i].form == Form::bytes)
            question.values[i] = "\\x" + hex(*question.values[i]);
    return question;
}

WipedString encoded(const store::Texts& rows, const Open& open) {
    Writer wire;
    wire.number(rows_follow);
    wire.number(rows.columns.size());
    for (const std::string& column : rows.columns) wire.text(column);
    wire.number(rows.rows.size());
    for (const auto& row : rows.rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            if (row[i] && rows.columns[i] == envelope_column)
                write_opened(wire, open(row, crypto::SealedKey{store::bytes_of(*row[i])}));
            else
                wire.text(row[i]);
    return std::move(wire.bytes);
}

WipedString encoded(Trouble trouble) {
    Writer wire;
    wire.number(trouble == Trouble::unavailable ? unavailable : failed);
    return std::move(wire.bytes);
}

Answer::Answer(WipedString bytes) : bytes_{std::move(bytes)} {
    Reader wire{bytes_};
    const std::size_t state = wire.number();
    if (state == unavailable) throw service_is_busy();
    if (state == failed) throw Error{"The opener has failed; its log says why."};
    if (state != rows_follow) throw Malformed{};
    for (std::size_t left = wire.number(); left > 0; --left) {
        const auto name = wire.text();
        if (!name) throw Malformed{};
        columns_.push_back(*name);
    }
    rows_ = wire.number();
    while (!wire.at_end()) cells_.push_back(wire.text());
    if (columns_.empty()
            ? rows_ > 0
            : cells_.size() % columns_.size() != 0 || cells_.size() / columns_.size() != rows_)
        throw Malformed{};
}

std::optional<std::string_view> Answer::Row::text_of(std::string_view column) const {
    const auto& columns = answer_->columns_;
    const auto found = std::ranges::find(columns, column);
    if (found == columns.end()) throw Malformed{};
    const auto place = static_cast<std::size_t>(found - columns.begin());
    return answer_->cells_[number_ * columns.size() + place];
}

std::optional<OpenedKey> Answer::Row::opened() const {
    const auto cell = text_of(envelope_column);
    if (!cell) return std::nullopt;
    return read_opened(*cell);
}

} // namespace usershell::opener
