#include "tests/unit/execute/support.hpp"
#include "base/ascii.hpp"
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
namespace {
opener::OpenedKey opened_key(const std::string& plain) {
    return {crypto::Secret{plain}, digest_named(plain)};
}
std::string text_of(const std::optional<AccountId>& account) {
    return account ? account->text() : std::string{};
}
/// Rows as the store gives them, whose envelopes are the plaintexts.
WipedString rows_of(const std::optional<Found>& found, const std::optional<std::string>& account) {
    using Cell = std::optional<std::string>;
    store::Texts rows{{"account", "key_name", "type", "base_url", "sealed_key"}, {}};
    const auto add = [&](const Cell& of, const Cell& name, const Cell& plain) {
        rows.rows.push_back({of, name, found->type, found->base_url,
                             plain ? Cell{"\\x" + hex(*plain)} : std::nullopt});
    };
    if (found) {
        if (found->key) add(account, "", found->key);
        for (const auto& [name, value] : found->headers) add(std::nullopt, name, value);
        if (rows.rows.empty()) rows.rows.emplace_back(rows.columns.size());
    }
    return opener::encoded(rows, [](const auto&, const crypto::SealedKey& plain) {
        return opened_key(plain.bytes());
    });
}
} // namespace
Programs::Programs()
    : settings{settings_in(folder)},
      server{Listener::bound(settings.opener_socket), 1,
             [this](const opener::Question& question) { return answer(question); }},
      execute{settings} {}
opener::CallKey Programs::key(const std::string& plain,
                              const std::optional<AccountId>& account) const {
    const std::scoped_lock lock{mutex};
    keys[text_of(account)] = plain;
    return {.account = account};
}
opener::CallProvider Programs::provider(const std::string& own_key) const {
    opener::CallProvider provider = bare_provider();
    provider.own_key = key(own_key);
    return provider;
}
opener::CallProvider Programs::opened(opener::CallProvider provider,
                                      const std::optional<AccountId>& only) const {
    const auto tried = provider.keys_to_try(only);
    if (!tried.empty())
        tried.front()->opened = opened_key(keys.at(text_of(tried.front()->account)));
    return provider;
}
WipedString Programs::answer(const opener::Question& question) const {
    const auto& values = question.values;
    const std::scoped_lock lock{mutex};
    asked.push_back({values.at(0).value(), values.at(3).value_or(""), values.at(4) == "t"});
    Found found;
    if (keys.contains(asked.back().account)) found.key = keys.at(asked.back().account);
    return rows_of(change ? change(found) : found, values.at(3));
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
    return {.name = std::move(name), .is_enabled = enabled, .is_in_cooldown = is_in_cooldown};
}
} // namespace usershell::test
