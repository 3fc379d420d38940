#include "case_file.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace usershell::test {

namespace {

constexpr std::array<std::string_view, 6> verbs{"as", "given", "hold", "sql", "differ", "same"};
constexpr std::array<std::string_view, 8> methods{"GET",    "HEAD",    "POST",  "PUT",
                                                  "DELETE", "OPTIONS", "PATCH", "TRACE"};

constexpr std::array<std::string_view, 5> token_spots{"header", "header2", "json", "form", "query"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

/// The first word, and the rest without the blanks around it.
std::pair<std::string, std::string> first_word(std::string_view text) {
    const auto end = std::min(text.find(' '), text.size());
    return {std::string{text.substr(0, end)}, trim(text.substr(end))};
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> pieces;
    for (;;) {
        const auto end = std::min(text.find(separator), text.size());
        pieces.push_back(trim(text.substr(0, end)));
        if (end == text.size()) return pieces;
        text.remove_prefix(end + 1);
    }
}

class Reader {
public:
    Reader(std::string name, std::string_view text) : name_{std::move(name)} {
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            lines_.emplace_back(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    CaseFile read() {
        CaseFile file;
        for (skip(); !done(); skip()) {
            if (line().starts_with("--- ")) {
                file.cases.push_back(read_case());
            } else if (line().starts_with("settings ") && file.cases.empty()) {
                file.settings.push_back(trim(take().substr(9)));
            } else {
                fail(place(), "This belongs to no case.");
            }
        }
        if (file.cases.empty()) fail(place(), "There is no case in this file.");
        return file;
    }

private:
    bool done() const { return next_ >= lines_.size(); }
    const std::string& line() const { return lines_[next_]; }
    std::string take() { return lines_[next_++]; }
    Place place() const { return {name_, static_cast<int>(next_ + 1)}; }

    /// Over blank lines and comments.
    void skip() {
        while (!done() && (trim(line()).empty() || line().starts_with('#'))) ++next_;
    }

    Case read_case() {
        Case result{place(), trim(take().substr(4)), {}};
        bool asks = false;
        for (skip(); !done() && !line().starts_with("--- "); skip()) {
            const auto [word, rest] = first_word(line());
            if (is_one_of(verbs, word)) {
                result.steps.emplace_back(Command{place(), word, rest});
                ++next_;
            } else {
                result.steps.emplace_back(read_exchange());
                asks = true;
            }
        }
        if (!asks) fail(result.place, "The case \"" + result.title + "\" makes no request.");
        return result;
    }

    Exchange read_exchange() {
        Exchange exchange;
        const std::string word = first_word(line()).first;
        if (word == "with") exchange.table = read_table();
        if (word == "repeat") exchange.table = read_repeat();
        skip();
        if (done()) fail(place(), "A request is missing here.");
        exchange.send = read_sending();
        exchange.expect = read_expecting();
        return exchange;
    }

    Table read_table() {
        const Place start = place();
        Table table{split(first_word(take()).second, '|'), {}};
        for (; !done() && line().starts_with("  "); ++next_) {
            table.rows.push_back(split(line(), '|'));
            if (table.rows.back().size() != table.columns.size())
                fail(place(), "The row has another number of columns than its table.");
        }
        if (table.rows.empty()) fail(start, "The table has no rows.");
        return table;
    }

    Table read_repeat() {
        const int times = number(first_word(line()).second);
        if (times < 1) fail(place(), "Repeat how often?");
        ++next_;
        Table table{{"n"}, {}};
        for (int i = 1; i <= times; ++i) table.rows.push_back({std::to_string(i)});
        return table;
    }

    int number(std::string_view text) const {
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size())
            fail(place(), "\"" + std::string{text} + "\" is no number.");
        return value;
    }

    Sending read_sending() {
        Sending send;
        send.place = place();
        std::tie(send.method, send.target) = first_word(line());
        const bool known = is_one_of(methods, send.method) || send.method.starts_with("${");
        if (!known || send.target.empty()) fail(place(), "\"" + line() + "\" means nothing here.");
        ++next_;
        for (; !done() && line().starts_with("> "); ++next_) read_knob(send, line().substr(2));
        std::string body;
        for (; !done() && !line().starts_with("=>"); ++next_) {
            if (line().starts_with("--- ")) break;
            body += line() + "\n";
        }
        if (done() || !line().starts_with("=>")) fail(send.place, "The request has no => line.");
        while (body.ends_with('\n')) body.pop_back();
        send.body = std::move(body);
        return send;
    }

    void read_knob(Sending& send, const std::string& text) const {
        const auto [word, rest] = first_word(text);
        if (text == "no token") {
            send.token.spot = "none";
        } else if (word == "no") {
            send.without.push_back(rest);
        } else if (word == "from") {
            send.from = rest;
        } else if (word == "token") {
            send.token = read_token_rule(rest);
        } else if (const auto colon = text.find(':'); colon != std::string::npos) {
            send.headers.emplace_back(text.substr(0, colon), trim(text.substr(colon + 1)));
        } else {
            fail(place(), "This is neither a header nor a word on token or address.");
        }
    }

    TokenRule read_token_rule(const std::string& text) const {
        const bool bare = text.starts_with("in ");
        const auto in = bare ? 0 : text.rfind(" in ");
        TokenRule rule;
        if (!bare) rule.value = text.substr(0, in);
        if (in == std::string::npos) return rule;
        rule.spot = text.substr(in + (bare ? 3 : 4));
        if (!is_one_of(token_spots, rule.spot) && !rule.spot.starts_with("${"))
            fail(place(), "There is no such place for a token.");
        return rule;
    }

    Expecting read_expecting() {
        Expecting expect;
        expect.place = place();
        auto [status, words] = first_word(trim(take().substr(2)));
        --next_; // for the message
        expect.status = number(status);
        ++next_;
        expect.words = std::move(words);
        while (!done() && read_expected_line(expect)) {
        }
        return expect;
    }

    /// False at a line that is not about the answer.
    bool read_expected_line(Expecting& expect) {
        const auto [word, rest] = first_word(line());
        const Text text{place(), rest};
        if (line().starts_with('{') || line().starts_with('[')) {
            expect.json = Text{place(), read_json()};
            return true;
        }
        if (word == "<" && rest.starts_with("no "))
            expect.absent.push_back({place(), rest.substr(3)});
        else if (word == "<")
            expect.headers.push_back(text);
        else if (word == "contains")
            expect.contains.push_back(text);
        else if (word == "lacks")
            expect.lacks.push_back(text);
        else if (line() == "is empty")
            expect.empty = true;
        else if (word == "save")
            expect.savings.push_back(read_saving(rest));
        else
            return line().starts_with('#') ? (++next_, true) : false;
        ++next_;
        return true;
    }

    std::string read_json() {
        std::string json = take();
        while (!done() && !line().empty() &&
               std::string_view{" }]"}.find(line()[0]) != std::string::npos)
            json += "\n" + take();
        return json;
    }

    Saving read_saving(const std::string& text) const {
        const auto equals = text.find(" = ");
        if (equals == std::string::npos) fail(place(), "Save what? `save NAME = json PATH`");
        const auto [source, what] = first_word(text.substr(equals + 3));
        const bool known = (source == "token" && what.empty()) ||
                           ((source == "json" || source == "cookie") && !what.empty());
        if (!known) fail(place(), "A value is saved from json PATH, token or cookie NAME.");
        return {place(), text.substr(0, equals), source, what};
    }

    std::string name_;
    std::vector<std::string> lines_;
    std::size_t next_ = 0;
};

} // namespace

void fail(const Place& place, const std::string& message) {
    throw CaseFailure{place.file + ":" + std::to_string(place.line) + ": " + message};
}

CaseFile parse_case_file(const std::string& name, std::string_view text) {
    return Reader{name, text}.read();
}

} // namespace usershell::test
