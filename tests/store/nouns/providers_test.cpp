// Rules of providers, models and accounts that the cases (tests/cases) can't show.
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
void record(const ProviderOwner& user, Health health, const std::string& message) {
    Executing executing{user.owner};
    executing.shows(shown_of_every_key(executing.load(user.provider), health, message, 300s));
}
bool is_in_cooldown(const ProviderOwner& user) {
    Executing executing{user.owner};
    const CallProvider call = executing.load(user.provider);
    return call.own_key->is_in_cooldown || call.accounts.at(0).is_in_cooldown;
}

BOOST_FIXTURE_TEST_CASE(one_is_found_as_it_stands_in_the_list, ProviderOwner) {
    for (const char* name : {"b", "a"}) {
        create_provider(lease, owner, crypto::random_id<ProviderId>(), some_fields(name),
                        some_key());
    }
    for (const char* id : {"c", "a"}) add_model(id);
    for (const char* name : {"b", "B"}) add_account(name, 5);
    add_account("z", 0);
    const auto all = list_providers(lease, owner);
    BOOST_REQUIRE(all.size() == 3);
    BOOST_TEST(all[1].fields.name == "b");
    BOOST_TEST(all[2].fields.name == "a");
    BOOST_TEST(all[1].models.empty());
    for (const Provider& one : {all[0], now()}) {
        BOOST_TEST((one.id == provider));
        BOOST_TEST(one.models.at(0).model_id + one.models.at(1).model_id == "ca");
        BOOST_TEST(one.accounts.at(0).name + one.accounts.at(1).name + one.accounts.at(2).name ==
                   "zBb");
    }
}

BOOST_FIXTURE_TEST_CASE(a_provider_has_a_handle_of_its_own, ProviderOwner) {
    BOOST_TEST(now().fields.handle == "some-provider");
    ProviderFields fields = some_fields("  Ünique & Co. -- ");
    BOOST_TEST(edit_provider(lease, owner, provider, fields).fields.handle == "some-provider");
    std::string handles;
    for (const char* name : {"Some provider", "…", "…"}) {
        const auto made_now = crypto::random_id<ProviderId>();
        create_provider(lease, owner, made_now, some_fields(name), some_key());
        handles += find_provider(lease, owner, made_now)->fields.handle + " ";
    }
    BOOST_TEST(handles == "some-provider-2 provider provider-2 ");
    fields.handle = "provider";
    BOOST_CHECK_EXCEPTION(edit_provider(lease, owner, provider, fields), Refusal,
                          refused_as(ErrorCode::conflict));
}
BOOST_FIXTURE_TEST_CASE(every_letter_survives_and_controls_and_broken_text_never_reach_the_store,
                        ProviderOwner) {
    for (const std::string& name :
         {std::string{"a\0b", 3}, std::string{"a\nb"}, std::string{"\x7f"}, std::string{"\xc3\x28"},
          std::string{"\xed\xa0\x80"}}) {
        BOOST_CHECK_EXCEPTION(edit_provider(lease, owner, provider, some_fields(name)), Refusal,
                              refused_as(ErrorCode::invalid_field));
    }
    BOOST_TEST(now().fields.name == "Some provider");
    const std::string name = "\"quoted\" \\ </script> \u05d0 \U0001F511 '; --";
    BOOST_TEST(edit_provider(lease, owner, provider, some_fields(name)).fields.name == name);
}

BOOST_FIXTURE_TEST_CASE(a_header_is_set_once_a_name_and_read_by_calls_alone, ProviderOwner) {
    const StoredKey first = some_key(),
                    second{crypto::SealedKey{some_envelope(1) + "x"}, "", "openai x"};
    set_header(lease, owner, provider, "x-b", first);
    set_header(lease, owner, provider, "x-a", first);
    set_header(lease, owner, provider, "x-b", second);
    const auto shown = now().headers;
    BOOST_REQUIRE(shown.size() == 2U);
    BOOST_TEST(shown[0].name + shown[1].name == "x-ax-b");
    BOOST_TEST(shown[1].key_entered_for.value_or("") == "another_address");
    add_account("k");
    const CallProvider loaded = Executing{owner}.load(provider);
    BOOST_REQUIRE(loaded.headers.size() == 2U);
    BOOST_TEST((loaded.own_key && loaded.accounts.size() == 1U));
    BOOST_TEST(loaded.headers[1].name == "x-b");
    BOOST_TEST((loaded.headers[1].sealed.bytes() == second.sealed.bytes()));
    for (int number = 3; number <= rules::max_headers; ++number)
        set_header(lease, owner, provider, "x-" + std::to_string(number), first);
    BOOST_CHECK_EXCEPTION(set_header(lease, owner, provider, "x-9", first), Refusal,
                          refused_as(ErrorCode::cap_reached));
    set_header(lease, owner, provider, "x-a", second); // one that is there
    delete_header(lease, owner, provider, "x-a");
    for (const std::string& none : {"x-a"s, "X-B"s, "x\0b"s})
        BOOST_CHECK_EXCEPTION(delete_header(lease, owner, provider, none), Refusal,
                              refused_as(ErrorCode::not_found));
    const ProviderOwner other;
    BOOST_CHECK_EXCEPTION(set_header(lease, owner, other.provider, "x-a", first), Refusal,
                          refused_as(ErrorCode::not_found));
}

BOOST_FIXTURE_TEST_CASE(a_header_takes_the_password_and_has_an_event_with_a_mail, ProviderOwner) {
    const auto kinds = [&] {
        std::string found;
        for (const auto& row :
             as_superuser("SELECT kind || ' ' || about AS kind FROM usershell.events "
                          "WHERE owner_id = $1 AND announced_at IS NULL ORDER BY happened_at",
                          owner.text()))
            found += row[0].as<std::string>() + "; ";
        return found;
    };
    set_header(lease, owner, provider, "x-a", some_key());
    as_superuser("UPDATE usershell.sessions SET signed_in_at = now() - interval '6 minutes' WHERE "
                 "owner_id = $1",
                 owner.text());
    for (const char* name : {"x-a", "x-b"})
        BOOST_CHECK_EXCEPTION(set_header(lease, owner, provider, name, some_key()), Refusal,
                              refused_as(ErrorCode::password_needed));
    BOOST_TEST(now().headers.size() == 1U);
    delete_header(lease, owner, provider, "x-a");
    BOOST_TEST(kinds() == "header_set Some provider: x-a; header_removed Some provider: x-a; ");
}

BOOST_FIXTURE_TEST_CASE(another_key_type_or_base_url_ends_cooldowns, ProviderOwner) {
    const AccountId account = add_account("k");
    ProviderFields moved = some_fields();
    moved.base_url = "https://elsewhere.example.org";
    ProviderFields retyped = moved;
    retyped.type = "openai";
    const std::vector<std::function<void()>> changes{
        [&] { edit_provider(lease, owner, provider, moved); },
        [&] { edit_provider(lease, owner, provider, retyped); },
        [&] {
            set_provider_key(lease, owner, provider, some_key());
            set_account_key(lease, owner, provider, account, some_key());
        }};
    for (const auto& change : changes) {
        record(*this, Health::unhealthy, "Refused.");
        BOOST_TEST(is_in_cooldown(*this));
        edit_provider(lease, owner, provider, now().fields);
        BOOST_TEST(is_in_cooldown(*this));
        change();
        BOOST_TEST(!is_in_cooldown(*this));
    }
}

BOOST_FIXTURE_TEST_CASE(a_delete_takes_all_its_rows_along, ProviderOwner) {
    add_model("m");
    add_account("k");
    set_header(lease, owner, provider, "x-tenant", some_key());
    as_superuser("INSERT INTO usershell.rotations VALUES ($1, $2, 1)", owner.text(),
                 provider.text());
    delete_provider(lease, owner, provider);
    for (const char* table : {"providers", "models", "accounts", "provider_headers", "rotations"})
        BOOST_TEST(rows_in(table, owner) == 0, table);
}

BOOST_FIXTURE_TEST_CASE(which_ring_keys_a_key_hangs_on_is_read_from_its_own_bytes, ProviderOwner) {
    const auto ids = as_superuser(
        "SELECT ring_key_id, signer_id FROM usershell.providers WHERE id = $1", provider.text())[0];
    BOOST_TEST(ids[0].as<std::string>() == "000102030405060708090a0b0c0d0e0f");
    BOOST_TEST(ids[1].as<std::string>() == "101112131415161718191a1b1c1d1e1f");
    // nor is anything taken that is no envelope of a key
    for (const std::string start : {"\\x0201", "\\x0102", "\\x00"}) {
        BOOST_CHECK_THROW(as_superuser("UPDATE usershell.providers "
                                       "SET sealed_key = $2::bytea || substr(sealed_key, 3) "
                                       "WHERE id = $1",
                                       provider.text(), start),
                          pqxx::check_violation);
    }
}
} // namespace
} // namespace usershell::store
