#include "auth/password_check.hpp"

#include "auth/browser_words.hpp"
#include "auth/cookies.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/address/address.hpp"
#include "domain/email.hpp"
#include "domain/rules.hpp"
#include "pipeline/answer.hpp"
#include "store/users/events.hpp"
#include "store/users/passwords.hpp"
#include "store/users/sessions.hpp"
#include "store/users/users.hpp"

#include <utility>

namespace usershell::auth {
namespace {

// Why this order. Without a free permit there is no statement, so that a flood of tries leaves the
// store to others. A try is counted before the password is looked at, so that many tries at the
// same moment are no way around the throttle; it is given back when it turns out to be right. An
// unknown address goes the same way as a known one, with salt and cost made up for it, and is
// counted the same way: neither the answer nor its time shows which addresses have accounts. The
// hash is made here, and the database compares it: this program can't read the stored hashes. While
// Argon2id runs, which takes a tenth of a second, no connection to the database is held.

using std::chrono::seconds;

/// The subjects that a try counts against. It counts against the account, in the first place, and
/// the client unless it is known to the account. A browser that has signed in to the account before
/// has tries of its own, so that strangers who guess can't keep its owner out, not even those who
/// share the owner's address.
std::vector<store::Throttle> subjects_of(const Services& services,
                                         const pipeline::RequestContext& context,
                                         const std::string& email,
                                         const store::StampedUser& account) {
    const auto device = known_device(services.auth_ring, context.request, account);
    const std::string who = email + "\n" + device.value_or("strangers");
    std::vector<store::Throttle> subjects;
    if (!device)
        subjects = client_throttles("throttle-client", context.request, rules::free_sign_in_tries,
                                    rules::max_client_delay);
    subjects.insert(subjects.begin(), {crypto::token_hash("throttle-account", who),
                                       rules::free_sign_in_tries, rules::max_account_delay});
    return subjects;
}

void refuse_when_told_to_wait(Services& services, pipeline::RequestContext& context,
                              const std::string& email, const std::optional<seconds>& wait) {
    if (!wait) return;
    services.password_checks.count(PasswordOutcome::throttled);
    store::note_throttled(context.lease, email, browser_of(context.request));
    log(Level::notice, "sign-in throttled", {{"client", context.request.client_address}});
    throw Refusal{ErrorCode::rate_limited, wait_sentence(*wait)}.retry_after(*wait);
}

/// The account's failures are forgotten. The client's are not, or guesses between sign-ins to an
/// account of one's own would cost nothing.
void forget_failures(pipeline::RequestContext& context,
                     const std::vector<store::Throttle>& subjects) {
    store::clear_attempts(context.lease, subjects.front().subject);
    for (std::size_t i = 1; i < subjects.size(); ++i)
        store::forgive_attempt(context.lease, subjects[i].subject);
}

/// Before any statement: a flood of tries costs the store nothing. A kept one is for the user of
/// the session, else of the browser.
PasswordPermits::Permit permit_for(Services& services, const pipeline::RequestContext& context) {
    try {
        return services.passwords.take(context.signed_in
                                           ? std::optional{context.user()}
                                           : user_of_browser(services.auth_ring, context.request));
    } catch (const Refusal&) {
        services.password_checks.count(PasswordOutcome::busy);
        throw;
    }
}

/// A hash of no stored password: those are no longer, so a longer one need not cost more.
std::string hash_of(const PasswordPermits::Permit& permit, const std::string& salt_and_cost,
                    std::string_view form) {
    std::string hash = permit.hash_with(salt_and_cost, form.substr(0, rules::max_password_bytes));
    return form.size() > rules::max_password_bytes ? std::string{} : hash;
}

/// In each form in which a stored one may have been hashed: that of RFC 8265, and as it was typed,
/// if that is another. So what it costs depends on the password alone.
std::vector<std::string> hashes_of(const PasswordPermits::Permit& permit,
                                   const std::string& salt_and_cost, std::string_view typed) {
    const auto prepared = opaque_string(typed);
    std::vector<std::string> hashes;
    if (prepared) hashes.push_back(hash_of(permit, salt_and_cost, *prepared));
    if (!prepared || *prepared != typed) hashes.push_back(hash_of(permit, salt_and_cost, typed));
    return hashes;
}

std::optional<store::SignIn> verify(Services& services, pipeline::RequestContext& context,
                                    const PasswordPermits::Permit& permit, store::Deed deed,
                                    const std::string& email, const std::string& salt_and_cost,
                                    const crypto::Secret& password) {
    context.lease.release();
    const auto compare = [&](const std::vector<std::string>& hashes, const std::string& fresh) {
        return store::check_password(context.lease, email, hashes, browser_of(context.request),
                                     deed, visitor_hash(context.request), fresh);
    };
    const auto hashes = hashes_of(permit, salt_and_cost, password.reveal());
    auto verdict = compare(hashes, {});
    refuse_when_told_to_wait(services, context, email, verdict.wait);
    if (verdict.verified &&
        (services.passwords.needs_rehash(salt_and_cost) || verdict.hash != hashes.front())) {
        context.lease.release();
        compare({verdict.hash}, permit.hash(password.reveal()));
    }
    return std::move(verdict.verified);
}

} // namespace

Sentence wait_sentence(seconds wait) {
    if (wait == seconds{1}) return "Too many attempts. Try again in 1 second."_en;
    return {"Too many attempts. Try again in {seconds} seconds."_en,
            {{"seconds", std::to_string(wait.count())}}};
}

std::vector<store::Throttle> client_throttles(std::string_view purpose, const web::Request& request,
                                              int free_attempts, std::chrono::seconds max_delay) {
    const auto address = Address::parse(request.client_address);
    if (!address)
        return {{crypto::token_hash(purpose, request.client_address), free_attempts, max_delay}};
    std::vector<store::Throttle> subjects;
    for (const std::string& network : address->client_networks()) {
        const int clients = subjects.empty() ? 1 : rules::clients_of_a_site;
        subjects.push_back(
            {crypto::token_hash(purpose, network), free_attempts * clients, max_delay});
    }
    return subjects;
}

std::optional<store::SignIn> check_password(Services& services, pipeline::RequestContext& context,
                                            store::Deed deed, const std::string& email,
                                            const crypto::Secret& password) {
    const auto address = parse_email(trim(email));
    const std::string normalized =
        address ? address->normalized : lower_ascii(trim(printable(email)));
    const PasswordPermits::Permit permit = permit_for(services, context);
    const store::PasswordSalt account =
        store::find_password(context.lease, normalized, services.passwords.usual_cost());
    const auto subjects = subjects_of(services, context, normalized, account.who);
    refuse_when_told_to_wait(services, context, normalized,
                             store::take_attempt(context.lease, subjects));
    auto verified =
        verify(services, context, permit, deed, normalized, account.salt_and_cost, password);
    services.password_checks.count(verified ? PasswordOutcome::right : PasswordOutcome::wrong);
    if (!verified)
        log(Level::notice, "wrong password", {{"client", context.request.client_address}});
    else
        forget_failures(context, subjects);
    return verified;
}

} // namespace usershell::auth
