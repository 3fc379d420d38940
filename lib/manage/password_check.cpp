#include "manage/password_check.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "crypto/token.hpp"
#include "manage/device_cookie.hpp"
#include "store/sessions.hpp"
#include "store/throttle.hpp"

#include <atomic>

namespace usershell {
namespace {

using std::chrono::seconds;

constexpr std::size_t max_password_bytes = 1024;
constexpr std::size_t min_password_characters = 8;
constexpr seconds longest_account_delay{60};
constexpr seconds longest_client_delay{900};
constexpr int most_checks_at_once = 4;

/// At most so many threads of this process wait for Argon2id: the others go on serving pages.
class CheckPlace {
public:
    CheckPlace() : granted_{taken_.fetch_add(1) < most_checks_at_once} {
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

/// A client's address; of IPv6 the /64, which is what one client has.
Throttle client_subject(const Call& call) {
    std::string client = call.request.client_address;
    if (const auto address = Address::parse(client); address && !address->is_v4()) {
        auto bytes = address->bytes();
        std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
        client = Address::v6(bytes).text();
    }
    return {token_hash("throttle-client", client), 5, longest_client_delay};
}

/// What a try counts against: the account, and the client unless it is known to the account. A
/// browser that has signed in to the account before has tries of its own, so that strangers who
/// guess can't keep its owner out, not even those who share the owner's address.
std::vector<Throttle> subjects_of(const Manage& manage, const Call& call,
                                  const std::string& email) {
    const auto device = known_device(manage, call.request, email);
    const std::string who = email + "\n" + device.value_or("strangers");
    std::vector<Throttle> subjects{{token_hash("throttle-account", who), 5, longest_account_delay}};
    if (!device) subjects.push_back(client_subject(call));
    return subjects;
}

void take_try_or_refuse(Call& call, const std::vector<Throttle>& subjects) {
    const auto wait = take_try(call.lease, subjects);
    if (!wait) return;
    log(Level::notice, "sign-in throttled", {{"client", call.request.client_address}});
    throw Refusal{Code::rate_limited, "Too many tries. Wait " + std::to_string(wait->count()) +
                                          " seconds, then try again."}
        .retry_after(*wait);
}

/// The account's failures are forgotten. The client's are not, or guesses between sign-ins to an
/// account of one's own would cost nothing.
void forget_failures(Call& call, const std::vector<Throttle>& subjects) {
    clear_tries(call.lease, subjects.front().subject);
    for (std::size_t i = 1; i < subjects.size(); ++i) forgive_try(call.lease, subjects[i].subject);
}

[[noreturn]] void refuse_for_now(Call& call, const std::vector<Throttle>& subjects) {
    for (const Throttle& each : subjects) forgive_try(call.lease, each.subject);
    throw unavailable("Many people are signing in just now. Try again in a moment.", seconds{1});
}

} // namespace

std::optional<Credentials> check_password(Manage& manage, Call& call, const std::string& email,
                                          const std::string& password) {
    const auto address = parse_email(trim(email));
    const std::string normalized =
        address ? address->normalized : lower_ascii(trim(printable(email)));
    const std::vector<Throttle> subjects = subjects_of(manage, call, normalized);
    take_try_or_refuse(call, subjects);
    const CheckPlace place;
    if (!place.granted()) refuse_for_now(call, subjects);
    auto found = address ? find_credentials(call.lease, normalized) : std::nullopt;
    call.lease.give_back();

    const bool usable = found && !found->disabled && password.size() <= max_password_bytes;
    const bool right = manage.passwords.verify(usable ? found->password_hash : std::string{},
                                               password.substr(0, max_password_bytes));
    if (!usable || !right) {
        log(Level::notice, "wrong password", {{"client", call.request.client_address}});
        return std::nullopt;
    }
    forget_failures(call, subjects);
    return found;
}

bool check_own_password(Manage& manage, Call& call, const std::string& password) {
    if (!check_password(manage, call, call.caller().email, password)) return false;
    renew_sign_in(call.lease, call.user(), call.caller().session);
    return true;
}

std::string new_password_error(const std::string& password) {
    if (!is_utf8(password)) return "A password is text.";
    if (count_code_points(password) < min_password_characters)
        return "A password has at least 8 characters.";
    if (password.size() > max_password_bytes) return "A password has at most 1,024 bytes.";
    return {};
}

} // namespace usershell
