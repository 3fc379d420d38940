#include "execute/relay/relay_body.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "execute/relay/body_members.hpp"
#include "execute/relay/body_tokens.hpp"
#include "net/http_head.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <vector>

namespace usershell::execute {

namespace {

// Two parsers may read one text in two ways: which of two members counts, where a name ends that
// has a control character, and whether "MODEL" is "model" (Go's parser takes any case, also U+017F
// for "s" and U+212A for "k"). So names and values are compared decoded, names folded, and what is
// there twice is refused.
//
// A tool's type may come after its schema. So each object is checked at its end.

constexpr std::size_t max_name = 64;    ///< longer names are none of ours
constexpr std::size_t max_value = 4096; ///< longer values are compared as they are written
constexpr std::size_t max_hosts = 64;   ///< of one body

std::string folded(std::string_view name) {
    std::string text;
    if (name.size() > max_name) return text;
    while (!name.empty()) name.remove_prefix(fold_first(name, text));
    return text;
}

Refusal not_for_this_token(std::string_view name) {
    const std::string shown = shorten(printable(name), max_name);
    return invalid(shown,
                   {"This access token does not allow the member {name}."_en, {{"name", shown}}});
}

Refusal names_a_stored_object(std::string_view name) {
    const std::string shown = shorten(printable(name), max_name);
    return invalid(shown, {"{name} refers to what the provider has stored, which this access token "
                           "does not allow. Send it whole, with \u201cstore\u201d false, or make a "
                           "token that may use stored objects."_en,
                           {{"name", shown}}});
}

Refusal twice(const std::string& name) {
    return invalid(name, {"The member {name} is there twice."_en, {{"name", name}}});
}

/// Of a value of JSON: null; with `as_stored` also what refers to no object.
bool is_empty(std::string_view value, bool as_stored) {
    if (value == "null") return true;
    if (!as_stored) return false;
    const bool is_list =
        value.starts_with('[') && value.find_first_not_of(" \t\r\n", 1) == value.size() - 1;
    return value == "false" || value == R"("")" || is_list;
}

bool is_address(std::string_view value) {
    if (!value.starts_with('"') || value == R"("")") return !value.starts_with('[');
    const std::string text = beginning_of(value);
    return is_web_address(text) || lower_ascii(text).starts_with("data:");
}

/// An object that is read.
struct Opened {
    ObjectKind kind;
    ObjectKind inner = ObjectKind::data;  ///< of the objects in the present member
    std::bitset<max_body_members> seen{}; ///< the known members
    std::bitset<max_body_members> filled{};
    std::string type{};
    std::string role{};
    std::string stored{};    ///< a member that names a stored object
    std::string reference{}; ///< a text in it that may name one
    bool has_id = false;
    bool has_schema = false;
    bool is_result = false; ///< of a tool, as far as `reference` goes
};

class Reader final : public JsonVisitor {
public:
    Reader(std::string_view body, RelayRoute route) : body_{body}, route_{route}, tokens_{route} {}

    RelayBody take() {
        if (!has_model_) throw missing("model");
        result_.need = tokens_.need(body_.size());
        return std::move(result_);
    }

    void open() override {
        const ObjectKind kind = objects_.empty() ? ObjectKind::top : objects_.back().inner;
        const bool is_nested = !objects_.empty() && objects_.back().kind == kind;
        if (kind == ObjectKind::text || (kind == ObjectKind::labels && is_nested))
            note(TokenLimit::any, [&] { return not_for_this_token(name_); });
        objects_.push_back({.kind = kind});
        tokens_.open(kind == ObjectKind::media);
    }

    bool enter(std::size_t depth, std::string_view name, char first) override {
        if (!is_utf8(name) || has_control(name))
            throw Refusal{ErrorCode::invalid_field,
                          "The name of a member has an unusual character."_en};
        name_ = folded(name);
        if (depth == 1 && name_ == "model") begin_model(first);
        Opened& object = objects_.back();
        const BodyMember* const member = find_body_member(object.kind, route_, name_);
        object.inner = member ? member->value : ObjectKind::data;
        if (object.kind == ObjectKind::labels) object.inner = ObjectKind::labels;
        check(object, member, name, first);
        return object.inner != ObjectKind::data;
    }

    void leave(std::size_t depth, std::string_view name, std::string_view value) override {
        const std::string key = folded(name);
        Opened& object = objects_.back();
        const BodyMember* const member = find_body_member(object.kind, route_, key);
        if (member) {
            if (!is_empty(value, true)) object.filled.set(member->mark);
            check_value(object, *member, value);
        } else if (object.kind == ObjectKind::labels) {
            if (const auto* const label = find_body_member(ObjectKind::tool, route_, key))
                check_value(object, *label, value);
        }
        if (key == "type" && value.starts_with('"')) object.type = type_of(value);
        if (key == "role" && !is_empty(value, false))
            object.role = lower_ascii(beginning_of(value)) + (value[0] == '"' ? "" : "?");
        check_text(object, member, key, value);
        if (key == "id") object.has_id = object.has_id || !is_empty(value, true);
        tokens_.take(depth, key, value, place_of(object, member));
        if (depth > 1) return;
        if (key == "model") end_model(value);
        if (key == "stream") result_.wants_stream = value == "true";
    }

    void close() override {
        const Opened& object = objects_.back();
        check_object(object);
        tokens_.close(object.type);
        objects_.pop_back();
    }

private:
    static BodyPlace place_of(const Opened& object, const BodyMember* member) {
        if (!member) return BodyPlace::other;
        if (member->naming == Naming::address) return BodyPlace::address;
        const bool is_file = member->name == "image_base64" || member->name == "file_data";
        const bool is_media = object.kind == ObjectKind::media || is_file;
        return is_media ? BodyPlace::media : BodyPlace::other;
    }

    /// `refusal` makes the Refusal.
    template <class Make>
    void note(TokenLimit limit, Make refusal) {
        auto& noted = result_.not_allowed;
        // Of `any` are the tokens of `models` and of `stored`, and not those of `day`.
        const bool is_first = std::ranges::none_of(noted, [&](const auto& one) {
            return one.first == limit || (one.first == TokenLimit::any && limit != TokenLimit::day);
        });
        if (is_first) noted.emplace_back(limit, refusal());
    }

    /// Of a member, before its value.
    void check(Opened& object, const BodyMember* member, std::string_view name, char first) {
        // Models and stored objects are named by strings; null is allowed anywhere.
        const bool is_inside = objects_.size() > 1 &&
                               (first == 't' || first == 'f' || first == '-' || is_digit(first));
        if (!member && object.kind != ObjectKind::labels && first != 'n' && !is_inside)
            note(TokenLimit::any, [&] { return not_for_this_token(name); });
        if (!member) return;
        if (object.seen.test(member->mark))
            note(TokenLimit::any, [&] { return twice(std::string{member->name}); });
        object.seen.set(member->mark);
        if (object.kind == ObjectKind::tool && member->value == ObjectKind::data)
            object.has_schema = object.has_schema || is_schema(member->name);
    }

    static bool is_schema(std::string_view name) {
        return name == "parameters" || name == "input_schema" || name == "format";
    }

    void check_value(Opened& object, const BodyMember& member, std::string_view value) {
        const bool is_text = value.starts_with('"');
        if (member.naming == Naming::model && !is_empty(value, false))
            note(TokenLimit::models, [&] { return not_for_this_token(member.name); });
        const bool is_later = member.naming == Naming::later && !is_empty(value, true);
        if (is_later) note(TokenLimit::day, [&] { return not_for_this_token(member.name); });
        const bool is_voice = member.name == "voice" && is_text;
        const bool is_stored =
            member.naming == Naming::stored || is_later ||
            (is_voice && !is_offered_voice(beginning_of(value))) ||
            (member.naming == Naming::stored_text && (is_text || value.starts_with('['))) ||
            (member.naming == Naming::address && !is_address(value));
        if (is_stored && !is_empty(value, true)) object.stored = member.name;
    }

    static bool is_of_message(const Opened& object) {
        return object.kind == ObjectKind::content || object.kind == ObjectKind::item;
    }

    /// Texts may name what is stored, as base64 may: the texts of messages, which are judged at
    /// their message's end, and of the whole.
    void check_text(Opened& object, const BodyMember* member, std::string_view key,
                    std::string_view value) {
        const BodyPlace place = place_of(object, member);
        const bool is_content = is_of_message(object) || object.kind == ObjectKind::top;
        const bool is_input = key == "input" && member && member->value == ObjectKind::item;
        const bool is_text = is_content && (key == "content" || key == "text" || key == "system" ||
                                            key == "instructions" || is_input);
        const auto first = value.find_first_not_of("[ \t\r\n"); // a text, or a list of texts
        if ((place == BodyPlace::other && !is_text) || first == std::string_view::npos ||
            value[first] != '"')
            return;
        const std::string beginning = beginning_of(value);
        if (names_by_text(beginning)) (is_text ? object.reference : object.stored) = key;
        if (place != BodyPlace::other && is_web_address(beginning)) take_host(object, key, value);
    }

    void take_host(Opened& object, std::string_view key, std::string_view value) {
        const auto host = host_of(beginning_of(value));
        if (host && std::ranges::find(result_.hosts, *host) != result_.hosts.end()) return;
        if (host && result_.hosts.size() < max_hosts) return result_.hosts.push_back(*host);
        object.stored = key;
    }

    /// An agent's results and answers are texts, whatever they begin with. A message is judged by
    /// its role, which may come last, and not by those inside it.
    void check_reference(const Opened& object) {
        if (object.reference.empty()) return;
        const bool is_result = object.is_result || object.type.ends_with("_result") ||
                               object.type.ends_with("_output");
        if (objects_.size() > 2) {
            Opened& outer = objects_[objects_.size() - 2];
            outer.reference = object.reference;
            outer.is_result = is_result;
            return;
        }
        const bool is_order = object.role == "system" || object.role == "developer";
        const bool is_made = object.role == "assistant" || object.role == "tool" ||
                             object.role == "function" || (is_result && !is_order);
        if (!is_made)
            note(TokenLimit::stored, [&] { return names_a_stored_object(object.reference); });
    }

    /// An object at its end.
    void check_object(const Opened& object) {
        check_reference(object);
        if (is_of_message(object) && !object.role.empty() && !is_known_role(object.role))
            note(TokenLimit::stored, [&] { return names_a_stored_object("role"); });
        if (object.kind == ObjectKind::tool &&
            (!is_known_tool(object.type) || (object.has_schema && !has_own_schema(object.type))))
            note(TokenLimit::any, [&] {
                return not_for_this_token("tools." + (object.type.empty() ? "type" : object.type));
            });
        // An agent repeats the files that a program at the provider has made; no provider reads
        // them there.
        const bool is_told =
            object.kind == ObjectKind::content && object.type.ends_with("code_execution_output");
        if (!object.stored.empty() && !is_told)
            note(TokenLimit::stored, [&] { return names_a_stored_object(object.stored); });
        if (object.kind == ObjectKind::item) check_item(object);
    }

    void check_item(const Opened& item) {
        const std::string shown = item.type.empty() ? "id" : item.type;
        const ItemType* const type = find_item_type(item.type);
        const auto refusal = [&] { return names_a_stored_object(shown); };
        if (!type) return note(TokenLimit::stored, refusal);
        if (!item.has_id) return;
        const auto is_filled = [&](std::string_view name) {
            const auto* const member = find_body_member(ObjectKind::content, route_, name);
            return member && item.filled.test(member->mark);
        };
        const bool is_message = !item.type.empty() || is_filled("role");
        if (!is_message || std::ranges::none_of(type->whole, is_filled))
            note(TokenLimit::stored, refusal);
    }

    static std::string type_of(std::string_view value) {
        if (value.size() > max_value) return "?";
        return json_string(value).value_or("?");
    }

    void begin_model(char first) {
        if (has_model_) throw invalid("model", "The request names its model twice."_en);
        if (first != '"') throw invalid("model", "A model is named by a string."_en);
        has_model_ = true;
    }

    void end_model(std::string_view value) {
        const auto name = json_string(value);
        if (!name) throw invalid("model", "A model is named by a string."_en);
        result_.model = *name;
        result_.model_at = static_cast<std::size_t>(value.data() - body_.data());
        result_.model_size = value.size();
    }

    std::string_view body_;
    RelayRoute route_;
    RelayBody result_;
    BodyTokens tokens_;
    std::vector<Opened> objects_; ///< from the body to the innermost
    std::string name_;            ///< of the present member, folded
    bool has_model_ = false;
};

} // namespace

RelayBody read_relay_body(std::string_view body, RelayRoute route) {
    Reader reader{body, route};
    const auto first = body.find_first_not_of(" \t\r\n");
    const bool is_object = first != std::string_view::npos && body[first] == '{';
    if (!is_object || !scan_json(body, rules::max_relay_depth, reader))
        throw Refusal{ErrorCode::malformed_json, "The body is not a JSON object."_en};
    return reader.take();
}

void require_allowed(const RelayBody& body, opener::BodyLimits limits) {
    const bool is_stored = !limits.may_use_stored_objects;
    for (const auto& [limit, refusal] : body.not_allowed) {
        if (limit == TokenLimit::models ? limits.has_model_limit
            : limit == TokenLimit::day
                ? limits.has_day_limit
                : is_stored || (limit == TokenLimit::any && limits.has_model_limit))
            throw Refusal{refusal};
    }
}

void require_other_hosts(const RelayBody& body, std::string_view host, opener::BodyLimits limits) {
    const auto is_there = [&](const std::string& each) {
        return each.find(host) != std::string::npos;
    };
    if (!limits.may_use_stored_objects && std::ranges::any_of(body.hosts, is_there))
        throw names_a_stored_object("url");
}

namespace {

/// Above the first, a body has at most so many times the bytes that were sent. A long conversation
/// is pressed 5 to 20 times.
constexpr std::size_t free_of_ratio = std::size_t{4} * 1024 * 1024;
constexpr std::size_t max_ratio = 100;
/// Of what is read at a time. A body that gives less than half of what was read, above the first,
/// is made for the work that it takes: blocks without content.
constexpr std::size_t coded_step = std::size_t{64} * 1024;
constexpr std::size_t first_room = std::size_t{64} * 1024;

Refusal undecodable() {
    return {ErrorCode::malformed_json, "The body can’t be decoded as its Content-Encoding says."_en,
            "Content-Encoding"};
}

constexpr std::string_view name_of(ContentCoding coding) {
    if (coding == ContentCoding::gzip) return "gzip";
    return coding == ContentCoding::deflate ? "deflate" : "zstd";
}

} // namespace

ContentCoding coding_of(std::optional<std::string_view> header) {
    const std::string word = lower_ascii(trim_blanks(header.value_or("")));
    if (word.empty() || word == "identity") return ContentCoding::none;
    if (word == "gzip" || word == "x-gzip") return ContentCoding::gzip;
    if (word == "deflate") return ContentCoding::deflate;
    if (word == "zstd") return ContentCoding::zstd;
    throw Refusal{ErrorCode::unsupported_media_type,
                  "The Content-Encoding of a body is gzip, deflate or zstd, or none."_en,
                  "Content-Encoding"};
}

std::string decoded(std::string_view body, ContentCoding coding, std::size_t max_bytes,
                    const std::function<bool(std::size_t)>& may_take) {
    const std::string_view name = name_of(coding);
    const std::size_t most = std::min(max_bytes, free_of_ratio + max_ratio * body.size());
    const std::size_t besides = net::ContentDecoder::memory_of(name);
    std::string text;
    const auto grow_to = [&](std::size_t room) {
        if (!may_take(room + besides)) throw service_is_busy();
        text.reserve(room);
    };
    grow_to(std::min(most, first_room));
    const auto add = [&](std::string_view part) {
        const std::size_t size = text.size() + part.size();
        if (size > most) throw body_too_large(most);
        if (size > text.capacity()) grow_to(std::min(most, 2 * text.capacity()));
        text += part;
        return true;
    };
    const auto decoder = net::ContentDecoder::of(name);
    for (std::size_t read = 0; read < body.size(); read += coded_step) {
        if (read > coded_step + 2 * text.size()) throw undecodable();
        if (!decoder->take(body.substr(read, coded_step), add)) throw undecodable();
    }
    if (!decoder->is_complete()) throw undecodable();
    return text;
}

} // namespace usershell::execute
