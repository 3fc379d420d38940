// The sentences that people read. A source says each in English, and that English is the id of its
// translations (templates/languages, web/language.hpp). It may have places, such as {seconds}: a
// value is kept under its name until the sentence is shown, so no finished sentence is taken apart.
// Pure; any thread may call.
#pragma once

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell {

/// The English of a sentence, as a literal: "Wait {seconds} seconds."_en. No other text is one.
/// tests/tree/test_languages.py finds them by the suffix.
class English {
public:
    constexpr English() = default;
    constexpr std::string_view text() const { return text_; }

private:
    friend consteval English operator""_en(const char* text, std::size_t size);
    constexpr explicit English(std::string_view text) : text_{text} {}

    std::string_view text_;
};

consteval English operator""_en(const char* text, std::size_t size) {
    return English{std::string_view{text, size}};
}

class Sentence {
public:
    /// At a place is shown a text, in which nothing is looked for, or sentences with "; " between.
    struct Value {
        Value(std::string of, std::string shown) : place{std::move(of)}, text{std::move(shown)} {}
        Value(std::string of, std::vector<Sentence> shown)
            : place{std::move(of)},
              sentences{std::move(shown)} {}
        Value(std::string of, Sentence shown)
            : Value{std::move(of), std::vector{std::move(shown)}} {}

        std::string place;
        std::string text{};
        std::vector<Sentence> sentences{};
    };

    Sentence() = default; ///< empty: there is none
    Sentence(English english, std::vector<Value> values = {});

    bool empty() const { return english_.empty(); }
    const std::string& english() const { return english_; }
    /// `translation` gives the sentence of a language, by the English one.
    std::string in(const std::function<std::string(std::string_view)>& translation) const;

    /// As the store keeps it: the English, or JSON where there are values. read() takes any other
    /// text for English.
    std::string stored() const;
    static Sentence read(std::string_view stored);

    /// Writes the English as a member of an answer and, where there are values, {text, values} as
    /// another, for scripts to translate (docs/contract.md, section 1).
    void tell(boost::json::object& answer, std::string_view member,
              std::string_view with_places = "sentence") const;

private:
    Sentence(std::string text, std::vector<Value> values);
    static Sentence from(const boost::json::object& object);
    boost::json::object object() const;

    std::string text_; ///< with its places
    std::vector<Value> values_;
    std::string english_; ///< with its values
};

} // namespace usershell
