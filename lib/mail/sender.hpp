// The mail sender's work: takes queued mail, opens it, and hands it to an SMTP server, one at a
// time; the store sees to it that no two processes take the same mail. A mail that can't be sent
// now is tried again with growing delay; what the server refuses for good, can't be opened, or was
// queued too long ago for its link to work is given up, logged, and shown by `usershellctl mail`.
#pragma once

#include "mail/services.hpp"
#include "metrics/registry.hpp"

#include <chrono>

namespace usershell::mail {

/// One round: sends the next due mail, if there is one. Returns how long to wait before the next
/// round: nothing while there is mail.
std::chrono::milliseconds send_due_mail(Services& services);

/// How long to wait after that many tries: 10 s, doubling up to an hour.
std::chrono::seconds delay_after(int tries);

// How much mail waits, for operators. Used by one thread.

class OutboxGauges {
public:
    /// Throws Error.
    explicit OutboxGauges(Services& services);

    /// Asks the store, at most every ten seconds. While the store can't be reached, the gauges keep
    /// their last values.
    void sample();

    const metrics::Registry& registry() const { return registry_; }

private:
    Services& services_;
    metrics::Registry registry_;
    std::chrono::steady_clock::time_point next_{};
};

} // namespace usershell::mail
