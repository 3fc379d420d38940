#include "net/event_stream.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <utility>

namespace usershell::net {

// How it works. Bytes are cut anywhere, so what has come of an event is kept until its blank line;
// then its fields are read, of which several lines of data alone are copied. Every byte is looked
// at twice, whatever the pieces are. Events that were read are dropped when no whole one is left,
// so that a piece of many events moves its rest once.

namespace {

/// Of a line of data; JSON alone is one, too. Null: another line.
std::optional<std::string_view> data_of(std::string_view line) {
    if (line.starts_with("{\"")) return line;
    const auto name = line.substr(0, line.find(':'));
    if (name != "data" && name != "error") return std::nullopt;
    auto value = line.substr(std::min(name.size() + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    return value;
}

/// As find_first_of() would, which calls a function for each byte.
std::size_t end_of_line(std::string_view bytes, std::size_t from) {
    const auto* const end = std::find_if(bytes.begin() + from, bytes.end(),
                                         [](char c) { return c == '\r' || c == '\n'; });
    return static_cast<std::size_t>(end - bytes.begin());
}

} // namespace

bool EventStream::feed(std::string_view bytes) {
    is_over_ = is_over_ || !append_to(kept_, bytes, kept_part_);
    return !is_over_;
}

std::optional<ServerEvent> EventStream::next() {
    drop_event();
    while (!is_over_) {
        const auto line = next_line();
        if (!line) break;
        if (begins_event(*line)) {
            line_ = read_ = static_cast<std::size_t>(line->data() - kept_.data());
            given_ = line_ - begin_;
            has_fields_ = false;
            ServerEvent event = read_event(rest().substr(0, given_));
            event.is_glued = true;
            return event;
        }
        if (!line->empty()) has_fields_ = true;
        if (!line->empty() || !std::exchange(has_fields_, false)) continue;
        follows_object_ = false;
        given_ = line_ - begin_;
        is_over_ = given_ > limit_;
        const ServerEvent event = read_event(rest().substr(0, given_));
        if (!is_over_) return event;
    }
    is_over_ = is_over_ || rest().size() > limit_;
    drop_read();
    return std::nullopt;
}

/// Some servers end an event by one newline. No JSON has an object right behind another.
bool EventStream::begins_event(std::string_view line) {
    const auto data = trim_blanks(data_of(line).value_or(""));
    if (data.empty()) return false;
    const bool begins = data.starts_with('{') || data == "[DONE]";
    return std::exchange(follows_object_, data.ends_with('}')) && begins &&
           line.data() != kept_.data() + begin_ && has_fields_;
}

/// A CR waits for the LF that may follow. It does not where a lone CR has ended the line before: an
/// event must not wait for the next one.
std::optional<std::string_view> EventStream::next_line() {
    const std::string_view bytes = kept_;
    read_ = end_of_line(bytes, read_);
    if (read_ == bytes.size()) return std::nullopt;
    const auto line = bytes.substr(line_, read_ - line_);
    const bool is_after_cr = line.empty() && line_ > begin_ && bytes[line_ - 1] == '\r';
    if (bytes[read_] == '\r' && !is_after_cr) {
        if (read_ + 1 == bytes.size()) return std::nullopt;
        if (bytes[read_ + 1] == '\n') ++read_;
    }
    line_ = ++read_;
    return line;
}

ServerEvent EventStream::read_event(std::string_view raw) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    ServerEvent event{.name = {}, .data = {}, .raw = raw};
    if (std::exchange(at_start_, false) && raw.starts_with(byte_order_mark))
        raw.remove_prefix(byte_order_mark.size());
    for (int data_lines = 0; !raw.empty();) {
        const auto line = raw.substr(0, end_of_line(raw, 0));
        raw.remove_prefix(std::min(line.size() + 1, raw.size())); // CRLF has a blank line in it
        has_comments_ = has_comments_ || line.starts_with(':');
        const auto data = data_of(line);
        if (line.starts_with("event:")) event.name = trim_blanks(line.substr(6));
        if (data && line.starts_with("error")) event.name = "error";
        if (data && !take_data(*data, ++data_lines, event)) is_over_ = true;
    }
    has_events_ = has_events_ || !event.data.empty();
    return event;
}

bool EventStream::take_data(std::string_view value, int number, ServerEvent& event) {
    if (number > 1) {
        const bool is_kept = (number > 2 || append_to(joined_, event.data, joined_part_)) &&
                             append_to(joined_, "\n", joined_part_) &&
                             append_to(joined_, value, joined_part_);
        if (!is_kept) return false;
    }
    event.data = number > 1 ? std::string_view{joined_} : value;
    return true;
}

void EventStream::drop_event() {
    if (given_ == 0) return;
    begin_ += std::exchange(given_, 0);
    joined_.clear();
    give_back_room(joined_, joined_part_);
}

void EventStream::drop_read() {
    if (begin_ == 0) return;
    kept_.erase(0, begin_);
    line_ -= begin_;
    read_ -= begin_;
    begin_ = 0;
    give_back_room(kept_, kept_part_);
}

} // namespace usershell::net
