// Who takes a handle, or moves what is behind one, has given the password lately. The requests are
// in tests/cases/providers.case, a thief's in tests/attack/test_staying.py.
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
struct Signed : ProviderOwner {
    void let_pass(const std::string& interval) const {
        as_superuser("UPDATE usershell.sessions SET signed_in_at = signed_in_at - $2::interval "
                     "WHERE owner_id = $1",
                     owner.text(), interval);
    }
    void add(const std::string& name) {
        create_provider(lease, owner, crypto::random_id<ProviderId>(), some_fields(name),
                        some_key());
    }
    void rename(const std::string& handle) {
        ProviderFields fields = some_fields();
        fields.handle = handle;
        edit_provider(lease, owner, provider, fields);
    }
};
const auto asks = refused_as(ErrorCode::password_needed);
} // namespace

BOOST_FIXTURE_TEST_CASE(a_password_is_good_for_five_minutes, Signed) {
    let_pass("4 minutes 30 seconds");
    rename("a");
    edit_provider(lease, owner, provider, elsewhere());
    let_pass("31 seconds");
    BOOST_CHECK_EXCEPTION(rename("b"), Refusal, asks);
    BOOST_CHECK_EXCEPTION(edit_provider(lease, owner, provider, some_fields()), Refusal, asks);
    edit_provider(lease, owner, provider, elsewhere());
}

BOOST_FIXTURE_TEST_CASE(a_freed_handle_stays_its_owners, Signed) {
    rename("renamed");
    delete_provider(lease, owner, provider);
    let_pass("6 minutes");
    add("Another");
    for (const char* name : {"Some provider", "SOME PROVIDER!", "Renamed"})
        BOOST_CHECK_EXCEPTION(add(name), Refusal, asks);
    let_pass("-6 minutes");
    add("Renamed");
    BOOST_TEST(rows_in("freed_handles", owner) == 1U);
}

BOOST_FIXTURE_TEST_CASE(with_too_many_freed_ones_each_handle_counts_as_one, Signed) {
    as_superuser("INSERT INTO usershell.freed_handles SELECT $1, 'h' || n FROM "
                 "generate_series(1, usershell.max_freed_handles()) n",
                 owner.text());
    let_pass("6 minutes");
    BOOST_CHECK_EXCEPTION(add("Wholly new"), Refusal, asks);
    delete_provider(lease, owner, provider);
    BOOST_TEST(rows_in("freed_handles", owner) == 1000U);
}
} // namespace usershell::store
