#include "tests/unit/manage/support.hpp"

#include "tests/unit/app/support.hpp"

#include <filesystem>

namespace usershell::test {

Settings wing_settings(const TemporaryFolder& folder) {
    if (!std::filesystem::exists(folder.path() / "web.secret")) write_rings(folder);
    Settings settings;
    settings.base_url = "https://shell.example";
    settings.database = no_store;
    settings.common_passwords = folder.write("common-passwords", "password\n");
    settings.templates = std::string{USERSHELL_SOURCE_DIR} + "/templates";
    settings.vault_public = folder.path() / "vault.public";
    settings.web_secret = folder.path() / "web.secret";
    settings.session_absolute = std::chrono::hours{24 * 14};
    settings.password_opslimit = 1;
    settings.password_memlimit = 8192;
    return settings;
}

store::Caller someone() {
    return {.user = *UserId::parse("5f6f1c0e-0000-4000-8000-000000000001"),
            .session = *SessionId::parse("5f6f1c0e-0000-4000-8000-000000000002"),
            .email = "ada@shell.example",
            .display_name = "Ada Lovelace",
            .antiforgery_key = std::string(32, 'k'),
            .calls_token_hash = {}};
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace usershell::test
