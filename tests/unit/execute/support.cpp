#include "tests/unit/execute/support.hpp"
#include "tests/unit/pipeline/support.hpp"
namespace usershell::test {
namespace {
Settings settings_in(const TemporaryFolder& folder) {
    write_rings(folder);
    Settings settings;
    settings.database = no_store;
    settings.vault_secret = folder.path() / "vault.secret";
    settings.web_public = folder.path() / "web.public";
    settings.upstream_connect_timeout = std::chrono::seconds{10};
    settings.upstream_silence_timeout = std::chrono::seconds{600};
    settings.upstream_total_timeout = std::chrono::seconds{600};
    settings.upstream_test_timeout = std::chrono::seconds{40};
    return settings;
}
crypto::KeySealer sealer_of(const TemporaryFolder& folder) {
    return {crypto::load_ring<crypto::WebSecret>(folder.path() / "web.secret"),
            crypto::load_ring<crypto::VaultPublic>(folder.path() / "vault.public")};
}
} // namespace
UserId somebody() { return *UserId::parse("5f6f1c0e-0000-4000-8000-000000000001"); }
ProviderId some_provider() { return *ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002"); }
AccountId account_number(int number) {
    return *AccountId::parse("5f6f1c0e-0000-4000-8000-00000000010" + std::to_string(number));
}
Programs::Programs()
    : settings{settings_in(folder)},
      sealer{sealer_of(folder)},
      execute{settings} {}
store::CallKey Programs::key(const std::string& plain, const std::optional<AccountId>& account,
                             const std::string& base_url) const {
    const crypto::KeyBinding binding{somebody(), some_provider(), account, "openai", base_url};
    return {.account = account, .name = "", .sealed = sealer.seal(binding, crypto::Secret{plain})};
}
store::CallProvider Programs::provider(const std::string& own_key) const {
    store::CallProvider provider = bare_provider();
    provider.own_key = key(own_key);
    return provider;
}
store::CallProvider bare_provider() {
    store::CallProvider provider{.id = some_provider(),
                                 .name = "Mine",
                                 .type = find_provider_type("openai"),
                                 .base_url = BaseUrl::parse("https://api.example/v1"),
                                 .is_active = true,
                                 .own_key = std::nullopt,
                                 .accounts = {},
                                 .enabled_models = {"first", "second/x"},
                                 .all_models = {"first", "second/x", "third"}};
    return provider;
}
store::CallKey bare_key(std::string name, bool enabled, bool is_in_cooldown) {
    return {.account = std::nullopt,
            .name = std::move(name),
            .is_enabled = enabled,
            .is_in_cooldown = is_in_cooldown,
            .sealed = crypto::SealedKey{"sealed"}};
}
} // namespace usershell::test
