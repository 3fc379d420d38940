// The queue of mail, as usershell-mail takes from it.
#include "store/outbox.hpp"
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
void queue_mails(const UserId& owner, int count) {
    as_superuser("INSERT INTO usershell.outbox (owner_id, id, kind, sealed) "
                 "SELECT $1, gen_random_uuid(), 'notice', '' FROM generate_series(1, $2)",
                 owner.text(), count);
}
void empty_queue() { as_superuser("DELETE FROM usershell.outbox"); }

BOOST_AUTO_TEST_CASE(one_is_taken_however_many_rows_the_planner_expects) {
    const UserId owner = add_user().id;
    for (const int expected : {1, 3, 100}) {
        empty_queue();
        queue_mails(owner, expected);
        as_superuser("ANALYZE usershell.outbox");
        empty_queue();
        queue_mails(owner, 3);
        Acting sender{test_database().as_mail()};
        BOOST_TEST(take_mail(sender.lease, 2min).has_value());
        const auto due = as_superuser("SELECT count(*) FROM usershell.outbox WHERE attempts = 0");
        BOOST_TEST(due[0][0].as<int>() == 2, expected);
    }
    empty_queue();
}
} // namespace
} // namespace usershell::store
