// Rings are compared with the database: whose installation, and which keys it knows.
#include "store/installation.hpp"
#include "store/rings.hpp"
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
crypto::RingSummary some_ring(crypto::RingRole role, const InstallationId& installation) {
    const auto id = crypto::RingKeyId::from_bytes(crypto::random_bytes(16));
    return {role, installation, id, {id}};
}
std::string error_of(Lease& lease, const crypto::RingSummary& ring) {
    try {
        require_rings(lease, {ring});
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}
struct Operator : Acting {
    Operator() : Acting{test_database().as_owner()} {
        as_superuser("DELETE FROM usershell.ring_keys");
    }
    ~Operator() { register_some_key(); }
    InstallationId installation = installation_id(lease);
    crypto::RingSummary vault = some_ring(crypto::RingRole::vault, installation);
    crypto::RingSummary web = some_ring(crypto::RingRole::web, installation);
};

BOOST_FIXTURE_TEST_CASE(every_program_knows_registered_rings_and_no_others, Operator) {
    BOOST_TEST(register_rings(lease, {vault, web}, false));
    for (const auto& role : {test_database().as_auth(), test_database().as_manage(),
                             test_database().as_execute(), test_database().as_mail()}) {
        Acting program{role};
        BOOST_TEST(error_of(program.lease, vault).empty());
        BOOST_TEST(error_of(program.lease, web).empty());
        const auto planted = some_ring(crypto::RingRole::vault, installation);
        BOOST_TEST(has(error_of(program.lease, planted), planted.ids[0].text()));
        auto with_one_more = vault;
        with_one_more.ids.push_back(planted.ids[0]);
        BOOST_TEST(has(error_of(program.lease, with_one_more), "does not know"));
        auto in_another_role = vault;
        in_another_role.role = crypto::RingRole::mail;
        BOOST_TEST(has(error_of(program.lease, in_another_role), "does not know"));
        auto elsewhere = vault;
        elsewhere.installation = crypto::random_id<InstallationId>();
        BOOST_TEST(error_of(program.lease, elsewhere) ==
                   "The vault ring is of the installation " + elsewhere.installation.text() +
                       ", the database of " + installation.text() + ".");
    }
}

BOOST_FIXTURE_TEST_CASE(rings_are_replaced_only_when_that_is_said, Operator) {
    BOOST_TEST(register_rings(lease, {vault, web}, false));
    BOOST_TEST(register_rings(lease, {web, vault}, false)); // the same once more
    const auto next = some_ring(crypto::RingRole::vault, installation);
    BOOST_TEST(!register_rings(lease, {next, web}, false));
    BOOST_TEST(error_of(lease, vault).empty());
    BOOST_TEST(register_rings(lease, {next, web}, true));
    BOOST_TEST(error_of(lease, next).empty());
    BOOST_TEST(!error_of(lease, vault).empty());
}

BOOST_FIXTURE_TEST_CASE(an_installation_is_one, Operator) {
    BOOST_CHECK_THROW(as_superuser("INSERT INTO usershell.installation DEFAULT VALUES"),
                      pqxx::unique_violation);
}

BOOST_FIXTURE_TEST_CASE(nothing_is_sealed_to_a_key_that_was_dropped, Operator) {
    register_some_key();
    ProviderOwner ada;
    const auto id = crypto::RingKeyId::parse(hex(some_envelope(1).substr(2, 16))).value();
    const auto refuse_used = [](const RingUses& uses) {
        if (uses.any()) throw Error{"used"};
    };
    BOOST_CHECK_THROW(forget_key(lease, id, refuse_used), Error);
    set_provider_key(ada.lease, ada.owner, ada.provider, some_key());
    forget_key(lease, id, [](const RingUses&) {}); // as by --invalidate
    BOOST_CHECK_THROW(set_provider_key(ada.lease, ada.owner, ada.provider, some_key()), Error);
}
BOOST_FIXTURE_TEST_CASE(each_program_reports_what_its_machine_has, Operator) {
    as_superuser("DELETE FROM usershell.machine_rings");
    const auto rings_of_machines = [&] {
        std::string text;
        for (const auto& found : list_machine_rings(lease))
            text += found.machine + " " + found.program + " " + found.ring +
                    (found.fingerprint == fingerprint_of(vault) ? " as here\n" : " another\n");
        return text;
    };
    Acting manage{test_database().as_manage()};
    Acting execute{test_database().as_execute()};
    report_rings(manage.lease, "one", {vault});
    report_rings(execute.lease, "one", {vault});
    auto activated = vault;
    activated.active = web.active;
    report_rings(execute.lease, "two", {activated});
    BOOST_TEST(rings_of_machines() == "one usershell-execute vault as here\n"
                                      "one usershell-manage vault as here\n"
                                      "two usershell-execute vault another\n");
    report_rings(execute.lease, "two", {vault});
    as_superuser("UPDATE usershell.machine_rings SET reported_at = now() - interval '25 hours' "
                 "WHERE machine = 'one'");
    BOOST_TEST(rings_of_machines() == "two usershell-execute vault as here\n");
    for (int made_up = 0; made_up < 220; ++made_up)
        report_rings(execute.lease, "m" + std::to_string(made_up), {vault});
    BOOST_TEST(list_machine_rings(lease).size() == 200U);
    report_rings(manage.lease, "one", {vault});
    BOOST_TEST(list_machine_rings(lease).size() == 201U);
    as_superuser("DELETE FROM usershell.machine_rings");
}
} // namespace
} // namespace usershell::store
