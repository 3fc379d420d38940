#include "manage/accounts.hpp"

#include "base/error.hpp"
#include "base/url.hpp"
#include "crypto/token.hpp"
#include "manage/fields.hpp"
#include "manage/keys.hpp"
#include "store/accounts.hpp"
#include "store/providers.hpp"

namespace usershell {
namespace {

struct Place {
    ProviderId provider;
    AccountId account;
};

/// The account that the path names; another user's is not there.
Place account_of(Call& call) {
    Place place{call.id<ProviderId>("providerId"), call.id<AccountId>("accountId")};
    if (!has_account(call.lease, call.user(), place.provider, place.account)) throw not_found();
    return place;
}

StoredKey seal_for(const Manage& manage, Call& call, const ProviderId& provider,
                   const AccountId& account, const std::string& base_url, const Secret& key) {
    const KeyBinding binding{call.user(), provider, account, BaseUrl::parse(base_url).origin()};
    return seal_key(manage, call.lease, binding, key);
}

} // namespace

Response add_account(Manage& manage, Call& call) {
    const auto name = call.json.text("name");
    auto api_key = call.json.text("apiKey");
    const auto priority = call.json.integer("priority");
    const auto provider = call.id<ProviderId>("providerId");
    const auto fields = find_provider(call.lease, call.user(), provider);
    if (!fields) throw not_found();

    NewAccount account{random_id<AccountId>(), name_field(name), std::nullopt};
    const Secret key = api_key_field(api_key);
    if (priority) account.priority = priority_field(*priority);
    const StoredKey stored = seal_for(manage, call, provider, account.id, fields->base_url, key);
    return Response::json(add_account(call.lease, call.user(), provider, account, stored));
}

Response edit_account(Manage&, Call& call) {
    auto name = call.json.text("name");
    const auto given = call.json.integer("priority");
    const Place place = account_of(call);
    if (name) name = name_field(name);
    std::optional<int> priority;
    if (given) priority = priority_field(*given);
    return Response::json(
        edit_account(call.lease, call.user(), place.provider, place.account, name, priority));
}

Response replace_account_key(Manage& manage, Call& call) {
    auto api_key = call.json.text("apiKey");
    const Place place = account_of(call);
    const auto fields = find_provider(call.lease, call.user(), place.provider);
    if (!fields) throw not_found();
    const Secret key = api_key_field(api_key);
    const StoredKey stored =
        seal_for(manage, call, place.provider, place.account, fields->base_url, key);
    return Response::json(
        set_account_key(call.lease, call.user(), place.provider, place.account, stored));
}

Response set_account_enabled(Manage&, Call& call) {
    const auto enabled = call.json.boolean("isEnabled");
    const Place place = account_of(call);
    return Response::json(
        set_account_enabled(call.lease, call.user(), place.provider, place.account, enabled));
}

Response delete_account(Manage&, Call& call) {
    const Place place = account_of(call);
    delete_account(call.lease, call.user(), place.provider, place.account);
    return Response::no_content();
}

} // namespace usershell
