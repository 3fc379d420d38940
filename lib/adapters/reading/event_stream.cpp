#include "adapters/reading/event_stream.hpp"

#include <algorithm>

namespace usershell::adapters {

// How it works. Bytes are cut anywhere, so three things are kept between two pieces: the line so
// far, the event so far (its name and data), and whether the last byte was a CR, as an LF after it
// ends no second line. A line is complete at its end only; then its field is added to the event,
// and an empty line gives the event out. Every byte is looked at once, whatever the pieces are.

namespace {

/// As find_first_of() would, which calls a function for each byte.
std::size_t end_of_line(std::string_view bytes) {
    const auto* const end =
        std::ranges::find_if(bytes, [](char c) { return c == '\r' || c == '\n'; });
    return static_cast<std::size_t>(end - bytes.begin());
}

} // namespace

bool EventStream::feed(std::string_view bytes) {
    while (!bytes.empty() && !overflowed_) {
        if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
        after_cr_ = false;
        const auto end = end_of_line(bytes);
        overflowed_ = line_.size() + end > limit_;
        if (overflowed_) break;
        line_.append(bytes.substr(0, end));
        if (end == bytes.size()) break;
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        take_line();
    }
    return !overflowed_;
}

void EventStream::finish() {
    if (overflowed_) return;
    if (!line_.empty()) take_line();
    if (!overflowed_) dispatch();
}

void EventStream::take_line() {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    std::string_view line = line_;
    if (at_start_ && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    at_start_ = false;
    if (line.empty()) {
        dispatch();
    } else {
        const auto colon = std::min(line.find(':'), line.size());
        auto value = line.substr(std::min(colon + 1, line.size()));
        if (value.starts_with(' ')) value.remove_prefix(1);
        take_field(line.substr(0, colon), value);
    }
    line_.clear();
}

void EventStream::take_field(std::string_view name, std::string_view value) {
    if (name == "event") {
        name_ = value;
    } else if (name == "data" || name == "error") {
        if (name == "error") name_ = name;
        if (has_data_) data_ += '\n';
        has_data_ = true;
        data_ += value;
        overflowed_ = data_.size() > limit_;
    } else if (name.empty() && seen_ == Seen::nothing) {
        seen_ = Seen::comments;
    }
}

void EventStream::dispatch() {
    if (!data_.empty()) {
        seen_ = Seen::events;
        sink_({name_, data_});
    }
    name_.clear();
    data_.clear();
    has_data_ = false;
}

} // namespace usershell::adapters
