// Each security event ends sessions and links, and other changes do not.
#include "store/store_fixture.hpp"
#include "store/tokens/access_tokens.hpp"
#include "store/users/links.hpp"
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <utility>
namespace usershell::store {
namespace {
QueuedMail some_mail() {
    return {crypto::random_id<MailId>(), "notice", crypto::SealedMail{some_envelope(2)}};
}
/// A person with one of everything that is made under a security stamp.
struct Stamped {
    Stamped() {
        start_session(lease, proven(user.id), session);
        BOOST_TEST((starts_change() == ChangeStart::started));
        start_password_reset(operating.lease, user.id, {token, 1h, true}, some_mail());
        lease.present(session.keys.auth_token_hash);
        const auto made = crypto::new_access_token(crypto::random_id<InstallationId>());
        const TokenLimits limits{.name = "n", .requests_a_minute = 1, .lifetime = 1h};
        make_token(lease, proven(user.id, "token").id, crypto::random_id<AccessTokenId>(),
                   made.proof, limits, {});
    }
    ChangeStart starts_change() {
        return start_email_change(lease, proven(user.id, "address").id, {address, token, 1h},
                                  some_mail());
    }
    bool changes_address(const SessionKeys& keys) {
        const EmailConfirmation confirmation{address.normalized, token, keys};
        return confirm_email_change(lease, confirmation, std::nullopt).has_value();
    }
    std::string good() {
        std::string words;
        const auto say = [&](bool is_good, const char* word) { words += is_good ? word : ""; };
        say(sign_auth_request_in(lease, session.keys.auth_token_hash).has_value(), "session ");
        lease.present(session_of(user.id).auth_token_hash);
        say(pending_email(lease).has_value(), "pending ");
        say(!own_tokens(lease).empty(), "token ");
        say(find_password_reset(lease, token).has_value(), "link ");
        say(stamped(user.id).stamp == before.stamp, "stamp ");
        return words;
    }
    TestUser user = add_user();
    StampedUser before = stamped(user.id);
    Vouching vouching;
    Lease& lease = vouching.lease;
    Operating operating;
    NewSession session = some_session();
    EmailAddress address = parse_email("new-" + user.email.shown).value();
    std::string token = crypto::random_bytes(32);
};
struct Event {
    const char* name;
    std::function<void(Stamped&)> happen;
};
std::ostream& operator<<(std::ostream& out, const Event& event) { return out << event.name; }
const std::vector<Event> events{
    {"password changed",
     [](Stamped& s) {
         const auto proof = proven(s.user.id, "password").id;
         BOOST_TEST(change_password(s.lease, proof, "other", some_keys()).has_value());
     }},
    {"password reset",
     [](Stamped& s) { BOOST_TEST(finish_password_reset(s.lease, s.token, "other").has_value()); }},
    {"password set by the operator",
     [](Stamped& s) { operator_set_password(s.operating.lease, s.user.id, "other"); }},
    {"password set by hand",
     [](Stamped& s) {
         as_superuser("UPDATE usershell.users SET password_hash = 'other' WHERE id = $1",
                      s.user.id.text());
     }},
    {"address changed", [](Stamped& s) { BOOST_TEST(s.changes_address(some_keys())); }},
    {"signed out everywhere", [](Stamped& s) { sign_out_everywhere(s.lease); }},
    {"disabled and enabled",
     [](Stamped& s) {
         set_disabled(s.operating.lease, s.user.id, true);
         set_disabled(s.operating.lease, s.user.id, false);
     }},
    {"enabled",
     [](Stamped& s) {
         as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = $1",
                      s.user.id.text());
         const StampedUser disabled = stamped(s.user.id);
         set_disabled(s.operating.lease, s.user.id, false);
         BOOST_TEST((stamped(s.user.id).stamp != disabled.stamp));
     }},
    {"factors reset by the operator",
     [](Stamped& s) {
         add_factor(s.lease, proven(s.user.id, "factor"), some_app(), some_hashes(), false);
         BOOST_TEST(reset_factors(s.operating.lease, s.user.id));
     }},
    {"restored", [](Stamped& s) { end_everything(s.operating.lease); }},
};
const std::vector<Event> harmless{
    {"nothing", [](Stamped&) {}},
    {"rehashed",
     [](Stamped& s) {
         const std::string stored = "some hash";
         BOOST_TEST(check_password(s.lease, s.user.email.normalized, {stored}, "", "costlier")
                        .verified.has_value());
     }},
    {"renamed",
     [](Stamped& s) { set_display_name(*Managing{s.user.id}, s.user.id, "Another name"); }},
};

BOOST_DATA_TEST_CASE(ends_whatever_was_made_before, events) {
    Stamped person;
    const Recipient recipient = find_recipient(person.lease, person.user.email);
    const SignIn sign_in = proven(person.user.id);
    const SignIn of_password = proven(person.user.id, "password");
    sample.happen(person);
    BOOST_TEST(person.good() == "");
    BOOST_TEST(!finish_password_reset(person.lease, person.token, "a thief's"));
    person.lease.present(session_of(person.user.id).token_hash);
    BOOST_TEST(!person.changes_address(some_keys()));
    BOOST_CHECK_EXCEPTION(start_session(person.lease, sign_in, some_session()), Refusal,
                          refused_as(ErrorCode::not_signed_in));
    BOOST_TEST(!change_password(person.lease, of_password.id, "a thief's", some_keys()));
    const std::string late = crypto::random_bytes(32);
    ask_password_reset(person.lease, recipient, {late, 1h, false}, some_mail());
    BOOST_TEST(!find_password_reset(person.lease, late));
}

BOOST_DATA_TEST_CASE(is_left_alone_by_what_is_no_security_event, harmless) {
    Stamped person;
    sample.happen(person);
    BOOST_TEST(person.good() == "session pending token link stamp ");
}

BOOST_FIXTURE_TEST_CASE(what_is_stored_of_a_link_is_no_link, Stamped) {
    const auto stored_in = [&](const std::string& table) {
        return bytes_of(value<std::string>(
            "SELECT token_hash FROM usershell." + table + " WHERE owner_id = $1", user.id.text()));
    };
    const std::string own = std::exchange(token, stored_in("email_changes"));
    BOOST_TEST(!changes_address(some_keys()));
    const std::string stored = stored_in("password_resets");
    BOOST_TEST(!find_password_reset(lease, stored));
    BOOST_TEST(!finish_password_reset(lease, stored, "a thief's"));
    token = own;
    BOOST_TEST(good() == "session pending token link stamp ");
}

BOOST_FIXTURE_TEST_CASE(the_session_that_changes_something_goes_on_with_a_new_token, Stamped) {
    const SessionKeys fresh = some_keys();
    const auto stamp = change_password(lease, proven(user.id, "password").id, "other", fresh);
    BOOST_TEST((stamp == stamped(user.id).stamp));
    BOOST_TEST(
        (sign_auth_request_in(lease, fresh.auth_token_hash)->frame_key == fresh.antiforgery_key));
    BOOST_TEST((starts_change() == ChangeStart::started));
    const SessionKeys fresher = some_keys();
    BOOST_TEST(changes_address(fresher));
    BOOST_TEST(sign_auth_request_in(lease, fresher.auth_token_hash)->email == address.shown);
}

BOOST_FIXTURE_TEST_CASE(a_sign_in_that_races_a_password_change_gives_no_session, Stamped) {
    pqxx::connection connection{test_database().as_superuser()};
    pqxx::work change{connection};
    libpqxx::query(change, "UPDATE usershell.users SET password_hash = 'other' WHERE id = $1",
                   user.id.text());
    const NewSession racing = some_session();
    const SignIn sign_in = proven(user.id);
    std::thread signs_in{[&] {
        BOOST_CHECK_EXCEPTION(start_session(lease, sign_in, racing), Refusal,
                              refused_as(ErrorCode::not_signed_in));
    }};
    // For the user's row, until the commit.
    wait_until([] { return any("SELECT FROM pg_locks WHERE NOT granted"); });
    change.commit();
    signs_in.join();
    BOOST_TEST(!sign_auth_request_in(lease, racing.keys.auth_token_hash));
}

BOOST_FIXTURE_TEST_CASE(waits_for_no_session_that_another_role_holds, Stamped) {
    as_superuser("UPDATE usershell.sessions SET last_seen_at = now() - interval '2 minutes' "
                 "WHERE owner_id = $1",
                 user.id.text());
    pqxx::connection other{test_database().as_superuser()};
    pqxx::work holder{other};
    libpqxx::query(holder, "SELECT FROM usershell.sessions WHERE owner_id = $1 FOR UPDATE",
                   user.id.text());
    BOOST_TEST(good() == "session pending token link stamp ",
               "its renewal, which is due, is passed over");
    sign_out_everywhere(lease);
    BOOST_TEST(good() == "");
    start_password_reset(operating.lease, user.id, {token, 1h, false}, some_mail());
    BOOST_TEST(finish_password_reset(lease, token, "other").has_value());
    operator_set_password(operating.lease, user.id, "another");
}

BOOST_FIXTURE_TEST_CASE(a_link_that_a_stranger_asks_for_leaves_an_invitation_good, Stamped) {
    const std::string first = crypto::random_bytes(32), second = crypto::random_bytes(32);
    for (const auto& asked : {first, second}) {
        const auto recipient = find_recipient(lease, user.email);
        ask_password_reset(lease, recipient, {asked, 1h, false}, some_mail());
        BOOST_TEST(find_password_reset(lease, token).value().invitation);
        BOOST_TEST(!find_password_reset(lease, asked).value().invitation);
    }
    BOOST_TEST(!find_password_reset(lease, first), "replaced by the second");
    BOOST_TEST(rows_in("password_resets", user.id) == 2U);
    BOOST_TEST(finish_password_reset(lease, second, "hash").has_value());
    BOOST_TEST(!find_password_reset(lease, token), "using either ends both");
    BOOST_TEST(rows_in("password_resets", user.id) == 0U);
}
} // namespace
} // namespace usershell::store
