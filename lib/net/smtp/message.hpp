// A mail in the form in which libcurl sends it: header lines of ours (RFC 5322, RFC 2047), a body
// that libcurl encodes (MIME, quoted-printable). For mail.cpp only.
#pragma once

#include "net/curl.hpp"
#include "net/smtp/mail.hpp"

namespace usershell::net {

struct Message {
    LineList headers;
    MimeHandle body;
};

/// For a transfer of `easy`, during which it is to be kept. Throws MailError as
/// deliver() does.
Message compose_message(CURL* easy, const Mail& mail);

} // namespace usershell::net
