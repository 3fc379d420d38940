// Events with a mail, whichever program caused them.
#include "store/store_fixture.hpp"
#include "store/users/events.hpp"
namespace usershell::store {
namespace {
struct Announced : ProviderOwner {
    Announced() {
        ProviderFields fields = some_fields();
        fields.handle = "renamed";
        edit_provider(lease, owner, provider, fields);
    }
    std::vector<WaitingEvent> waiting() {
        auto events = events_to_announce(auth.lease, 10'000);
        std::erase_if(events, [&](const WaitingEvent& each) { return each.owner != owner; });
        return events;
    }
    void announce(const WaitingEvent& event) {
        const QueuedMail mail{crypto::random_id<MailId>(), "security-event",
                              crypto::SealedMail{some_envelope(2)}};
        announce_event(auth.lease, event, mail);
    }
    Vouching auth;
};

BOOST_FIXTURE_TEST_CASE(an_event_waits_for_its_mail_and_gets_one, Announced) {
    const auto found = waiting();
    BOOST_REQUIRE(found.size() == 1U);
    BOOST_TEST(found[0].kind == "handle_changed");
    BOOST_TEST(found[0].email == user.email.shown);
    BOOST_TEST(found[0].display_name == "Somebody");
    for (int process = 0; process < 2; ++process) announce(found[0]);
    BOOST_TEST(rows_in("outbox", owner) == 1U);
    BOOST_TEST(waiting().empty());
}

BOOST_FIXTURE_TEST_CASE(a_person_gets_so_many_an_hour_and_none_is_lost, Announced) {
    as_superuser("SELECT usershell.note_event($1, 'provider_moved', '', '', '') "
                 "FROM generate_series(1, 8)",
                 owner.text());
    const auto all = waiting();
    BOOST_TEST(all.size() == 5U);
    for (const WaitingEvent& event : all) announce(event);
    BOOST_TEST(waiting().empty());
    as_superuser("UPDATE usershell.events SET announced_at = announced_at - interval '1 hour' "
                 "WHERE owner_id = $1 AND announced_at > '-infinity'",
                 owner.text());
    BOOST_TEST(waiting().size() == 4U);
    BOOST_TEST(rows_in("outbox", owner) == 5U);
}

BOOST_FIXTURE_TEST_CASE(events_of_other_kinds_have_no_mail, Announced) {
    set_provider_key(lease, owner, provider, some_key());
    BOOST_TEST(waiting().size() == 1U);
}
} // namespace
} // namespace usershell::store
