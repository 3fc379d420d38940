#include "base/timestamp.hpp"
#include "crypto/access_token.hpp"
#include "ctl/arguments.hpp"
#include "ctl/command.hpp"
#include "ctl/operator_store.hpp"
#include "ctl/table.hpp"
#include "ctl/users/users.hpp"
#include "store/tokens/token_admin.hpp"

#include <chrono>
#include <ctime>
#include <iostream>

namespace usershell::ctl {

namespace {

/// "2026-11-25": a day that there is.
bool is_day(const std::string& text) {
    std::tm parts{};
    if (strptime(text.c_str(), "%Y-%m-%d", &parts) == nullptr) return false;
    const std::chrono::sys_seconds day{std::chrono::seconds{timegm(&parts)}};
    return rfc3339_seconds(day) == text + "T00:00:00Z";
}

AccessTokenId token_argument(Arguments& arguments) {
    const auto id = AccessTokenId::parse(arguments.next("ID"));
    if (!id) throw UsageError{"That is no id of a token; token list shows them."};
    return *id;
}

} // namespace

void token_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"id"},
                 {"hint", "", "…"},
                 {"name"},
                 {"createdAt", "made "},
                 {"expiresAt", "expires "},
                 {"lastUsedAt", "last used "},
                 {"lastUsedNetwork", "from "}}};
    const EmailAddress email = address_argument(arguments);
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    for (const store::TokenSummary& token : store::list_tokens(store, user.id))
        table.add({token.id.text(), crypto::access_token_hint(token.selector), token.name,
                   cell(token.created_at), cell(token.expires_at), cell(token.last_used_at),
                   cell_unless_empty(token.last_used_network)});
    table.print();
}

void token_revoke(const Settings& settings, Arguments& arguments) {
    const bool all = arguments.flag("all");
    const auto since = arguments.option("since");
    if (since && !all) throw UsageError{"--since goes with --all."};
    if (since && !is_day(*since)) throw UsageError{"--since takes a day such as 2026-11-25."};
    const EmailAddress email = address_argument(arguments);
    const auto id = all ? std::nullopt : std::optional{token_argument(arguments)};
    arguments.finish();
    OperatorStore store{settings};
    const store::UserSummary user = user_argument(store, email);
    const int revoked = store::operator_revoke_tokens(store, user.id, id, since);
    if (revoked == 0 && id) throw Error{user.email + " has no token of that id."};
    std::cout << "Revoked " << revoked << (revoked == 1 ? " token of " : " tokens of ")
              << user.email << ".\n";
}

} // namespace usershell::ctl
