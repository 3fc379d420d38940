// Passwords as the database compares them, for a program that may read no hash.
#include "store/store_fixture.hpp"
#include "store/users/passwords.hpp"
namespace usershell::store {
namespace {
const std::string cost = "$argon2id$v=19$m=65536,t=2,p=1";
const std::string salt_and_cost = "$argon2id$v=19$m=8,t=1,p=1$YWFhYWFhYWFhYWFhYWFhYQ";
struct Person {
    Person() { has(salt_and_cost + "$right"); }
    void has(const std::string& hash) const {
        as_superuser("UPDATE usershell.users SET password_hash = $2 WHERE id = $1", user.id.text(),
                     hash);
    }
    PasswordSalt found() { return of(email); }
    PasswordSalt of(const std::string& address) {
        return find_password(vouching.lease, address, cost);
    }
    std::vector<std::string> made_up_costs() {
        std::vector<std::string> costs;
        for (int i = 0; i < 1000; ++i) {
            const auto made_up = of("nobody" + std::to_string(i) + "@example.org").salt_and_cost;
            costs.push_back(made_up.substr(0, made_up.rfind('$')));
        }
        return costs;
    }
    PasswordVerdict tries(const std::string& hash, const std::string& fresh = {}) {
        return check_password(vouching.lease, email, {salt_and_cost + "$" + hash}, "", fresh);
    }
    std::string hash() const {
        return value<std::string>("SELECT password_hash FROM usershell.users WHERE id = $1",
                                  user.id.text());
    }
    TestUser user = add_user();
    std::string email = user.email.normalized;
    Vouching vouching;
};
void nobody_has_a_password() { as_superuser("UPDATE usershell.users SET password_hash = ''"); }

BOOST_FIXTURE_TEST_CASE(salt_and_cost_come_out_and_never_the_hash, Person) {
    BOOST_TEST((found().who.user == user.id));
    BOOST_TEST((found().who.stamp == stamped(user.id).stamp));
    BOOST_TEST(found().salt_and_cost == salt_and_cost);
    nobody_has_a_password();
    for (const std::string odd : {"plain", "$5$rounds$hash", "$argon2id$hash"}) {
        has(odd);
        BOOST_TEST(found().salt_and_cost.starts_with(cost + "$"), odd);
    }
}

BOOST_FIXTURE_TEST_CASE(nobody_looks_like_somebody, Person) {
    nobody_has_a_password();
    has("");
    const std::string first = of("nobody@example.org").salt_and_cost;
    BOOST_TEST(first.size() == cost.size() + 1 + 22); // 16 bytes in base64
    BOOST_TEST(first.starts_with(cost + "$"));
    BOOST_TEST(of("nobody@example.org").salt_and_cost == first);
    BOOST_TEST(of("nobody.else@example.org").salt_and_cost != first);
    for (const std::string& address : {std::string{"nobody@example.org"}, std::string{}}) {
        BOOST_TEST(of(address).who.user.text() == "00000000-0000-0000-0000-000000000000");
        BOOST_TEST(!check_password(vouching.lease, address, {""}, "").verified);
    }
    BOOST_TEST(found().salt_and_cost.starts_with(cost + "$"));
    BOOST_TEST(!check_password(vouching.lease, email, {""}, "").verified);
    has(salt_and_cost + "$right");
    as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = $1", user.id.text());
    BOOST_TEST((found().who.user == global_owner()));
    BOOST_TEST(found().salt_and_cost == salt_and_cost); // or an observer sees another cost
}

// The operator has changed the usual cost since: it is none of these.
BOOST_FIXTURE_TEST_CASE(an_address_that_is_nobodys_has_the_cost_of_a_user, Person) {
    nobody_has_a_password();
    const std::string old_cost = "$argon2id$v=19$m=8,t=1,p=1";
    const std::string new_cost = "$argon2id$v=19$m=16,t=1,p=1";
    std::vector<Person> others(3);
    const auto old_ones = made_up_costs();
    BOOST_TEST(std::ranges::count(old_ones, old_cost) == 1000);
    has(new_cost + "$YWFhYWFhYWFhYWFhYWFhYQ$right");
    const auto mixed = made_up_costs();
    BOOST_TEST(mixed == made_up_costs(), boost::test_tools::per_element());
    const auto changed = std::ranges::count(mixed, new_cost);
    BOOST_TEST(changed + std::ranges::count(mixed, old_cost) == 1000);
    BOOST_TEST((changed > 125 && changed < 400), changed); // of four users one: 250
    // Another user's new cost changes no address that draws another user.
    others.front().has(new_cost + "$YWFhYWFhYWFhYWFhYWFhYQ$right");
    const auto later = made_up_costs();
    for (std::size_t i = 0; i < mixed.size(); ++i)
        BOOST_TEST((mixed[i] == old_cost || later[i] == new_cost));
    as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = $1", user.id.text());
    BOOST_TEST(made_up_costs() == later, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(the_right_hash_and_no_other, Person) {
    const auto verdict = tries("right");
    BOOST_REQUIRE(verdict.verified);
    BOOST_TEST((verdict.verified->user == user.id));
    BOOST_TEST((verdict.verified->stamp == stamped(user.id).stamp));
    for (const std::string wrong : {"wrong", "", "righ", "right "}) {
        BOOST_TEST(!tries(wrong).verified, wrong);
        BOOST_TEST(!tries(wrong, "of a thief").verified, wrong);
    }
    BOOST_TEST(hash() == salt_and_cost + "$right");
    as_superuser("UPDATE usershell.users SET is_disabled = true WHERE id = $1", user.id.text());
    BOOST_TEST(!tries("right").verified);
}

BOOST_FIXTURE_TEST_CASE(the_same_password_hashed_anew_is_no_security_event, Person) {
    const std::string before = stamped(user.id).stamp;
    BOOST_TEST(tries("right", "fresh").verified.has_value());
    BOOST_TEST(hash() == "fresh");
    BOOST_TEST((stamped(user.id).stamp == before));
}

BOOST_FIXTURE_TEST_CASE(wrong_ones_are_throttled_whatever_the_program_does, Person) {
    const auto of_an_hour = [](const PasswordVerdict& verdict) {
        return verdict.wait && *verdict.wait > 50min && *verdict.wait <= 1h;
    };
    for (int i = 0; i < 240; ++i) BOOST_TEST(!tries("wrong").wait);
    BOOST_TEST(of_an_hour(tries("wrong")));
    BOOST_TEST(of_an_hour(tries("right")));
    BOOST_TEST(!tries("right").verified);
    as_superuser("UPDATE usershell.attempts SET expires_at = now() WHERE failures >= 240");
    for (int i = 0; i < 300; ++i) BOOST_TEST(tries("right").verified.has_value());
    email = "nobody-" + email;
    for (int i = 0; i < 240; ++i) BOOST_TEST(!tries("wrong").wait);
    BOOST_TEST(tries("wrong").wait.has_value());
}
BOOST_FIXTURE_TEST_CASE(each_form_of_a_password_is_a_try, Person) {
    has(salt_and_cost + "$as typed");
    const std::vector<std::string> forms{salt_and_cost + "$prepared", salt_and_cost + "$as typed"};
    const auto count = [] {
        return value<int>("SELECT coalesce(sum(failures), 0) FROM usershell.attempts");
    };
    const int before = count();
    const auto verdict = check_password(vouching.lease, email, forms, "");
    BOOST_TEST(verdict.verified.has_value());
    BOOST_TEST(verdict.hash == forms.back());
    BOOST_TEST(count() == before);
    BOOST_TEST(!check_password(vouching.lease, email, {forms.front(), ""}, "").verified);
    BOOST_TEST(count() == before + 2);
    // A hash of which no guess was counted spoils those of which one was.
    BOOST_TEST(
        as_superuser("SELECT user_id FROM usershell.check_password($1, ARRAY[$2, $3], '', '')",
                     email, forms.back(), "uncounted")[0][0]
            .is_null());
}
/// Of that hash; the guess is taken in a transaction of its own or in the same.
std::string verdict_of(pqxx::connection& connection, const std::string& email,
                       const std::string& hash, bool taken_before) {
    const std::string given = connection.quote(email) + ", " + connection.quote(hash);
    const std::string take = "SELECT usershell.take_guess(" + given + ")";
    if (taken_before) {
        pqxx::work first{connection};
        first.exec(take);
        first.commit();
    }
    pqxx::work second{connection};
    if (!taken_before) {
        pqxx::subtransaction inner{second};
        inner.exec(take);
        inner.commit();
    }
    const auto rows =
        second.exec("SELECT user_id FROM usershell.check_password(" + connection.quote(email) +
                    ", ARRAY[" + connection.quote(hash) + "], '', '')");
    return rows[0][0].c_str(); // and all is rolled back
}

BOOST_FIXTURE_TEST_CASE(no_guess_is_looked_at_that_a_rollback_would_uncount, Person) {
    pqxx::connection connection{test_database().as_auth()};
    const std::string right = salt_and_cost + "$right";
    BOOST_TEST(verdict_of(connection, email, right, false) == "");
    BOOST_TEST(verdict_of(connection, email, right, true) == user.id.text());
}
} // namespace
} // namespace usershell::store
