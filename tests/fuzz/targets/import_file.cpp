// The file of providers that a person brings back.
#include "base/rules.hpp"
#include "crypto/ring/files.hpp"
#include "manage/profile/import.hpp"
#include "rings.hpp"
#include "target.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace {

using namespace usershell;

constexpr std::size_t memory = rules::max_json_values * 800;

Settings settings_in(const test::TemporaryFolder& folder) {
    fuzz::rings(); // starts libsodium
    crypto::NewRings{folder.path(), *InstallationId::parse("5f6f1c0e-0000-4000-8000-00000000000a")}
        .keep();
    Settings settings;
    settings.base_url = "https://shell.example";
    settings.database = "host=/none";
    settings.common_passwords = folder.write("common-passwords", "password\n");
    settings.templates = USERSHELL_SOURCE_DIR "/templates";
    settings.vault_public = folder.path() / "vault.public";
    settings.web_secret = folder.path() / "web.secret";
    settings.password_opslimit = 1;
    settings.password_memlimit = 8192;
    return settings;
}

const manage::Services& services() {
    static const test::TemporaryFolder folder;
    static const Settings settings = settings_in(folder);
    static const manage::Services services{settings};
    return services;
}

void run(std::string_view input) {
    const auto& all = services();
    std::vector<store::ImportedProvider> providers;
    if (!fuzz::accepts([&] { providers = manage::read_import(all, web::JsonBody::parse(input)); }))
        return;
    fuzz::require(providers.size() <= rules::max_providers, "there are at most ten providers");
    for (const auto& provider : providers) {
        fuzz::require(provider.models.size() <= rules::max_models, "models are bounded");
        fuzz::require(provider.accounts.size() <= rules::max_accounts, "keys are bounded");
        fuzz::require(!provider.fields.name.empty(), "a provider has a name");
    }
}

// Longer ones have more values than a body may have.
const fuzz::Target target{"import_file", run, std::size_t{128} * 1024, memory};

} // namespace
