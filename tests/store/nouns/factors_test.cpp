// Second factors: a person with one shows it for each deed. The database compares codes, so
// what usershell-auth says is right counts for nothing. How people add and remove theirs.
#include "store/store_fixture.hpp"
#include "store/tokens/access_tokens.hpp"
#include <utility>
namespace usershell::store {
namespace {
/// A person with sessions in two browsers, of which one is shown here.
struct AtBrowser {
    SignIn signs_in(Deed deed = Deed::session) {
        const std::string& email = user.email.normalized;
        return check_password(lease, email, {"some hash"}, "", deed, "visitor").verified.value();
    }
    bool shows(const SignIn& sign_in, const std::string& code) {
        return show_code(lease, sign_in, code, app.mask, "").right;
    }
    bool recovers(const SignIn& sign_in, const std::string& hash) {
        return show_recovery(lease, sign_in, hash, "");
    }
    /// The code of now, as if it had not been shown.
    std::string unused_code() const {
        as_superuser("UPDATE usershell.apps SET last_step = 0 WHERE owner_id = $1", user.id.text());
        return code_of(app);
    }
    /// Begins a session, or goes on with that of the browser.
    bool goes_on(const SignIn& sign_in, Deed deed = Deed::session) {
        if (deed != Deed::session) return renew_sign_in(lease, sign_in, some_keys());
        Vouching another;
        try {
            start_session(another.lease, sign_in, some_session());
            return true;
        } catch (const Refusal&) {
            return false;
        }
    }
    /// Good for that deed.
    SignIn proves(Deed deed) {
        SignIn sign_in = signs_in(deed);
        if (sign_in_state(lease, sign_in)->app) shows(sign_in, unused_code());
        BOOST_TEST(goes_on(sign_in, deed));
        return sign_in;
    }
    FactorStart adds(const SignIn& sign_in, bool ends_others = false) {
        return add_factor(lease, sign_in, app, codes, ends_others);
    }
    FactorStart enrols(const SignIn& sign_in) {
        return add_factor(lease, sign_in, app, codes, false);
    }
    TestUser user = add_user();
    Vouching elsewhere{user.id};
    Vouching vouching{user.id};
    Lease& lease = vouching.lease;
    NewApp app = some_app();
    std::vector<std::string> codes = some_hashes();
};
struct HasApp : AtBrowser {
    HasApp() { BOOST_TEST((adds(proves(Deed::factor)) == FactorStart::first)); }
};
/// For codes so many half minutes from now: what it says while none ends.
template <class Asked>
auto in_one_step(const Asked& asked) {
    const auto now = [] {
        return value<long long>("SELECT floor(extract(epoch FROM clock_timestamp()) / 30)");
    };
    for (;;) {
        const auto step = now();
        const auto said = asked();
        if (now() == step) return said;
    }
}
/// The result of `other`, which waits for a lock of that statement.
template <class Other>
auto while_held(const std::string& sql, const Other& other) {
    pqxx::connection connection{test_database().as_superuser()};
    pqxx::work holder{connection};
    holder.exec(sql);
    auto said = std::async(std::launch::async, other);
    wait_until([&] {
        return any("SELECT FROM pg_locks WHERE NOT granted") ||
               said.wait_for(0s) == std::future_status::ready;
    });
    holder.commit();
    return said.get();
}
/// Of usershell.take_code() and so on.
std::string in_sign_in(const SignIn& sign_in) {
    return "'" + sign_in.who.user.text() + "', '" + sign_in.id.text() + "', 'visitor'";
}
std::string literal(const std::string& bytes) { return "'\\x" + hex(bytes) + "'"; }

BOOST_AUTO_TEST_CASE(codes_are_those_of_rfc_6238) { // appendix B, the last six digits
    for (const auto& [second, code] : std::map<long long, std::string>{{59, "287082"},
                                                                       {1111111109, "081804"},
                                                                       {1111111111, "050471"},
                                                                       {1234567890, "005924"},
                                                                       {2000000000, "279037"},
                                                                       {20000000000, "353130"}})
        BOOST_TEST(value<std::string>("SELECT usershell.code_of('12345678901234567890', $1)",
                                      second / 30) == code);
}

BOOST_AUTO_TEST_CASE(who_has_an_app_does_nothing_by_the_password_alone) {
    for (const Deed deed : all_deeds)
        for (const std::string shown : {"nothing", "a code", "a recovery code"})
            BOOST_TEST_CONTEXT(static_cast<int>(deed) << " with " << shown) {
                HasApp person;
                const SignIn sign_in = person.signs_in(deed);
                if (shown == "a code") BOOST_TEST(person.shows(sign_in, person.unused_code()));
                if (shown == "a recovery code")
                    BOOST_TEST(person.recovers(sign_in, person.codes.front()));
                const auto state = sign_in_state(person.lease, sign_in).value();
                BOOST_TEST(state.app.has_value());
                BOOST_TEST(state.is_proven == (shown != "nothing"));
                BOOST_TEST(person.goes_on(sign_in, deed) == (shown != "nothing"));
            }
}

BOOST_FIXTURE_TEST_CASE(a_sign_in_of_before_the_app_wants_it_too, AtBrowser) {
    const SignIn sign_in = signs_in();
    adds(proves(Deed::factor));
    BOOST_TEST(!goes_on(sign_in));
}

BOOST_AUTO_TEST_CASE(a_code_is_right_a_half_minute_before_and_after_its_own) {
    for (const auto& [steps, is_right] :
         {std::pair{-2, false}, {-1, true}, {0, true}, {1, true}, {2, false}})
        BOOST_TEST(in_one_step([&, steps = steps] {
                       HasApp person;
                       person.unused_code();
                       return person.shows(person.signs_in(), code_of(person.app, steps));
                   }) == is_right,
                   steps);
}

BOOST_AUTO_TEST_CASE(a_code_is_right_once_and_no_earlier_one_after_it) {
    for (const auto& [first, second, is_right] :
         {std::tuple{0, 0, false}, {0, -1, false}, {-1, 0, true}, {1, 0, false}})
        BOOST_TEST(in_one_step([&, first = first, second = second] {
                       HasApp person;
                       person.unused_code();
                       person.shows(person.signs_in(), code_of(person.app, first));
                       return person.shows(person.signs_in(), code_of(person.app, second));
                   }) == is_right,
                   first << " then " << second);
}

BOOST_FIXTURE_TEST_CASE(two_at_once_do_not_use_one_code, HasApp) {
    const SignIn first = signs_in(), second = signs_in();
    const std::string code = unused_code(), given = in_sign_in(first) + ", '" + code + "'";
    as_superuser("SELECT usershell.take_code(" + given + ")");
    BOOST_TEST(
        !while_held("SELECT usershell.show_code(" + given + ", " + literal(app.mask) + ", '')",
                    [&] { return shows(second, code); }));
    BOOST_TEST(goes_on(first));
}

BOOST_FIXTURE_TEST_CASE(a_code_is_right_under_the_apps_own_mask_alone, HasApp) {
    const SignIn sign_in = signs_in();
    // Under which the stored value is a secret of the thief's.
    const NewApp known = some_app();
    const auto made_up = value<std::string>(
        "SELECT usershell.masked_with(masked, $2) FROM usershell.apps WHERE owner_id = $1",
        user.id.text(), "\\x" + hex(known.secret));
    unused_code();
    BOOST_TEST(!show_code(lease, sign_in, known.code, bytes_of(made_up), "").right);
    BOOST_TEST(!show_code(lease, sign_in, unused_code(), known.mask, "").right);
    BOOST_TEST(shows(sign_in, unused_code()));
}

BOOST_FIXTURE_TEST_CASE(a_recovery_code_is_right_once_and_until_there_are_others, HasApp) {
    const auto stored = value<std::string>(
        "SELECT code_hash FROM usershell.recovery_codes WHERE owner_id = $1", user.id.text());
    BOOST_TEST(!recovers(signs_in(), bytes_of(stored)));
    BOOST_TEST(recovers(signs_in(), codes.front()));
    BOOST_TEST(!recovers(signs_in(), codes.front()));
    const auto others = some_hashes();
    BOOST_TEST(make_recovery_codes(lease, proves(Deed::factor).id, others));
    BOOST_TEST(!recovers(signs_in(), codes.back()));
    BOOST_TEST(recovers(signs_in(), others.front()));
}

BOOST_FIXTURE_TEST_CASE(a_factor_is_shown_by_its_person_in_their_own_sign_in, HasApp) {
    HasApp other;
    const SignIn sign_in = signs_in(), of_other = other.signs_in();
    BOOST_TEST(!shows(sign_in, other.unused_code()));
    BOOST_TEST(!recovers(sign_in, other.codes.front()));
    for (const SignIn& not_theirs :
         {SignIn{sign_in.who, crypto::random_id<SignInId>(), sign_in.visitor},
          {sign_in.who, of_other.id, sign_in.visitor},
          {of_other.who, sign_in.id, sign_in.visitor},
          {sign_in.who, sign_in.id, "another"}}) {
        BOOST_TEST(!shows(not_theirs, unused_code()));
        BOOST_TEST(!recovers(not_theirs, codes.front()));
        BOOST_TEST(!sign_in_state(lease, not_theirs));
    }
    const SignIn deed = signs_in(Deed::token);
    BOOST_TEST(!show_code(elsewhere.lease, deed, unused_code(), app.mask, "").right);
    BOOST_TEST(shows(deed, unused_code()));
}

BOOST_AUTO_TEST_CASE(half_a_sign_in_ends) {
    for (const char* change :
         {"sign_ins SET made_at = made_at - interval '301 s', expires_at = expires_at - interval "
          "'301 s' WHERE owner_id",
          "users SET password_hash = 'other' WHERE id", "users SET is_disabled = true WHERE id"}) {
        HasApp person;
        const SignIn sign_in = person.signs_in();
        as_superuser(std::string{"UPDATE usershell."} + change + " = $1", person.user.id.text());
        BOOST_TEST_CONTEXT(change) {
            BOOST_TEST(!sign_in_state(person.lease, sign_in));
            BOOST_TEST(!person.shows(sign_in, person.unused_code()));
            BOOST_TEST(!person.recovers(sign_in, person.codes.front()));
        }
    }
}

BOOST_FIXTURE_TEST_CASE(ten_wrong_codes_an_hour_are_looked_at, HasApp) {
    for (int i = 0; i < 12; ++i) BOOST_TEST(shows(signs_in(), unused_code()));
    const SignIn sign_in = signs_in();
    const auto tries = [&](const std::string& code) {
        return show_code(lease, sign_in, code, app.mask, "");
    };
    for (int i = 0; i < 10; ++i) BOOST_TEST(!tries("wrong").wait);
    const auto eleventh = tries(unused_code());
    BOOST_TEST(!eleventh.right);
    BOOST_TEST((eleventh.wait && *eleventh.wait > 50min && *eleventh.wait <= 1h));
    BOOST_TEST(recovers(sign_in, codes.front()));
}

// Else a rollback would uncount it, or later codes be tried at the price of one.
BOOST_FIXTURE_TEST_CASE(a_code_is_looked_at_if_it_was_counted_before_and_of_late, HasApp) {
    const std::string given = in_sign_in(signs_in()) + ", '" + unused_code() + "'";
    const std::string take = "SELECT usershell.take_code(" + given + ")";
    pqxx::connection connection{test_database().as_auth()};
    const auto tries = [&](bool counts) { // and all is rolled back
        pqxx::work work{connection};
        if (counts) {
            pqxx::subtransaction inner{work};
            inner.exec(take);
            inner.commit();
        }
        const auto said =
            work.exec("SELECT usershell.show_code(" + given + ", " + literal(app.mask) + ", '')");
        return said[0][0].as<bool>();
    };
    BOOST_TEST(!tries(false));
    BOOST_TEST(!tries(true));
    as_superuser(take);
    BOOST_TEST(tries(false));
    BOOST_TEST(!tries(true));
    as_superuser("UPDATE usershell.guesses SET taken_at = taken_at - interval '61 s'");
    BOOST_TEST(!tries(false));
    BOOST_TEST(!tries(true));
}

BOOST_FIXTURE_TEST_CASE(the_first_app_comes_with_recovery_codes, AtBrowser) {
    const SignIn sign_in = proves(Deed::factor);
    const std::string right = std::exchange(app.code, "wrong");
    BOOST_TEST((adds(sign_in) == FactorStart::wrong));
    app.code = right;
    BOOST_TEST((adds(sign_in) == FactorStart::first), "what was wrong has not used the sign-in up");
    BOOST_TEST(!shows(signs_in(), right), "it was shown with the app");
    const OwnFactors own = own_factors(lease);
    BOOST_TEST((own.app_made_at && own.recovery_codes == 2 && !own.lacking));
}

BOOST_FIXTURE_TEST_CASE(another_app_takes_the_place_of_the_first, HasApp) {
    const SignIn sign_in = proves(Deed::factor);
    const NewApp first = std::exchange(app, some_app());
    BOOST_TEST((add_factor(lease, sign_in, app, some_hashes(), false) == FactorStart::added));
    unused_code();
    BOOST_TEST(!show_code(lease, signs_in(), code_of(first), first.mask, "").right);
    BOOST_TEST(shows(signs_in(), unused_code()));
    BOOST_TEST(recovers(signs_in(), codes.front()));
}

BOOST_AUTO_TEST_CASE(factors_change_by_a_sign_in_for_it_with_the_factor) {
    const std::function<bool(Lease&, const SignIn&)> changes[] = {
        [](Lease& lease, const SignIn& sign_in) {
            return add_factor(lease, sign_in, some_app(), some_hashes(), false) ==
                   FactorStart::added;
        },
        [](Lease& lease, const SignIn& sign_in) {
            return make_recovery_codes(lease, sign_in.id, some_hashes());
        },
        [](Lease& lease, const SignIn& sign_in) { return remove_factor(lease, sign_in.id, {}); }};
    for (const auto& change : changes) {
        HasApp person;
        BOOST_TEST(!change(person.lease, proven(person.user.id, "factor")));
        BOOST_TEST(!change(person.lease, person.proves(Deed::token)));
        const SignIn sign_in = person.proves(Deed::factor);
        BOOST_TEST(change(person.lease, sign_in));
        if (&change != std::end(changes) - 1) // what is gone stays gone
            BOOST_TEST(!change(person.lease, sign_in));
    }
}

NewPasskey some_passkey() {
    return {crypto::random_id<PasskeyId>(),
            crypto::random_bytes(32),
            {"x", -7, false},
            0,
            "example.org",
            "n"};
}

BOOST_AUTO_TEST_CASE(another_persons_credential_is_no_factor) {
    AtBrowser first, second;
    NewPasskey passkey = some_passkey();
    const auto adds = [&](AtBrowser& person, const SignIn& sign_in) {
        return add_factor(person.lease, sign_in, passkey, person.codes, false);
    };
    BOOST_TEST((adds(first, first.proves(Deed::factor)) == FactorStart::first));
    passkey.id = crypto::random_id<PasskeyId>();
    BOOST_TEST((adds(second, second.signs_in()) == FactorStart::ended));
    BOOST_TEST(!any("SELECT FROM usershell.sign_ins WHERE shown @> '{passkey}'"));
    BOOST_TEST(rows_in("recovery_codes", second.user.id) == 0U);
}

BOOST_AUTO_TEST_CASE(a_new_app_ends_the_other_sessions_if_asked) {
    for (const bool ends_others : {false, true}) {
        AtBrowser person;
        person.adds(person.proves(Deed::factor), ends_others);
        BOOST_TEST(open_sessions(person.lease).size() == (ends_others ? 1U : 2U));
    }
}

BOOST_FIXTURE_TEST_CASE(with_the_last_factor_go_recovery_codes_and_other_sessions, HasApp) {
    const TokenLimits limits{.name = "n", .requests_a_minute = 1, .lifetime = 1h};
    const auto made = crypto::new_access_token(crypto::random_id<InstallationId>());
    make_token(lease, proves(Deed::token).id, crypto::random_id<AccessTokenId>(), made.proof,
               limits, {});
    const SignIn sign_in = proves(Deed::factor);
    // Also a session whose row another role holds.
    BOOST_TEST(while_held("SELECT FROM usershell.sessions WHERE owner_id = '" + user.id.text() +
                              "' ORDER BY created_at LIMIT 1 FOR UPDATE",
                          [&] { return remove_factor(lease, sign_in.id, {}); }));
    BOOST_TEST(open_sessions(lease).size() == 1U);
    BOOST_TEST(own_tokens(lease).size() == 1U);
    BOOST_TEST(rows_in("recovery_codes", user.id) == 0U);
    BOOST_TEST(goes_on(signs_in()), "the password alone is enough");
    BOOST_TEST(remove_factor(lease, proves(Deed::factor).id, {}), "it is gone already");
    BOOST_TEST(!make_recovery_codes(lease, proves(Deed::factor).id, some_hashes()));
}

BOOST_FIXTURE_TEST_CASE(each_is_an_event, HasApp) {
    shows(signs_in(), "wrong");
    recovers(signs_in(), "wrong");
    recovers(signs_in(), codes.front());
    make_recovery_codes(lease, proves(Deed::factor).id, some_hashes());
    remove_factor(lease, proves(Deed::factor).id, {});
    BOOST_TEST(value<std::string>(
                   "SELECT string_agg(kind, ' ' ORDER BY happened_at) FROM usershell.events "
                   "WHERE owner_id = $1 AND kind ~ 'code|factor|recovery'",
                   user.id.text()) ==
               "factor_added wrong_code wrong_code recovery_used recovery_made factor_removed");
}

BOOST_AUTO_TEST_CASE(a_lost_answer_is_asked_for_again) {
    HasApp person;
    BOOST_TEST((person.adds({stamped(person.user.id), crypto::random_id<SignInId>(), ""}) ==
                FactorStart::first));
    const SignIn sign_in = person.signs_in();
    const std::string code = person.unused_code();
    for (int attempt = 0; attempt < 2; ++attempt) {
        BOOST_TEST(person.shows(sign_in, code));
        BOOST_TEST(person.recovers(sign_in, person.codes.front()));
    }
}

/// The operator's, while it lives.
struct Required : boost::noncopyable {
    explicit Required(const std::string& second_factor = "required") { set(second_factor); }
    ~Required() { set("optional"); }
    static void set(const std::string& second_factor) {
        as_superuser("UPDATE usershell.policy SET second_factor = $1", second_factor);
    }
};

BOOST_FIXTURE_TEST_CASE(under_the_policy_nothing_but_an_app_is_added_without_one, AtBrowser) {
    const Required policy;
    BOOST_TEST((own_factors(lease).lacking == Lacking::factor));
    for (const Deed deed : all_deeds)
        BOOST_TEST(goes_on(signs_in(deed), deed) == (deed == Deed::factor), static_cast<int>(deed));
    as_superuser("UPDATE usershell.sessions SET signed_in_at = '-infinity' WHERE owner_id = $1",
                 user.id.text());
    adds(proves(Deed::factor));
    BOOST_TEST(!any("SELECT FROM usershell.sessions WHERE owner_id = $1 AND signed_in_at > "
                    "'-infinity'",
                    user.id.text()),
               "the password alone is for no deed of the next five minutes");
    const SignIn sign_in = signs_in();
    BOOST_TEST(shows(sign_in, unused_code()));
    BOOST_TEST(goes_on(sign_in));
}

BOOST_FIXTURE_TEST_CASE(a_sign_in_enrols_the_first_app, AtBrowser) {
    const Required policy;
    SignIn sign_in = signs_in();
    const SignIn late = signs_in();
    const std::string right = std::exchange(app.code, "wrong");
    BOOST_TEST((enrols(sign_in) == FactorStart::wrong));
    app.code = right;
    BOOST_TEST((enrols(signs_in(Deed::token)) == FactorStart::ended));
    sign_in.visitor = "another";
    BOOST_TEST((enrols(sign_in) == FactorStart::ended));
    sign_in.visitor = "visitor";
    BOOST_TEST((enrols(sign_in) == FactorStart::first));
    BOOST_TEST((enrols(sign_in) == FactorStart::first), "the first answer was lost");
    BOOST_TEST(goes_on(sign_in));
    app = some_app();
    BOOST_TEST((enrols(late) == FactorStart::ended), "there is one by now");
    BOOST_TEST(!goes_on(late));
}

BOOST_FIXTURE_TEST_CASE(a_sign_in_enrols_what_the_policy_wants_alone, AtBrowser) {
    BOOST_TEST((enrols(signs_in()) == FactorStart::ended));
    const Required policy{"passkey"};
    BOOST_TEST((enrols(signs_in()) == FactorStart::ended));
    const SignIn sign_in = signs_in();
    BOOST_TEST((sign_in_state(lease, sign_in)->lacking == Lacking::passkey));
    BOOST_TEST(!goes_on(sign_in));
    BOOST_TEST((add_factor(lease, sign_in, some_passkey(), codes, false) == FactorStart::first));
    BOOST_TEST(goes_on(sign_in));
}

BOOST_FIXTURE_TEST_CASE(where_a_passkey_is_wanted_a_code_is_no_factor, HasApp) {
    const Required policy{"passkey"};
    const SignIn unproven = signs_in(), sign_in = signs_in(), deed = signs_in(Deed::token);
    BOOST_TEST(shows(deed, unused_code()));
    BOOST_TEST(!goes_on(deed, Deed::token));
    BOOST_TEST(shows(sign_in, unused_code()));
    BOOST_TEST(!goes_on(sign_in));
    const auto adds_passkey = [&](const SignIn& by) {
        return add_factor(lease, by, some_passkey(), some_hashes(), false);
    };
    BOOST_TEST((adds_passkey(unproven) == FactorStart::ended), "the app's code was not shown");
    BOOST_TEST((adds_passkey(sign_in) == FactorStart::added));
    BOOST_TEST(goes_on(sign_in));

    for (const Deed each : all_deeds) {
        const SignIn by_code = signs_in(each), by_recovery = signs_in(each);
        BOOST_TEST(!sign_in_state(lease, by_code)->app);
        shows(by_code, unused_code());
        BOOST_TEST(!goes_on(by_code, each), static_cast<int>(each));
        as_superuser("INSERT INTO usershell.recovery_codes VALUES ($1, sha256('back'))",
                     user.id.text());
        BOOST_TEST(recovers(by_recovery, "back"));
        BOOST_TEST(goes_on(by_recovery, each), static_cast<int>(each));
    }
}

BOOST_FIXTURE_TEST_CASE(a_sign_in_that_ends_meanwhile_enrols_none, AtBrowser) {
    const Required policy;
    const SignIn sign_in = signs_in();
    BOOST_TEST((while_held("UPDATE usershell.users SET password_hash = 'other' WHERE id = '" +
                               user.id.text() + "'",
                           [&] { return enrols(sign_in); }) == FactorStart::ended));
    BOOST_TEST(rows_in("apps", user.id) == 0U);
}
} // namespace
} // namespace usershell::store
