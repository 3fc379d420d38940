#include "store/throttle.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement take{"take_try", by_manage, {R"sql(
SELECT usershell.take_try($1::bytea[], $2::integer[],
    ARRAY(SELECT make_interval(secs => s) FROM unnest($3::double precision[]) WITH ORDINALITY AS t (s, n) ORDER BY n)) AS wait)sql"}};

const Statement clear{"clear_tries", by_manage, {"SELECT usershell.clear_tries($1)"}};

const Statement forgive{"forgive_try", by_manage, {"SELECT usershell.forgive_try($1)"}};

const Statement sweep{
    "sweep_leftovers", by_manage, {"SELECT usershell.sweep_leftovers($1) AS swept"}};

/// PostgreSQL's text form of an array; the values need no quotes.
class ArrayText {
public:
    void add(const std::string& value) {
        if (text_.size() > 1) text_ += ',';
        text_ += value;
    }
    std::string text() const { return text_ + "}"; }

private:
    std::string text_ = "{";
};

std::string hex_bytes(const std::string& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = R"("\\x)";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += {digits[byte >> 4U], digits[byte & 15U]};
    }
    return text + '"';
}

} // namespace

std::optional<std::chrono::seconds> take_try(Lease& lease, const std::vector<Throttle>& subjects) {
    ArrayText hashes;
    ArrayText free_tries;
    ArrayText longest;
    for (const Throttle& subject : subjects) {
        hashes.add(hex_bytes(subject.subject));
        free_tries.add(std::to_string(subject.free_tries));
        longest.add(std::to_string(subject.max_delay.count()));
    }
    return run(lease, take, hashes.text(), free_tries.text(), longest.text())
        .front()
        .get<std::optional<std::chrono::seconds>>("wait");
}

void clear_tries(Lease& lease, const std::string& subject) { run(lease, clear, Bytes{subject}); }

void forgive_try(Lease& lease, const std::string& subject) { run(lease, forgive, Bytes{subject}); }

int sweep_leftovers(Lease& lease, int limit) {
    return run(lease, sweep, limit).front().get<int>("swept");
}

} // namespace usershell::store
