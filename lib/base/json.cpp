#include "base/json.hpp"

#include "base/ascii.hpp"

#include <vector>

#include <boost/json/parse.hpp>

namespace usershell {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Scanner {
public:
    Scanner(std::string_view text, std::size_t max_depth, JsonVisitor& visitor)
        : text_{text},
          max_depth_{max_depth},
          visitor_{visitor} {}

    /// Each turn reads a value's beginning, and then all that ends with it.
    bool run() {
        do {
            if (!begin_value()) return false;
        } while (wants_value_);
        skip_blanks();
        return frames_.empty() && at_ == text_.size();
    }

private:
    struct Frame {
        bool is_object = false;
        bool is_muted = false;    ///< nothing inside is visited
        bool has_escapes = false; ///< in the present member's name
        std::string_view raw{};
        std::string decoded{};
        std::size_t begin = 0; ///< of the member's value

        std::string_view name() const { return has_escapes ? std::string_view{decoded} : raw; }
    };

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        if (peek() != c || at_ == text_.size()) return false;
        ++at_;
        return true;
    }
    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }

    bool begin_value() {
        wants_value_ = false;
        skip_blanks();
        const char first = peek();
        if (!frames_.empty() && frames_.back().is_object) begin_member(first);
        if (first == '{' || first == '[') return open(first);
        return (first == '"' ? take_string() : take_word()) && end_values();
    }

    void begin_member(char first) {
        Frame& frame = frames_.back();
        frame.begin = at_;
        mutes_next_ = frame.is_muted || !visitor_.enter(frames_.size(), frame.name(), first);
    }

    bool open(char first) {
        if (frames_.size() == max_depth_) return false;
        ++at_;
        const bool inherits = !frames_.empty() && !frames_.back().is_object;
        const bool is_muted = inherits ? frames_.back().is_muted : !frames_.empty() && mutes_next_;
        frames_.push_back({.is_object = first == '{', .is_muted = is_muted});
        if (first == '{' && !is_muted) visitor_.open();
        skip_blanks();
        if (take(first == '{' ? '}' : ']')) {
            close();
            return end_values();
        }
        return next_in(first == '{');
    }

    void close() {
        if (frames_.back().is_object && !frames_.back().is_muted) visitor_.close();
        frames_.pop_back();
    }

    bool next_in(bool is_object) {
        if (is_object) return take_name();
        wants_value_ = true;
        return true;
    }

    /// A value has ended, and with it perhaps those around it.
    bool end_values() {
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            if (frame.is_object && !frame.is_muted)
                visitor_.leave(frames_.size(), frame.name(),
                               text_.substr(frame.begin, at_ - frame.begin));
            skip_blanks();
            if (take(',')) return next_in(frame.is_object);
            if (!take(frame.is_object ? '}' : ']')) return false;
            close();
        }
        return true;
    }

    bool take_name() {
        skip_blanks();
        const std::size_t begin = at_;
        if (!take_string()) return false;
        const std::string_view literal = text_.substr(begin, at_ - begin);
        Frame& frame = frames_.back();
        frame.raw = literal.substr(1, literal.size() - 2);
        frame.has_escapes = frame.raw.find('\\') != std::string_view::npos;
        if (frame.has_escapes) {
            auto decoded = json_string(literal);
            if (!decoded) return false;
            frame.decoded = *std::move(decoded);
        }
        skip_blanks();
        wants_value_ = take(':');
        return wants_value_;
    }

    bool take_string() {
        if (!take('"')) return false;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '"') return true;
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c == '\\' && !take_escape()) return false;
        }
        return false;
    }

    bool take_escape() {
        if (at_ == text_.size()) return false;
        const char c = text_[at_++];
        if (c != 'u') return std::string_view{"\"\\/bfnrt"}.find(c) != std::string_view::npos;
        if (!hex_number(text_.substr(at_, 4), 4)) return false;
        at_ += 4;
        return true;
    }

    /// true, false, null or a number.
    bool take_word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_alphanumeric(text_[at_]) || text_[at_] == '-' ||
                                      text_[at_] == '+' || text_[at_] == '.'))
            ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        if (word == "true" || word == "false" || word == "null") return true;
        const auto digits = word.substr(word.starts_with('-') ? 1 : 0);
        return !digits.empty() && is_digit(digits.front()) &&
               word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    }

    std::string_view text_;
    std::size_t max_depth_;
    JsonVisitor& visitor_;
    std::size_t at_ = 0;
    std::vector<Frame> frames_;
    bool wants_value_ = false;
    bool mutes_next_ = false; ///< of the member whose value begins
};

} // namespace

bool scan_json(std::string_view text, std::size_t max_depth, JsonVisitor& visitor) {
    return Scanner{text, max_depth, visitor}.run();
}

std::optional<std::string> json_string(std::string_view literal) {
    boost::json::error_code failure;
    const auto value = boost::json::parse(literal, failure);
    if (failure || !value.is_string()) return std::nullopt;
    return std::string{value.get_string()};
}

} // namespace usershell
