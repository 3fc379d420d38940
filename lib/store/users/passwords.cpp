#include "store/users/passwords.hpp"

#include "store/database/run.hpp"

#include <array>
#include <cstddef>

namespace usershell::store {

namespace {

const Statement find{
    "find_password",
    by_auth,
    {"SELECT user_id, security_stamp, salt_and_cost FROM usershell.find_password($1, $2)"}};

const Statement take{
    "take_guess", by_auth, {"SELECT wait FROM usershell.take_guess($1, $2) AS wait"}};

const Statement check{"check_password",
                      by_auth,
                      {"SELECT user_id, security_stamp, hash, sign_in, is_enough FROM "
                       "usershell.check_password($1, $2, $4, $3, $5, $6)"}};

/// In the order of Deed.
const std::array<std::string, 6> deeds{"session", "token",  "password",
                                       "address", "factor", "deletion"};

/// Of letters, digits, "$", "=", "+" and "/" alone, or empty.
std::string quoted(const std::string& hash) { return "\"" + hash + "\""; }

} // namespace

const std::string& word_of(Deed deed) { return deeds.at(static_cast<std::size_t>(deed)); }

PasswordSalt find_password(Lease& lease, const std::string& normalized_email,
                           const std::string& usual_cost) {
    Rows rows = run(lease, find, normalized_email, usual_cost);
    const Row row = rows.front();
    return {{row.get<UserId>("user_id"), row.bytes("security_stamp")},
            row.get<std::string>("salt_and_cost")};
}

PasswordVerdict check_password(Lease& lease, const std::string& normalized_email,
                               const std::vector<std::string>& hashes, const std::string& browser,
                               Deed deed, const std::string& visitor,
                               const std::string& fresh_hash) {
    PasswordVerdict verdict;
    for (const std::string& hash : hashes) {
        Rows counted = run(lease, take, normalized_email, hash);
        verdict.wait = counted.front().get<std::optional<std::chrono::seconds>>("wait");
        if (verdict.wait) return verdict;
    }
    Rows rows = run(lease, check, normalized_email, array_of(hashes, quoted), browser, fresh_hash,
                    word_of(deed), Bytes{visitor});
    const Row row = rows.front();
    if (const auto id = row.get<std::optional<SignInId>>("sign_in")) {
        verdict.verified = SignIn{{row.get<UserId>("user_id"), row.bytes("security_stamp")},
                                  *id,
                                  visitor,
                                  row.get<bool>("is_enough")};
        verdict.hash = row.get<std::string>("hash");
    }
    return verdict;
}

namespace {

// An attempt counts as failed before it is made, and is forgiven afterwards if it was good. Were
// failures counted afterwards, a hundred parallel guesses would be let in before the first had
// failed. The function locks the rows of all subjects in the order of their hashes, so that two
// attempts that share subjects can't wait for each other. An attempt while blocked is not counted,
// so that it does not lengthen the wait.
const Statement take_one{"take_attempt", by_auth, {R"sql(
SELECT usershell.take_attempt($1::bytea[], $2::integer[],
    ARRAY(SELECT make_interval(secs => s) FROM unnest($3::double precision[]) WITH ORDINALITY AS t (s, n) ORDER BY n)) AS wait)sql"}};

const Statement clear{"clear_attempts", by_auth, {"SELECT usershell.clear_attempts($1)"}};

const Statement forgive{"forgive_attempt", by_auth, {"SELECT usershell.forgive_attempt($1)"}};

const Statement sweep{
    "sweep_leftovers", by_auth, {"SELECT usershell.sweep_leftovers($1) AS swept"}};

} // namespace

std::optional<std::chrono::seconds> take_attempt(Lease& lease,
                                                 const std::vector<Throttle>& subjects) {
    const auto hash = [](const Throttle& of) { return quoted_bytea(of.subject); };
    const auto free_attempts = [](const Throttle& of) { return std::to_string(of.free_attempts); };
    const auto delay = [](const Throttle& of) { return std::to_string(of.max_delay.count()); };
    return run(lease, take_one, array_of(subjects, hash), array_of(subjects, free_attempts),
               array_of(subjects, delay))
        .front()
        .get<std::optional<std::chrono::seconds>>("wait");
}

void clear_attempts(Lease& lease, const std::string& subject) { run(lease, clear, Bytes{subject}); }

void forgive_attempt(Lease& lease, const std::string& subject) {
    run(lease, forgive, Bytes{subject});
}

int sweep_leftovers(Lease& lease, int limit) {
    return run(lease, sweep, limit).front().get<int>("swept");
}

} // namespace usershell::store
