// Events that the database writes, for each statement that causes them; those with a mail,
// whichever program caused them; and the queue of mail, as usershell-mail takes from it.
#include "store/outbox.hpp"
#include "store/store_fixture.hpp"
#include "store/users/events.hpp"
namespace usershell::store {
namespace {
/// A person with a provider, an account and a session, and nothing that has happened so far.
struct Eventful : ProviderOwner {
    Eventful() {
        start_session(auth, proven(owner), session);
        as_superuser("DELETE FROM usershell.events WHERE owner_id = $1", owner.text());
    }
    void gives_wrong_password() {
        check_password(auth, user.email.normalized, {"wrong"}, "Firefox on Linux");
    }
    /// "kind(about) …", newest first, of what the page shows besides sign-ins.
    std::string shown(int limit = 20, int of_kind = 5) {
        std::string text;
        auth.present(session_of(owner).auth_token_hash);
        as_superuser("DELETE FROM usershell.events WHERE owner_id = $1 AND kind = 'signed_in'",
                     owner.text());
        for (const Event& event : latest_events(auth, limit, of_kind))
            text += event.kind + (event.about.empty() ? " " : "(" + event.about + ") ");
        return text;
    }
    Vouching vouching;
    Lease& auth = vouching.lease;
    AccountId account = add_account("Second key");
    NewSession session = [] {
        NewSession made = some_session();
        made.browser = "Firefox on Linux";
        made.client_address = "192.0.2.1";
        return made;
    }();
    Operating operating;
};

BOOST_FIXTURE_TEST_CASE(a_sign_in_is_told_with_browser_and_address, Eventful) {
    NewSession other = some_session();
    other.browser = session.browser;
    other.client_address = session.client_address;
    start_session(auth, proven(owner), other);
    const auto latest = latest_events(auth, 20, 5);
    BOOST_REQUIRE(latest.size() == 1U);
    BOOST_TEST(latest[0].kind == "signed_in");
    BOOST_TEST(latest[0].browser + latest[0].client_address == "Firefox on Linux192.0.2.1");
}

BOOST_FIXTURE_TEST_CASE(a_wrong_password_is_told_without_an_address, Eventful) {
    gives_wrong_password();
    check_password(auth, "nobody-" + user.email.normalized, {"wrong"}, "curl");
    const auto latest = latest_events(auth, 20, 5);
    BOOST_REQUIRE(latest.size() == 1U);
    BOOST_TEST(latest[0].kind == "wrong_password");
    BOOST_TEST(latest[0].browser + latest[0].client_address == "Firefox on Linux");
    BOOST_TEST(check_password(auth, user.email.normalized, {"some hash"}, "").verified.has_value());
    BOOST_TEST(shown() == "wrong_password ");
}

BOOST_FIXTURE_TEST_CASE(being_throttled_is_told_once_an_hour, Eventful) {
    for (int i = 0; i < 3; ++i) note_throttled(auth, user.email.normalized, "curl");
    BOOST_TEST(shown() == "throttled ");
    // Unknown addresses share one hour: a flood of them writes one row.
    const auto of_nobody = [&] { return rows_in("events", global_owner()); };
    note_throttled(auth, "nobody-" + user.email.normalized, "curl");
    const std::size_t before = of_nobody();
    for (int i = 0; i < 3; ++i)
        note_throttled(auth, std::to_string(i) + user.email.normalized, "curl");
    BOOST_TEST(before > 0);
    BOOST_TEST(of_nobody() == before);
}

BOOST_FIXTURE_TEST_CASE(keys_are_told_by_the_name_of_what_they_belong_to, Eventful) {
    set_provider_key(lease, owner, provider, some_key());
    set_account_key(lease, owner, provider, account, some_key());
    edit_provider(lease, owner, provider, some_fields("Renamed"));
    set_account_enabled(lease, owner, provider, account, false);
    delete_account(lease, owner, provider, account);
    delete_provider(lease, owner, provider);
    BOOST_TEST(shown() == "key_removed(Renamed) key_removed(Renamed: Second key) "
                          "key_replaced(Some provider: Second key) key_replaced(Some provider) ");
    ProviderOwner other;
    Vouching vouching_for_other{other.owner};
    const auto told = latest_events(*vouching_for_other, 20, 5);
    BOOST_TEST(std::ranges::count(told, "key_added", &store::Event::kind) == 1);
}

BOOST_FIXTURE_TEST_CASE(security_events_are_told_whoever_brings_them_about, Eventful) {
    BOOST_TEST(
        change_password(auth, proven(owner, "password").id, "other", some_keys()).has_value());
    operator_set_password(operating.lease, owner, "another");
    as_superuser("UPDATE usershell.users SET email = 'x' || email WHERE id = $1", owner.text());
    set_disabled(operating.lease, owner, true);
    set_disabled(operating.lease, owner, false);
    BOOST_TEST(check_password(auth, user.email.normalized, {"another"}, "", "costlier")
                   .verified.has_value());
    auth.present(session_of(owner).auth_token_hash);
    sign_out_everywhere(auth);
    lease.present(session_of(owner).token_hash);
    set_display_name(lease, owner, "Another name");
    BOOST_TEST(shown() == "signed_out_everywhere enabled disabled address_changed password_changed "
                          "password_changed ");
}

BOOST_FIXTURE_TEST_CASE(what_is_undone_has_not_happened, Eventful) {
    pqxx::connection connection{test_database().as_superuser()};
    {
        pqxx::work undone{connection};
        libpqxx::query(undone, "UPDATE usershell.users SET password_hash = 'other' WHERE id = $1",
                       owner.text());
    }
    BOOST_TEST(shown() == "");
}

BOOST_FIXTURE_TEST_CASE(wrong_passwords_push_nothing_else_out, Eventful) {
    set_provider_key(lease, owner, provider, some_key());
    for (int i = 0; i < 60; ++i) gives_wrong_password();
    BOOST_TEST(rows_in("events", owner) == 51);
    BOOST_TEST(shown(20, 2) == "wrong_password wrong_password key_replaced(Some provider) ");
    BOOST_TEST(shown(2, 5) == "wrong_password wrong_password ");
}

BOOST_FIXTURE_TEST_CASE(the_operator_sees_one_persons_or_everybodys, Eventful) {
    gives_wrong_password();
    Eventful other;
    other.gives_wrong_password();
    const auto own = list_events(operating.lease, owner);
    BOOST_REQUIRE(own.size() == 1U);
    BOOST_TEST(own[0].email == user.email.shown);
    BOOST_TEST(list_events(operating.lease, std::nullopt).size() >= 2U);
    for (const UserEvent& each : list_events(operating.lease, std::nullopt))
        BOOST_TEST(each.email != "");
}

BOOST_FIXTURE_TEST_CASE(they_are_swept_when_their_time_is_over_and_not_within_a_week, Eventful) {
    const auto age = [&](const std::string& interval) {
        as_superuser("UPDATE usershell.events SET happened_at = now() - $2::interval "
                     "WHERE owner_id = $1",
                     owner.text(), interval);
    };
    gives_wrong_password();
    age("6 days");
    sweep_events(auth, 1000, 7 * 24h);
    BOOST_TEST(shown() == "wrong_password ");
    age("20 days");
    sweep_events(auth, 1000, 21 * 24h);
    BOOST_TEST(shown() == "wrong_password ");
    sweep_events(auth, 1000, 19 * 24h);
    BOOST_TEST(shown() == "");
}

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

BOOST_FIXTURE_TEST_CASE(whose_event_does_not_wait_is_not_locked, Announced) {
    pqxx::connection thief{test_database().as_auth()};
    pqxx::work kept_open{thief};
    const auto has_no_mail =
        value<std::string>("SELECT id FROM usershell.events WHERE owner_id = $1 AND "
                           "announced_at = '-infinity' LIMIT 1",
                           owner.text());
    for (const std::string& event : {has_no_mail, crypto::random_uuid()})
        libpqxx::query(kept_open, "SELECT usershell.announce_event($1, $2, gen_random_uuid(), '')",
                       owner.text(), event);
    BOOST_TEST(any("SELECT FROM usershell.users WHERE id = $1 FOR UPDATE NOWAIT", owner.text()));
}

BOOST_FIXTURE_TEST_CASE(a_row_that_is_held_keeps_back_its_owners_mails_alone, Announced) {
    Announced other;
    pqxx::connection thief{test_database().as_superuser()};
    pqxx::work kept_open{thief};
    libpqxx::query(kept_open, "SELECT FROM usershell.users WHERE id = $1 FOR NO KEY UPDATE",
                   owner.text());
    BOOST_TEST((waiting().empty() && other.waiting().size() == 1U));
    const auto next = events_to_announce(auth.lease, 1);
    BOOST_TEST((next.size() == 1U && next[0].owner != owner));
}

BOOST_FIXTURE_TEST_CASE(events_of_other_kinds_have_no_mail, Announced) {
    set_provider_key(lease, owner, provider, some_key());
    BOOST_TEST(waiting().size() == 1U);
}

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
