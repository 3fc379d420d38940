#include "adapters/reading/event_stream.hpp"

#include <algorithm>
#include <utility>

namespace usershell::adapters {

// How it works. Bytes are cut anywhere, so what has come of an event is kept until its blank line,
// and its fields as offsets. Several lines of data alone are copied. Every byte is looked at once,
// whatever the pieces are. Events that were read are dropped when no whole one is left, so that a
// piece of many events moves its rest once.

namespace {

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
        if (after_cr_ && read_ < kept_.size()) {
            after_cr_ = false;
            if (kept_[read_] == '\n') line_ = ++read_;
        }
        read_ = end_of_line(kept_, read_);
        if (read_ == kept_.size()) break;
        if (end_line(read_)) return take_event();
    }
    is_over_ = is_over_ || rest().size() > limit_;
    drop_read();
    return std::nullopt;
}

/// A line that ends there. True: it has ended an event.
bool EventStream::end_line(std::size_t end) {
    const auto line = std::string_view{kept_}.substr(line_, end - line_);
    take_line(line);
    after_cr_ = kept_[end] == '\r';
    line_ = read_ = end + 1;
    if (!line.empty()) is_blank_ = false;
    if (!line.empty() || is_blank_ || is_over_) return false;
    if (after_cr_ && read_ < kept_.size() && kept_[read_] == '\n') {
        after_cr_ = false;
        line_ = ++read_;
    }
    is_over_ = read_ - begin_ > limit_;
    return !is_over_;
}

void EventStream::take_line(std::string_view line) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (at_start_ && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    at_start_ = false;
    if (line.empty()) return;
    const auto colon = std::min(line.find(':'), line.size());
    const auto name = line.substr(0, colon);
    auto value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") {
        name_ = slice_of(value);
    } else if (name == "data" || name == "error") {
        if (name == "error") name_ = slice_of(name);
        take_data(value);
    } else if (name.empty() && seen_ == Seen::nothing) {
        seen_ = Seen::comments;
    }
}

void EventStream::take_data(std::string_view value) {
    if (++data_lines_ == 1) {
        data_ = slice_of(value);
        return;
    }
    const bool is_kept = (data_lines_ > 2 || append_to(joined_, text_of(data_), joined_part_)) &&
                         append_to(joined_, "\n", joined_part_) &&
                         append_to(joined_, value, joined_part_);
    is_over_ = is_over_ || !is_kept;
}

EventStream::Slice EventStream::slice_of(std::string_view text) const {
    return {static_cast<std::size_t>(text.data() - kept_.data()) - begin_, text.size()};
}

ServerEvent EventStream::take_event() {
    given_ = read_ - begin_;
    const auto data = data_lines_ > 1 ? std::string_view{joined_} : text_of(data_);
    if (!data.empty()) seen_ = Seen::events;
    return {text_of(name_), data, rest().substr(0, given_)};
}

void EventStream::drop_event() {
    if (given_ == 0) return;
    begin_ += std::exchange(given_, 0);
    name_ = data_ = {};
    data_lines_ = 0;
    is_blank_ = true;
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

} // namespace usershell::adapters
