#include "store/users/throttle.hpp"

#include "base/ascii.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

// How attempts are slowed down. Each subject (an account, a client address) has a row with its
// failures and the end of the block they have earned. An attempt counts as failed before it is made
// and is forgiven afterwards if it was good: were failures counted afterwards, a hundred parallel
// guesses would all be let in before the first had failed. The function therefore locks the rows of
// all subjects, in the order of their hashes so that two attempts that share subjects can't wait
// for each other, and then looks: if one of them is blocked, it changes nothing and says how long;
// else it adds a failure to each and blocks those that have used up their free attempts, for a
// second at first and twice as long with each failure. An attempt while blocked is not counted, so
// that it does not lengthen the wait; mostly that shows before anything is locked, and then nothing
// is written at all.
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
    ArrayText hashes;
    ArrayText free_attempts;
    ArrayText max_delays;
    for (const Throttle& subject : subjects) {
        hashes.add(R"("\\x)" + hex(subject.subject) + '"');
        free_attempts.add(std::to_string(subject.free_attempts));
        max_delays.add(std::to_string(subject.max_delay.count()));
    }
    return run(lease, take, hashes.text(), free_attempts.text(), max_delays.text())
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
