// A session begins with a row that the database has made when the password was right, and so does
// each deed that takes the password again: for this deed, visitor and stamp alone, and once.
#include "store/store_fixture.hpp"
#include "store/tokens/access_tokens.hpp"
#include "store/users/links.hpp"
#include <utility>
namespace usershell::store {
namespace {
const std::string some_visitor = "a visitor's";
/// A browser of a person with a session.
struct BrowserOf {
    explicit BrowserOf(TestUser given) : user{std::move(given)} {
        start_session(lease, proven(user.id), session);
    }
    std::optional<SignIn> shows(Deed deed, const std::string& hash = "some hash") {
        return check_password(lease, user.email.normalized, {hash}, "", deed, some_visitor)
            .verified;
    }
    SignIn shown(Deed deed) { return shows(deed).value(); }
    /// The sign-in for that deed, once it has renewed the session.
    SignIn renewed(Deed deed) {
        SignIn sign_in = shown(deed);
        BOOST_TEST(renew_sign_in(lease, sign_in, some_keys()));
        return sign_in;
    }
    bool begins(const SignIn& sign_in) const {
        Vouching another;
        try {
            start_session(another.lease, sign_in, some_session());
            return true;
        } catch (const Refusal& refusal) {
            BOOST_TEST((refusal.code() == ErrorCode::not_signed_in));
            return false;
        }
    }
    bool makes_token(const SignIn& sign_in) {
        const auto proof = crypto::new_access_token(crypto::random_id<InstallationId>()).proof;
        const TokenLimits limits{.name = "n", .requests_a_minute = 1, .lifetime = 1h};
        return make_token(lease, sign_in.id, crypto::random_id<AccessTokenId>(), proof, limits,
                          {}) == TokenStart::made;
    }
    bool does(Deed deed, const SignIn& sign_in) {
        switch (deed) {
        case Deed::session:
            return begins(sign_in);
        case Deed::token:
            return makes_token(sign_in);
        case Deed::password:
            return change_password(lease, sign_in.id, "other", some_keys()).has_value();
        case Deed::address:
            break;
        case Deed::factor:
            return add_factor(lease, sign_in, some_app(), some_hashes(), false) ==
                   FactorStart::first;
        case Deed::deletion:
            return delete_own_user(lease, sign_in.id);
        }
        const EmailChange change{parse_email("new-" + user.email.shown).value(),
                                 crypto::random_bytes(32), 1h};
        const QueuedMail mail{crypto::random_id<MailId>(), "notice",
                              crypto::SealedMail{some_envelope(2)}};
        return start_email_change(lease, sign_in.id, change, mail) == ChangeStart::started;
    }
    TestUser user;
    Vouching vouching;
    Lease& lease = vouching.lease;
    NewSession session = some_session();
};
struct Prover : BrowserOf {
    Prover() : BrowserOf{add_user()} {}
    void writes(const std::string& values) const {
        as_superuser("UPDATE usershell.sign_ins SET " + values + " WHERE owner_id = $1",
                     user.id.text());
    }
};

BOOST_AUTO_TEST_CASE(each_is_for_its_own_deed_alone) {
    for (const Deed made : all_deeds)
        for (const Deed done : all_deeds) {
            Prover person;
            const SignIn sign_in =
                made == Deed::session ? person.shown(made) : person.renewed(made);
            BOOST_TEST(person.does(done, sign_in) == (made == done),
                       static_cast<int>(made) << " " << static_cast<int>(done));
        }
}

BOOST_AUTO_TEST_CASE(each_is_good_once) {
    for (const Deed deed : {Deed::session, Deed::token, Deed::address}) {
        Prover person;
        const SignIn sign_in = deed == Deed::session ? person.shown(deed) : person.renewed(deed);
        BOOST_TEST(person.does(deed, sign_in));
        BOOST_TEST(!person.does(deed, sign_in));
    }
}

BOOST_AUTO_TEST_CASE(a_deed_without_new_tokens_of_the_session_is_refused) {
    for (const Deed deed : all_deeds) {
        Prover person;
        BOOST_TEST(person.does(deed, person.shown(deed)) == (deed == Deed::session));
        BOOST_TEST(rows_in("sign_ins", person.user.id) == (deed == Deed::session ? 0U : 1U));
    }
}

BOOST_FIXTURE_TEST_CASE(a_session_begins_with_nothing_made_up, Prover) {
    const SignIn sign_in = shown(Deed::session);
    const Prover other;
    const auto with = [&](auto change) {
        SignIn changed = sign_in;
        change(changed);
        return begins(changed);
    };
    BOOST_TEST(!with([](SignIn& s) { s.id = crypto::random_id<SignInId>(); }));
    BOOST_TEST(!with([](SignIn& s) { s.visitor = "another visitor's"; }));
    BOOST_TEST(!with([](SignIn& s) { s.visitor = ""; }));
    BOOST_TEST(!with([&](SignIn& s) { s.who.user = other.user.id; }));
    BOOST_TEST(!shows(Deed::session, "wrong"));
    BOOST_TEST(begins(sign_in));
}

BOOST_FIXTURE_TEST_CASE(no_stored_value_names_the_visitor, Prover) {
    SignIn sign_in = shown(Deed::session);
    sign_in.visitor = bytes_of(value<std::string>(
        "SELECT visitor_hash FROM usershell.sign_ins WHERE owner_id = $1", user.id.text()));
    BOOST_TEST(!begins(sign_in));
}

BOOST_AUTO_TEST_CASE(it_ends_after_five_minutes) {
    for (const Deed deed : {Deed::session, Deed::token}) {
        Prover person;
        const SignIn sign_in = deed == Deed::session ? person.shown(deed) : person.renewed(deed);
        person.writes(
            "made_at = made_at - interval '301 s', expires_at = expires_at - interval '301 s'");
        BOOST_TEST(!person.does(deed, sign_in));
        BOOST_CHECK_THROW(person.writes("expires_at = made_at + interval '301 s'"),
                          pqxx::check_violation);
    }
    Prover late;
    const SignIn sign_in = late.shown(Deed::token);
    late.writes("made_at = made_at - interval '301 s', expires_at = expires_at - interval '301 s'");
    BOOST_TEST(!renew_sign_in(late.lease, sign_in, some_keys()));
    Vouching sweeper;
    wait_until([&] { return sweep_leftovers(sweeper.lease, 1000) == 0; });
    BOOST_TEST(rows_in("sign_ins", late.user.id) == 0U);
}

BOOST_FIXTURE_TEST_CASE(the_newest_sixteen_are_kept, Prover) {
    const SignIn oldest = shown(Deed::session), second = shown(Deed::session);
    for (int i = 2; i < 17; ++i) shown(Deed::session);
    BOOST_TEST(rows_in("sign_ins", user.id) == 16U);
    BOOST_TEST(!begins(oldest));
    BOOST_TEST(begins(second));
}

BOOST_AUTO_TEST_CASE(a_deed_is_of_the_session_that_showed_the_password) {
    Prover first;
    BrowserOf second{first.user};
    const SignIn sign_in = first.shown(Deed::token);
    BOOST_TEST(!renew_sign_in(second.lease, sign_in, some_keys()));
    BOOST_TEST(!second.makes_token(sign_in));
    BOOST_TEST(renew_sign_in(first.lease, sign_in, some_keys()));
    BOOST_TEST(!second.makes_token(sign_in));
    end_session(second.lease, first.session.id);
    BOOST_TEST(!first.makes_token(sign_in));
}

BOOST_FIXTURE_TEST_CASE(a_deed_takes_the_password_of_the_sessions_own_user, Prover) {
    const Prover other;
    const std::string& email = other.user.email.normalized;
    BOOST_TEST(!check_password(lease, email, {"some hash"}, "", Deed::token, "").verified);
    Vouching nobody;
    const std::string& own = user.email.normalized;
    BOOST_TEST(!check_password(nobody.lease, own, {"some hash"}, "", Deed::token, "").verified);
}

BOOST_FIXTURE_TEST_CASE(a_password_that_changes_while_it_is_shown_opens_none, Prover) {
    pqxx::connection connection{test_database().as_superuser()};
    pqxx::work change{connection};
    libpqxx::query(change, "UPDATE usershell.users SET password_hash = 'other' WHERE id = $1",
                   user.id.text());
    std::optional<SignIn> sign_in;
    std::thread shows_it{[&] { sign_in = shows(Deed::session); }};
    wait_until([] { return any("SELECT FROM pg_locks WHERE NOT granted"); });
    change.commit();
    shows_it.join();
    BOOST_TEST(!sign_in.has_value());
}
} // namespace
} // namespace usershell::store
