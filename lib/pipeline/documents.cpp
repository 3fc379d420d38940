#include "pipeline/documents.hpp"

#include "base/sentence.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace usershell::pipeline {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::storage_ptr;
using boost::json::value;

value moment(const std::optional<Timestamp>& at, const storage_ptr& memory) {
    return at ? value(rfc3339(*at), memory) : value(nullptr, memory);
}

value id(const std::optional<AccountId>& account, const storage_ptr& memory) {
    return account ? value(account->text(), memory) : value(nullptr, memory);
}

/// Members that few keys have are left out where they are empty: they would make the list a tenth
/// longer.
void add_exceptions(object& key, const store::HealthState& health,
                    const std::optional<std::string>& entered_for) {
    Sentence::read(health.message).tell(key, "healthMessage", "healthSentence");
    if (health.cooldown_until) key["cooldownUntil"] = rfc3339(*health.cooldown_until);
    if (entered_for) key["keyEnteredFor"] = *entered_for;
}

object document(const store::Model& model, const storage_ptr& memory) {
    return object({{"modelId", model.model_id},
                   {"displayName", model.display_name},
                   {"capabilities", model.capabilities},
                   {"isEnabled", model.is_enabled}},
                  memory);
}

object document(const store::Account& account, const storage_ptr& memory) {
    object members({{"id", account.id.text()},
                    {"name", account.name},
                    {"keyHint", account.key_hint},
                    {"hasKey", account.has_key},
                    {"isEnabled", account.is_enabled},
                    {"priority", account.priority},
                    {"healthStatus", name_of(account.health.status)},
                    {"healthCheckedAt", moment(account.health.checked_at, memory)}},
                   memory);
    add_exceptions(members, account.health, account.key_entered_for);
    return members;
}

object document(const store::Header& header, const storage_ptr& memory) {
    object members({{"name", header.name}}, memory);
    if (header.key_entered_for) members["keyEnteredFor"] = *header.key_entered_for;
    return members;
}

object document(const store::KeyError& error, const storage_ptr& memory) {
    object members({{"accountId", id(error.account, memory)}, {"at", rfc3339(error.at)}}, memory);
    Sentence::read(error.message).tell(members, "message");
    return members;
}

template <class Thing>
array documents(const std::vector<Thing>& things, const storage_ptr& memory);

object document(const store::Provider& provider, const storage_ptr& memory) {
    object members({{"id", provider.id.text()},
                    {"name", provider.fields.name},
                    {"handle", provider.fields.handle},
                    {"type", provider.fields.type},
                    {"baseUrl", provider.fields.base_url},
                    {"status", provider.is_active ? "active" : "inactive"},
                    {"healthStatus", name_of(provider.health.status)},
                    {"healthCheckedAt", moment(provider.health.checked_at, memory)},
                    {"hasKey", provider.has_key},
                    {"keyHint", provider.key_hint},
                    {"roundRobinAccounts", provider.fields.round_robin_accounts},
                    {"createdAt", rfc3339(provider.created_at)},
                    {"models", documents(provider.models, memory)},
                    {"accounts", documents(provider.accounts, memory)},
                    {"headers", documents(provider.headers, memory)}},
                   memory);
    add_exceptions(members, provider.health, provider.key_entered_for);
    return members;
}

template <class Thing>
array documents(const std::vector<Thing>& things, const storage_ptr& memory) {
    array all(memory); // braces would make a list of one element
    all.reserve(things.size());
    for (const Thing& thing : things) all.push_back(document(thing, memory));
    return all;
}

/// The whole, which has all of them, becomes these members of it.
void keep(object& whole, std::initializer_list<std::string_view> members) {
    object kept;
    for (const std::string_view member : members) kept.emplace(member, std::move(whole.at(member)));
    whole = std::move(kept);
}

void keep_of_each(value& list, std::initializer_list<std::string_view> members) {
    for (value& each : list.as_array()) keep(each.as_object(), members);
}

/// Serializes what `make(memory)` builds in memory that is given back in one piece: for a list of
/// fifty objects half the time goes into allocating them one by one.
template <class Make>
std::string serialized(Make make) {
    std::array<unsigned char, std::size_t{16} * 1024> stack; // NOLINT: uninitialised on purpose
    boost::json::monotonic_resource memory{stack.data(), stack.size()};
    return boost::json::serialize(make(storage_ptr{&memory}));
}

} // namespace

std::string to_json(const std::vector<store::Provider>& providers) {
    return serialized([&](const storage_ptr& memory) {
        return object({{"providers", documents(providers, memory)}}, memory);
    });
}

std::string to_json(const store::Provider& provider) {
    return serialized([&](const storage_ptr& memory) { return document(provider, memory); });
}

std::string to_json(const store::Model& model) {
    return serialized([&](const storage_ptr& memory) { return document(model, memory); });
}

std::string to_json(const store::Account& account) {
    return serialized([&](const storage_ptr& memory) { return document(account, memory); });
}

std::string to_json(const store::KeyFacts& facts) {
    return serialized([&](const storage_ptr& memory) {
        return object({{"nextInTurn", id(facts.next_in_turn, memory)},
                       {"errors", documents(facts.errors, memory)}},
                      memory);
    });
}

array portable(const std::vector<store::Provider>& providers) {
    array all = documents(providers, {});
    for (value& each : all) {
        object& provider = each.as_object();
        keep(provider, {"name", "type", "baseUrl", "status", "roundRobinAccounts", "createdAt",
                        "models", "accounts", "headers"});
        keep_of_each(provider["models"], {"modelId", "displayName", "capabilities", "isEnabled"});
        keep_of_each(provider["accounts"], {"name", "priority", "isEnabled"});
        keep_of_each(provider["headers"], {"name"});
    }
    return all;
}

} // namespace usershell::pipeline
