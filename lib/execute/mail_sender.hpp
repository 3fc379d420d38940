// The mail sender: sends queued mail by SMTP, one at a time, in a round of its own in every
// usershell-execute; the store sees to it that no two take the same mail. What can't be sent now is
// tried again with growing delay; what the server refuses for good is given up, logged, and shown
// by `usershellctl mail`.
#pragma once

#include "execute/services.hpp"

#include <chrono>

namespace usershell::execute {

/// One round: sends the next due mail, if there is one. Returns how long to wait before the next
/// round: nothing while there is mail.
std::chrono::milliseconds send_due_mail(Services& services);

/// How long to wait after that many tries: 10 s, doubling up to an hour.
std::chrono::seconds delay_after(int tries);

} // namespace usershell::execute
