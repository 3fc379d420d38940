#include "base/text.hpp"
#include "net/mail.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

namespace usershell::net {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t max_plain = 60; // of a header's value, so that its line stays within 78

void need(bool good, std::string_view field) {
    if (!good)
        throw std::invalid_argument{"the mail's " + std::string{field} +
                                    " can't stand in a header"};
}

void check_text(std::string_view text, std::string_view field) {
    need(is_utf8(text) && !has_control(text), field);
}

void check_address(std::string_view address, std::string_view field) {
    check_text(address, field);
    const auto at = address.rfind('@');
    need(at != std::string_view::npos && at > 0 && at + 1 < address.size() &&
             address.find_first_of(" <>,;:\"()[]\\") == std::string_view::npos,
         field);
}

void check_message_id(std::string_view id) {
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    need(!id.empty() && id.find_first_not_of(allowed) == std::string_view::npos, "message id");
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto group = bytes.substr(i, 3);
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < 3; ++j)
            bits = (bits << 8U) | (j < group.size() ? static_cast<unsigned char>(group[j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            text += j <= group.size() ? digits[(bits >> (18U - 6U * j)) & 0x3fU] : '=';
    }
    return text;
}

/// The first code points of `text` that fit into `limit` bytes.
std::size_t whole_code_points(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return text.size();
    while ((static_cast<unsigned char>(text[limit]) & 0xc0U) == 0x80U) --limit;
    return limit;
}

/// RFC 2047: encoded words, none of which cuts a character in two, that leave room for a header's
/// name on a line of 76.
std::string encoded_words(std::string_view text) {
    constexpr std::size_t bytes_a_word = 39;
    std::string words;
    while (!text.empty()) {
        const auto size = whole_code_points(text, bytes_a_word);
        if (!words.empty()) words.append(line_end).append(" ");
        words.append("=?UTF-8?B?").append(base64(text.substr(0, size))).append("?=");
        text.remove_prefix(size);
    }
    return words;
}

bool needs_encoding(std::string_view text) {
    return !is_ascii(text) || text.size() > max_plain || text.find("=?") != std::string_view::npos;
}

std::string unstructured(std::string_view text) {
    return needs_encoding(text) ? encoded_words(text) : std::string{text};
}

std::string quoted(std::string_view text) {
    std::string string = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') string += '\\';
        string += c;
    }
    return string + '"';
}

std::string mailbox(std::string_view name, std::string_view address) {
    std::string text;
    if (!name.empty()) {
        text += needs_encoding(name) ? encoded_words(name) : quoted(name);
        text.append(line_end).append(" ");
    }
    return text.append("<").append(address).append(">");
}

std::string two_digits(unsigned number) {
    return {static_cast<char>('0' + number / 10 % 10), static_cast<char>('0' + number % 10)};
}

/// RFC 5322 3.3, in UTC; no locale is asked.
std::string date_text(std::chrono::system_clock::time_point when) {
    using namespace std::chrono;
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = floor<std::chrono::days>(when);
    const year_month_day date{day};
    const hh_mm_ss time{floor<seconds>(when - day)};
    return std::string{days[weekday{day}.c_encoding()]} + ", " +
           two_digits(static_cast<unsigned>(date.day())) + " " +
           months[static_cast<unsigned>(date.month()) - 1] + " " +
           std::to_string(static_cast<int>(date.year())) + " " +
           two_digits(static_cast<unsigned>(time.hours().count())) + ":" +
           two_digits(static_cast<unsigned>(time.minutes().count())) + ":" +
           two_digits(static_cast<unsigned>(time.seconds().count())) + " +0000";
}

/// One line without its end, RFC 2045 6.7.
std::string quoted_printable_line(std::string_view line) {
    constexpr std::size_t longest = 76;
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    std::size_t column = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto byte = static_cast<unsigned char>(line[i]);
        const bool blank = byte == ' ' || byte == '\t';
        const bool last = i + 1 == line.size();
        const bool plain = (byte > 0x20 && byte < 0x7f && byte != '=') || (blank && !last);
        const std::string unit = plain ? std::string{line[i]}
                                       : std::string{'=', digits[byte >> 4U], digits[byte & 0xfU]};
        if (column + unit.size() > longest - 1) { // one column for the soft break's '='
            encoded.append("=").append(line_end);
            column = 0;
        }
        encoded += unit;
        column += unit.size();
    }
    return encoded;
}

std::string quoted_printable(std::string_view text) {
    std::string encoded;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        encoded.append(quoted_printable_line(line)).append(line_end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return encoded;
}

class Message {
public:
    void header(std::string_view name, std::string_view value) {
        text_.append(name).append(": ").append(value).append(line_end);
    }
    void part(const std::string& boundary, std::string_view type, std::string_view content) {
        text_.append(line_end).append("--").append(boundary).append(line_end);
        header("Content-Type", std::string{type} + "; charset=utf-8");
        header("Content-Transfer-Encoding", "quoted-printable");
        text_.append(line_end).append(quoted_printable(content));
    }
    std::string close(const std::string& boundary) && {
        text_.append(line_end).append("--").append(boundary).append("--").append(line_end);
        return std::move(text_);
    }

private:
    std::string text_;
};

void check(const Mail& mail) {
    check_message_id(mail.message_id);
    check_address(mail.from_address, "sender");
    check_address(mail.to_address, "recipient");
    check_text(mail.from_name, "sender's name");
    check_text(mail.subject, "subject");
    if (!is_utf8(mail.text) || !is_utf8(mail.html))
        throw std::invalid_argument{"the mail's text is not UTF-8"};
}

} // namespace

std::string compose(const Mail& mail) {
    check(mail);
    const std::string domain = mail.from_address.substr(mail.from_address.rfind('@') + 1);
    // "=_" never stands in quoted-printable, so that no text can end a part.
    const std::string boundary = "=_" + mail.message_id;
    Message message;
    message.header("From", mailbox(mail.from_name, mail.from_address));
    message.header("To", mailbox({}, mail.to_address));
    message.header("Subject", unstructured(mail.subject));
    message.header("Date", date_text(mail.date));
    message.header("Message-ID", "<" + mail.message_id + "@" + domain + ">");
    message.header("Auto-Submitted", "auto-generated");
    message.header("MIME-Version", "1.0");
    message.header("Content-Type", "multipart/alternative;\r\n boundary=\"" + boundary + "\"");
    message.part(boundary, "text/plain", mail.text);
    message.part(boundary, "text/html", mail.html);
    return std::move(message).close(boundary);
}

} // namespace usershell::net
