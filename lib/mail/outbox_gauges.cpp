#include "mail/outbox_gauges.hpp"

#include "base/error.hpp"
#include "store/outbox.hpp"

namespace usershell::mail {
namespace {

constexpr std::chrono::seconds interval{10};

enum Family : std::size_t { queued, failed, waited };

std::vector<metrics::Family> families() {
    using enum metrics::Kind;
    return {{"usershell_outbox_queued", "Mails to be sent.", gauge},
            {"usershell_outbox_failed", "Mails given up and not yet looked at.", gauge},
            {"usershell_outbox_oldest_seconds", "How long the oldest of the queued waits.", gauge}};
}

} // namespace

OutboxGauges::OutboxGauges(Services& services)
    : services_{services},
      registry_{services.settings.metrics_folder, "outbox", families()} {}

void OutboxGauges::sample() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + interval;
    try {
        store::Lease lease{services_.database};
        const store::OutboxState state = store::outbox_state(lease);
        registry_.set(queued, state.queued);
        registry_.set(failed, state.failed);
        registry_.set(waited, state.seconds_waited);
    } catch (const Refusal&) { // NOLINT(bugprone-empty-catch): said above
    }
}

} // namespace usershell::mail
