#include "net/smtp/mail.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/address/address.hpp"
#include "net/curl.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>

#include <sys/socket.h>

namespace usershell::net {

namespace {

/// A mail in the form in which libcurl sends it: header lines of ours (RFC 5322, RFC 2047), a body
/// that libcurl encodes (MIME, quoted-printable).
struct Message {
    LineList headers;
    MimeHandle body;
};

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

/// For a transfer of `easy`, during which it is to be kept. Throws MailError as deliver() does.
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

// The result decides whether to try again. "Refused" ends a mail for good, so it needs a final
// reply (5xx) of the server about this very message. Everything else (no
// connection, no TLS, a refused sign-in, a reply that is missing) is as likely a fault of the
// settings or of the moment, and the mail is kept. The Message-ID stays the same, so that a mail
// that was accepted while its reply got lost can be known for the same one.

struct ReasonRow {
    CURLcode code;
    std::string_view words;
};

constexpr auto reason_rows = std::to_array<ReasonRow>({
    {CURLE_COULDNT_RESOLVE_HOST, "the mail server's name is unknown"},
    {CURLE_COULDNT_CONNECT, "the mail server can't be reached"},
    {CURLE_OPERATION_TIMEDOUT, "the mail server did not answer in time"},
    {CURLE_USE_SSL_FAILED, "the mail server offers no STARTTLS"},
    {CURLE_SSL_CONNECT_ERROR, "the TLS handshake with the mail server failed"},
    {CURLE_PEER_FAILED_VERIFICATION, "the mail server's certificate could not be verified"},
    {CURLE_SSL_CACERT_BADFILE, "the file of trusted certificates could not be read"},
    {CURLE_LOGIN_DENIED, "the mail server refused the sign-in"},
});

std::string_view words_for(CURLcode code, bool replied, bool about_message) {
    const auto* const row = std::ranges::find(reason_rows, code, &ReasonRow::code);
    if (row != reason_rows.end()) return row->words;
    if (!replied) return "the conversation with the mail server broke off";
    return about_message ? "the mail server refused the message"
                         : "the mail server refused to talk";
}

/// libcurl's code for a refused MAIL, RCPT or DATA is CURLE_SEND_ERROR; for a refused greeting, and
/// for what was said after the message, CURLE_WEIRD_SERVER_REPLY.
DeliveryResult result_of(CURLcode code, long reply, bool message_sent) {
    if (code == CURLE_OK) return {Delivery::delivered, std::to_string(reply)};
    constexpr std::array about_sign_in{530L, 534L, 535L, 538L};
    const bool replied = reply >= 400 && reply < 600;
    const bool final_reply = reply >= 500 && reply < 600 &&
                             std::ranges::find(about_sign_in, reply) == about_sign_in.end();
    const bool about_message =
        code == CURLE_SEND_ERROR || (code == CURLE_WEIRD_SERVER_REPLY && message_sent);
    const std::string number = replied ? std::to_string(reply) + ": " : "";
    return {final_reply && about_message ? Delivery::refused : Delivery::try_later,
            number + std::string{words_for(code, replied, about_message)}};
}

/// libcurl sends QUIT when the handle is destroyed and would wait for the reply; with the reading
/// side shut it does not wait.
void do_not_wait_for_goodbye(CURL* easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket);
    if (socket != CURL_SOCKET_BAD) shutdown(socket, SHUT_RD);
}

void set_server(CURL* easy, const MailServer& server, const ParsedUrl& url,
                std::chrono::seconds timeout) {
    const bool plain = url.scheme == "smtp" && is_loopback_host(url.host) && server.ca_file.empty();
    set_common_options(easy, server.ca_file);
    set_option(easy, CURLOPT_CURLU, url.handle.get());
    set_option(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    set_option(easy, CURLOPT_USE_SSL, static_cast<long>(plain ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    set_option(easy, CURLOPT_TIMEOUT, static_cast<long>(timeout.count()));
    set_option(easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, static_cast<long>(timeout.count()));
    if (server.user.empty()) return;
    set_option(easy, CURLOPT_USERNAME, server.user.c_str());
    set_option(easy, CURLOPT_PASSWORD, server.password.c_str());
}

} // namespace

DeliveryResult deliver(const MailServer& server, const Mail& mail, std::chrono::seconds timeout) {
    const auto url = parse_url(server.url);
    if (!url.handle || (url.scheme != "smtp" && url.scheme != "smtps"))
        throw MailError{"the mail server's URL must be smtp://host:port or smtps://host:port"};
    const auto easy = new_easy();
    const Message message = compose_message(easy.get(), mail);
    const std::string sender = "<" + mail.from_address + ">";
    LineList recipients;
    recipients.add("<" + mail.to_address + ">");
    set_server(easy.get(), server, url, timeout);
    set_option(easy.get(), CURLOPT_MAIL_FROM, sender.c_str());
    set_option(easy.get(), CURLOPT_MAIL_RCPT, recipients.get());
    set_option(easy.get(), CURLOPT_HTTPHEADER, message.headers.get());
    set_option(easy.get(), CURLOPT_MIMEPOST, message.body.get());

    const CURLcode code = curl_easy_perform(easy.get());
    long reply = 0;
    curl_off_t sent = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &reply);
    curl_easy_getinfo(easy.get(), CURLINFO_SIZE_UPLOAD_T, &sent);
    do_not_wait_for_goodbye(easy.get());
    return result_of(code, reply, sent > 0);
}

} // namespace usershell::net
