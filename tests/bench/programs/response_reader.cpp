#include "response_reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace usershell::bench {
namespace {

constexpr std::size_t kept_tail = 512;

std::size_t number(std::string_view text, int base) {
    std::size_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (read.ec != std::errc{}) throw std::runtime_error{"no number in an answer's frame"};
    return value;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

} // namespace

void ResponseReader::reset() {
    state_ = State::head;
    text_.clear();
    tail_.clear();
    left_ = 0;
    status_ = 0;
    closes_ = false;
    first_seen_ = false;
}

std::size_t ResponseReader::read(std::string_view bytes) {
    std::size_t taken = 0;
    while (taken < bytes.size() && state_ != State::done) {
        const std::string_view rest = bytes.substr(taken);
        if (state_ == State::head)
            taken += read_head(rest);
        else if (state_ == State::body || state_ == State::chunk)
            taken += read_body(rest);
        else
            taken += read_line(rest);
    }
    return taken;
}

bool ResponseReader::is_whole() const {
    return is_done() && (marks_->end.empty() || tail_.find(marks_->end) != std::string::npos);
}

std::size_t ResponseReader::read_head(std::string_view bytes) {
    const std::size_t before = text_.size();
    text_.append(bytes);
    const auto end = text_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
    if (end == std::string::npos) return bytes.size();
    text_.resize(end + 2);
    end_head();
    return end + 4 - before;
}

void ResponseReader::end_head() {
    status_ = static_cast<int>(number(std::string_view{text_}.substr(9, 3), 10));
    const std::string head = lower(std::move(text_));
    text_.clear();
    closes_ = head.find("\r\nconnection: close\r\n") != std::string::npos;
    const auto length = head.find("\r\ncontent-length:");
    if (status_ == 204 || status_ == 304) {
        state_ = State::done;
    } else if (head.find("\r\ntransfer-encoding: chunked\r\n") != std::string::npos) {
        state_ = State::chunk_size;
    } else if (length != std::string::npos) {
        const auto digit = head.find_first_of("0123456789", length);
        left_ = number(std::string_view{head}.substr(digit), 10);
        state_ = left_ == 0 ? State::done : State::body;
    } else {
        throw std::runtime_error{"an answer without a length"};
    }
}

std::size_t ResponseReader::read_body(std::string_view bytes) {
    const std::size_t size = std::min(left_, bytes.size());
    look_at(bytes.substr(0, size));
    left_ -= size;
    if (left_ == 0) state_ = state_ == State::body ? State::done : State::chunk_end;
    return size;
}

std::size_t ResponseReader::read_line(std::string_view bytes) {
    const auto end = bytes.find('\n');
    text_.append(bytes.substr(0, end));
    if (end == std::string_view::npos) return bytes.size();
    end_line();
    text_.clear();
    return end + 1;
}

void ResponseReader::end_line() {
    if (state_ == State::chunk_end) {
        state_ = State::chunk_size;
    } else if (state_ == State::chunk_size) {
        left_ = number(text_, 16);
        state_ = left_ == 0 ? State::trailer : State::chunk;
    } else if (text_ == "\r") {
        state_ = State::done;
    }
}

void ResponseReader::look_at(std::string_view body) {
    if (!first_seen_) {
        first_seen_ = marks_->first.empty() ||
                      (tail_ + std::string{body}).find(marks_->first) != std::string::npos;
    }
    tail_.append(body.substr(body.size() - std::min(body.size(), kept_tail)));
    if (tail_.size() > 2 * kept_tail) tail_.erase(0, tail_.size() - kept_tail);
}

} // namespace usershell::bench
