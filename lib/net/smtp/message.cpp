#include "net/smtp/message.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>

namespace usershell::net {
namespace {

constexpr std::string_view fold = "\r\n ";
constexpr std::size_t max_plain = 60; // of a header's value, so that its line stays within 78

void need(bool good, std::string_view field) {
    if (!good) throw MailError{"the mail's " + std::string{field} + " can't be sent"};
}

void check_line(std::string_view text, std::string_view field) {
    need(is_utf8(text) && !has_control(text), field);
}

/// Refuses characters that are syntax in a header or in an SMTP command.
void check_address(std::string_view address, std::string_view field) {
    check_line(address, field);
    const auto at = address.rfind('@');
    need(at != std::string_view::npos && at > 0 && at + 1 < address.size() &&
             address.find_first_of(" <>,;:\"()[]\\") == std::string_view::npos,
         field);
}

void check_mail(const Mail& mail) {
    constexpr std::string_view id_characters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    need(!mail.message_id.empty() &&
             mail.message_id.find_first_not_of(id_characters) == std::string::npos,
         "message id");
    check_address(mail.from_address, "sender");
    check_address(mail.to_address, "recipient");
    check_line(mail.from_name, "sender's name");
    check_line(mail.subject, "subject");
    need(is_utf8(mail.text) && is_utf8(mail.html), "text");
}

/// The first character of `text`, which is UTF-8, as RFC 2047's Q encoding has it. Encoding all but
/// letters and digits is right everywhere in a header.
std::string encoded_character(std::string_view text, std::size_t& size) {
    for (size = 1; size < text.size() && (static_cast<unsigned char>(text[size]) >> 6U) == 2;)
        ++size;
    if (is_alphanumeric(text[0])) return std::string{text[0]};
    std::string encoded;
    for (const char c : text.substr(0, size)) encoded += "=" + upper_hex(c);
    return encoded;
}

/// libcurl encodes bodies, not headers. No word cuts a character in two, and each leaves room for
/// "Subject: " on a line of 76.
std::string encoded_words(std::string_view text) {
    constexpr std::string_view begin = "=?UTF-8?Q?";
    constexpr std::string_view end = "?=";
    constexpr std::size_t max_word = 76 - 9 - begin.size() - end.size();
    std::string words{begin};
    std::size_t column = 0;
    for (std::size_t size = 0; !text.empty(); text.remove_prefix(size)) {
        const std::string character = encoded_character(text, size);
        if (column + character.size() > max_word) {
            words.append(end).append(fold).append(begin);
            column = 0;
        }
        words += character;
        column += character.size();
    }
    return words.append(end);
}

bool needs_encoding(std::string_view text) {
    return text.size() > max_plain || text.find("=?") != std::string_view::npos ||
           std::ranges::any_of(text, [](unsigned char c) { return c >= 0x80; });
}

std::string quoted(std::string_view text) {
    std::string string = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') string += '\\';
        string += c;
    }
    return string + '"';
}

std::string mailbox(std::string_view name, const std::string& address) {
    if (name.empty()) return "<" + address + ">";
    return (needs_encoding(name) ? encoded_words(name) : quoted(name)).append(fold) + "<" +
           address + ">";
}

/// RFC 5322 3.3, in UTC and in English whatever the process's locale is.
std::string date_text(std::chrono::system_clock::time_point when) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::put_time(&utc, "%a, %d %b %Y %H:%M:%S +0000");
    return text.str();
}

/// libcurl's quoted-printable knows CRLF as a line's end and nothing else.
std::string with_crlf(std::string_view text) {
    std::string lines;
    for (const char c : text) {
        if (c == '\n' && !lines.ends_with('\r')) lines += '\r';
        lines += c;
    }
    return lines;
}

void need_curl(CURLcode code) {
    if (code != CURLE_OK) throw std::bad_alloc{};
}

void add_part(curl_mime* body, const char* type, std::string_view text) {
    curl_mimepart* const part = curl_mime_addpart(body);
    if (!part) throw std::bad_alloc{};
    const std::string lines = with_crlf(text);
    need_curl(curl_mime_data(part, lines.data(), lines.size()));
    need_curl(curl_mime_type(part, type));
    need_curl(curl_mime_encoder(part, "quoted-printable"));
}

} // namespace

Message compose_message(CURL* easy, const Mail& mail) {
    check_mail(mail);
    const std::string domain = mail.from_address.substr(mail.from_address.rfind('@') + 1);
    const std::string subject =
        needs_encoding(mail.subject) ? encoded_words(mail.subject) : mail.subject;
    Message message;
    message.headers.add("From: " + mailbox(mail.from_name, mail.from_address));
    message.headers.add("To: " + mailbox({}, mail.to_address));
    message.headers.add("Subject: " + subject);
    message.headers.add("Date: " + date_text(mail.date));
    message.headers.add("Message-ID: <" + mail.message_id + "@" + domain + ">");
    message.headers.add("Auto-Submitted: auto-generated");
    message.headers.add("MIME-Version: 1.0");
    message.headers.add("Content-Type: multipart/alternative"); // libcurl adds the boundary
    message.body.reset(curl_mime_init(easy));
    if (!message.body) throw std::bad_alloc{};
    add_part(message.body.get(), "text/plain; charset=utf-8", mail.text);
    add_part(message.body.get(), "text/html; charset=utf-8", mail.html);
    return message;
}

} // namespace usershell::net
