#include "tests/unit/execute/support.hpp"
#include "tests/unit/pipeline/support.hpp"
namespace usershell::test {
namespace {
Settings settings_in(const TemporaryFolder& folder) {
    Settings settings;
    settings.database = no_store;
    settings.opener_socket = folder.path() / "opener.sock";
    settings.upstream_connect_timeout = std::chrono::seconds{10};
    settings.upstream_silence_timeout = std::chrono::seconds{600};
    settings.upstream_total_timeout = std::chrono::seconds{600};
    settings.upstream_test_timeout = std::chrono::seconds{40};
    return settings;
}
} // namespace
UserId somebody() { return *UserId::parse("5f6f1c0e-0000-4000-8000-000000000001"); }
ProviderId some_provider() { return *ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002"); }
AccountId account_number(int number) {
    return *AccountId::parse("5f6f1c0e-0000-4000-8000-00000000010" + std::to_string(number));
}
std::string digest_named(std::string name) {
    name.resize(32, '.');
    return name;
}
opener::OpenedKey opened_key(const std::string& plain) {
    return {crypto::Secret{plain}, digest_named(plain)};
}
Programs::Programs()
    : settings{settings_in(folder)},
      server{Listener::bound(settings.opener_socket, Transport::packets),
             [this](const opener::Request& request) { return answer(request); }},
      execute{settings} {}
opener::CallKey Programs::key(const std::string& plain,
                             const std::optional<AccountId>& account) const {
    const std::scoped_lock lock{mutex};
    keys[account] = plain;
    return {.account = account, .name = ""};
}
opener::CallProvider Programs::provider(const std::string& own_key) const {
    opener::CallProvider provider = bare_provider();
    provider.own_key = key(own_key);
    return provider;
}
opener::CallProvider Programs::opened(const opener::CallProvider& provider,
                                        const std::optional<AccountId>& only) const {
    opener::CallProvider opened{provider};
    opened.header_values.emplace();
    const auto tried = provider.keys_to_try(only);
    if (!tried.empty()) opened.first_key = opened_key(keys.at(tried.front()->account));
    return opened;
}
opener::Answer Programs::answer(const opener::Request& request) const {
    const auto& next = std::get<opener::NextKey>(request);
    const std::scoped_lock lock{mutex};
    asked.push_back(next);
    opener::FoundKey found{.type = "openai", .base_url = "https://api.example/v1"};
    if (keys.contains(next.account)) found.key = opened_key(keys.at(next.account));
    if (change) return change(std::move(found));
    return std::optional{std::move(found)};
}
opener::CallProvider bare_provider() {
    opener::CallProvider provider{.id = some_provider(),
                                 .name = "Mine",
                                 .type = find_provider_type("openai"),
                                 .base_url = "https://api.example/v1",
                                 .is_active = true,
                                 .own_key = std::nullopt,
                                 .accounts = {},
                                 .enabled_models = {"first", "second/x"},
                                 .all_models = {"first", "second/x", "third"}};
    return provider;
}
opener::CallKey bare_key(std::string name, bool enabled, bool is_in_cooldown) {
    return {.account = std::nullopt,
            .name = std::move(name),
            .is_enabled = enabled,
            .is_in_cooldown = is_in_cooldown};
}
} // namespace usershell::test
