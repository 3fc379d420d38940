// Mail: a message composed (RFC 5322, MIME multipart/alternative) and handed to an SMTP server,
// both by libcurl. Stateless; any thread may call. Called by the mail sender only, never inside a
// request.
#pragma once

#include "base/error.hpp"

#include <chrono>
#include <string>

namespace usershell::net {

struct MailServer {
    /// smtps://host:port (TLS from the start) or smtp://host:port. With smtp, STARTTLS is required,
    /// but for a loopback host without `ca_file`: that one is spoken to in plain text.
    std::string url;
    std::string user; ///< empty: no AUTH
    std::string password;
    std::string ca_file; ///< further trusted certificates (PEM); empty: the system's
};

struct Mail {
    std::string message_id; ///< the part before '@' (letters, digits, '.', '-', '_'), unique: the
                            ///< same on every try
    std::string from_address;
    std::string from_name;
    std::string to_address; ///< deliverable form
    std::string subject;
    std::string text;
    std::string html;
    std::chrono::system_clock::time_point date;
};

enum class Delivery { delivered, try_later, refused };

struct DeliveryResult {
    Delivery outcome;
    std::string reason; ///< for the log and the operator: reply code and our own words, no address,
                        ///< no password
};

/// The mail or the server's URL can't be used; what() names the field, without its value.
class MailError : public Error {
public:
    using Error::Error;
};

/// One conversation, whole within `timeout` (a server that has refused and then hangs may take it
/// once more). A 5xx reply to this message is refused. All else is try_later: 4xx, no connection,
/// time-outs, a certificate that can't be verified, and 5xx replies about encryption and sign-in
/// (530, 534, 535, 538), which are the operator's to mend and must lose no mail.
///
/// The message: From, To, Subject (RFC 2047 where needed), Date, Message-ID, Auto-Submitted:
/// auto-generated, the two parts in quoted-printable; lines end in CRLF whatever the text has. A
/// control character in any header value, an address with white space or syntax in it and malformed
/// UTF-8 throw MailError, whose text names the field and holds none of its value: no
/// header and no command can be injected. So does a URL of another scheme.
DeliveryResult deliver(const MailServer& server, const Mail& mail, std::chrono::seconds timeout);

} // namespace usershell::net
