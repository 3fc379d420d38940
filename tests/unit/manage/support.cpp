#include "tests/unit/manage/support.hpp"

namespace usershell::test {

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
