#include "manage/sign_in/password_check.hpp"

#include "base/address/address.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/rules.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "manage/sign_in/browser_words.hpp"
#include "manage/sign_in/cookies.hpp"
#include "store/users/events.hpp"
#include "store/users/passwords.hpp"
#include "store/users/throttle.hpp"

#include <atomic>

namespace usershell::manage {
namespace {

// Why this order. A try is counted before the password is looked at, so that many tries at the same
// moment are no way around the throttle; it is given back when it turns out to be right or can't be
// served. An unknown address goes the same way as a known one, with a salt made up for it and the
// same cost, and is counted the same way: neither the answer nor its time tells which addresses
// have accounts. The hash is made here, and the database compares it: this program can't read the
// stored hashes. While Argon2id runs, which takes a tenth of a second, no connection to the
// database is held.

using std::chrono::seconds;

constexpr int max_checks_at_once = 4;

/// At most so many threads of this process may wait for Argon2id, so that others are left to serve
/// pages.
class CheckPlace {
public:
    CheckPlace() : granted_{taken_.fetch_add(1) < max_checks_at_once} {
        if (!granted_) taken_.fetch_sub(1);
    }
    ~CheckPlace() {
        if (granted_) taken_.fetch_sub(1);
    }
    CheckPlace(const CheckPlace&) = delete;
    CheckPlace& operator=(const CheckPlace&) = delete;

    bool granted() const { return granted_; }

private:
    static inline std::atomic<int> taken_{0};
    bool granted_;
};

store::Throttle client_throttle(const app::RequestContext& context) {
    return {client_subject("throttle-client", context.request), rules::free_sign_in_tries,
            rules::max_client_delay};
}

/// What a try counts against: the account, and the client unless it is known to the account. A
/// browser that has signed in to the account before has tries of its own, so that strangers who
/// guess can't keep its owner out, not even those who share the owner's address.
std::vector<store::Throttle> subjects_of(const Services& services,
                                         const app::RequestContext& context,
                                         const std::string& email,
                                         const store::StampedUser& account) {
    const auto device = known_device(services.web_ring, context.request, account);
    const std::string who = email + "\n" + device.value_or("strangers");
    std::vector<store::Throttle> subjects{{crypto::token_hash("throttle-account", who),
                                           rules::free_sign_in_tries, rules::max_account_delay}};
    if (!device) subjects.push_back(client_throttle(context));
    return subjects;
}

void refuse_when_told_to_wait(Services& services, app::RequestContext& context,
                              const std::string& email, const std::optional<seconds>& wait) {
    if (!wait) return;
    services.password_checks.count(PasswordOutcome::throttled);
    store::note_throttled(context.lease, email, browser_of(context.request));
    log(Level::notice, "sign-in throttled", {{"client", context.request.client_address}});
    throw Refusal{ErrorCode::rate_limited, "Too many tries. Wait " + std::to_string(wait->count()) +
                                               " seconds, then try again."}
        .retry_after(*wait);
}

/// The account's failures are forgotten. The client's are not, or guesses between sign-ins to an
/// account of one's own would cost nothing.
void forget_failures(app::RequestContext& context, const std::vector<store::Throttle>& subjects) {
    store::clear_attempts(context.lease, subjects.front().subject);
    for (std::size_t i = 1; i < subjects.size(); ++i)
        store::forgive_attempt(context.lease, subjects[i].subject);
}

[[noreturn]] void refuse_for_now(Services& services, app::RequestContext& context,
                                 const std::vector<store::Throttle>& subjects) {
    services.password_checks.count(PasswordOutcome::busy);
    for (const store::Throttle& each : subjects)
        store::forgive_attempt(context.lease, each.subject);
    throw unavailable("Many people are signing in just now. Try again in a moment.", seconds{1});
}

/// How many bytes of a password are hashed: no stored password is longer, so a longer one need not
/// cost more.
std::string_view looked_at(const crypto::Secret& password) {
    return password.reveal().substr(0, rules::max_password_bytes);
}

std::optional<store::StampedUser> verify(Services& services, app::RequestContext& context,
                                         const std::string& email, const std::string& salt_and_cost,
                                         const crypto::Secret& password) {
    context.lease.release();
    const std::string hash = services.passwords.hash_with(salt_and_cost, looked_at(password));
    const bool too_long = password.size() > rules::max_password_bytes;
    auto verdict = store::check_password(context.lease, email, too_long ? std::string{} : hash,
                                         browser_of(context.request));
    refuse_when_told_to_wait(services, context, email, verdict.wait);
    if (verdict.verified && services.passwords.needs_rehash(salt_and_cost)) {
        context.lease.release();
        const std::string fresh = services.passwords.hash(password.reveal());
        store::check_password(context.lease, email, hash, browser_of(context.request), fresh);
    }
    return std::move(verdict.verified);
}

} // namespace

std::string client_subject(std::string_view purpose, const web::Request& request) {
    const auto address = Address::parse(request.client_address);
    const std::string client = address ? address->client_network().text() : request.client_address;
    return crypto::token_hash(purpose, client);
}

std::optional<store::StampedUser> check_password(Services& services, app::RequestContext& context,
                                                 const std::string& email,
                                                 const crypto::Secret& password) {
    const auto address = parse_email(trim(email));
    const std::string normalized =
        address ? address->normalized : lower_ascii(trim(printable(email)));
    const store::PasswordSalt account =
        store::find_password(context.lease, normalized, services.passwords.usual_cost());
    const std::vector<store::Throttle> subjects =
        subjects_of(services, context, normalized, account.who);
    refuse_when_told_to_wait(services, context, normalized,
                             store::take_attempt(context.lease, subjects));
    const CheckPlace place;
    if (!place.granted()) refuse_for_now(services, context, subjects);
    auto verified = verify(services, context, normalized, account.salt_and_cost, password);
    services.password_checks.count(verified ? PasswordOutcome::right : PasswordOutcome::wrong);
    if (verified)
        forget_failures(context, subjects);
    else
        log(Level::notice, "wrong password", {{"client", context.request.client_address}});
    return verified;
}

std::optional<store::StampedUser> check_own_password(Services& services,
                                                     app::RequestContext& context,
                                                     const crypto::Secret& password) {
    auto verified = check_password(services, context, context.caller().email, password);
    if (!verified || verified->user != context.user()) return std::nullopt;
    return verified;
}

} // namespace usershell::manage
