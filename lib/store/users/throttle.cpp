#include "store/users/throttle.hpp"

#include "base/ascii.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

// An attempt counts as failed before it is made, and is forgiven afterwards if it was good. Were
// failures counted afterwards, a hundred parallel guesses would be let in before the first had
// failed. The function locks the rows of all subjects in the order of their hashes, so that two
// attempts that share subjects can't wait for each other. An attempt while blocked is not counted,
// so that it does not lengthen the wait.
const Statement take{"take_attempt", by_auth, {R"sql(
SELECT usershell.take_attempt($1::bytea[], $2::integer[],
    ARRAY(SELECT make_interval(secs => s) FROM unnest($3::double precision[]) WITH ORDINALITY AS t (s, n) ORDER BY n)) AS wait)sql"}};

const Statement clear{"clear_attempts", by_auth, {"SELECT usershell.clear_attempts($1)"}};

const Statement forgive{"forgive_attempt", by_auth, {"SELECT usershell.forgive_attempt($1)"}};

const Statement sweep{
    "sweep_leftovers", by_auth, {"SELECT usershell.sweep_leftovers($1) AS swept"}};

} // namespace

std::optional<std::chrono::seconds> take_attempt(Lease& lease,
                                                 const std::vector<Throttle>& subjects) {
    const auto hash = [](const Throttle& of) { return R"("\\x)" + hex(of.subject) + '"'; };
    const auto free_attempts = [](const Throttle& of) { return std::to_string(of.free_attempts); };
    const auto delay = [](const Throttle& of) { return std::to_string(of.max_delay.count()); };
    return run(lease, take, array_of(subjects, hash), array_of(subjects, free_attempts),
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
