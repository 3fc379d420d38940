#include "store/users/passwords.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement find{
    "find_password",
    by_auth,
    {"SELECT user_id, security_stamp, salt_and_cost FROM usershell.find_password($1, $2)"}};

const Statement take{
    "take_guess", by_auth, {"SELECT wait FROM usershell.take_guess($1, $2) AS wait"}};

const Statement check{
    "check_password",
    by_auth,
    {"SELECT user_id, security_stamp, hash FROM usershell.check_password($1, $2, $4, $3)"}};

/// Of letters, digits, "$", "=", "+" and "/" alone, or empty.
std::string quoted(const std::string& hash) { return "\"" + hash + "\""; }

} // namespace

PasswordSalt find_password(Lease& lease, const std::string& normalized_email,
                           const std::string& usual_cost) {
    Rows rows = run(lease, find, normalized_email, usual_cost);
    const Row row = rows.front();
    return {{row.get<UserId>("user_id"), row.bytes("security_stamp")},
            row.get<std::string>("salt_and_cost")};
}

PasswordVerdict check_password(Lease& lease, const std::string& normalized_email,
                               const std::vector<std::string>& hashes, const std::string& browser,
                               const std::string& fresh_hash) {
    PasswordVerdict verdict;
    for (const std::string& hash : hashes) {
        Rows counted = run(lease, take, normalized_email, hash);
        verdict.wait = counted.front().get<std::optional<std::chrono::seconds>>("wait");
        if (verdict.wait) return verdict;
    }
    Rows rows = run(lease, check, normalized_email, array_of(hashes, quoted), browser, fresh_hash);
    const Row row = rows.front();
    if (const auto user = row.get<std::optional<UserId>>("user_id")) {
        verdict.verified = StampedUser{*user, row.bytes("security_stamp")};
        verdict.hash = row.get<std::string>("hash");
    }
    return verdict;
}

} // namespace usershell::store
