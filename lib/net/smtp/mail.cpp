#include "net/smtp/mail.hpp"

#include "base/text.hpp"
#include "domain/address/address.hpp"
#include "net/smtp/message.hpp"

#include <algorithm>
#include <array>

#include <sys/socket.h>

namespace usershell::net {

namespace {

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
