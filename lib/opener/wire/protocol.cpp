#include "opener/wire/protocol.hpp"

#include "domain/catalogue.hpp"
#include "domain/rules.hpp"
#include "opener/wire/fields.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace usershell::opener {

namespace wire {

// Both directions of a struct are one function, pass(): a Writer takes the fields, a Reader fills
// them. So what one side writes the other reads. A Reader begins with a blank() value.

constexpr std::size_t hash_size = 32;
constexpr std::size_t selector_size = 12;
constexpr std::size_t max_route = 16;
constexpr std::size_t max_network = 64;
constexpr std::size_t usual_size = 2048; ///< of an answer

template <>
UserId blank() {
    return nil<UserId>();
}
template <>
ProviderId blank() {
    return nil<ProviderId>();
}
template <>
AccountId blank() {
    return nil<AccountId>();
}
template <>
store::CallId blank() {
    return {.user = nil<UserId>(), .id = {}};
}
template <>
store::TokenProvider blank() {
    return {.id = nil<ProviderId>(), .handle = {}, .type = nullptr};
}
template <>
OpenedProvider blank() {
    return {store::CallProvider{.id = nil<ProviderId>(),
                                .name = {},
                                .type = nullptr,
                                .base_url = {}}};
}
template <>
CallStart blank() {
    return {.caller = {.user = nil<UserId>(), .session = nil<SessionId>()}};
}
template <>
TokenCallStart blank() {
    return {.user = nil<UserId>()};
}
template <>
LoadProvider blank() {
    return {.call = blank<store::CallId>(), .provider = nil<ProviderId>(), .model = {}};
}
template <>
NextKey blank() {
    return {.call = blank<store::CallId>(), .provider = nil<ProviderId>()};
}

template <class Wire>
void word(Wire& wire, auto& text) {
    wire.text(text, 0, max_text);
}
template <class Wire>
void words(Wire& wire, auto& texts) {
    list(wire, texts, [&wire](auto& text) { word(wire, text); });
}

/// A call's id, as it was drawn.
template <class Wire>
void call_id(Wire& wire, auto& id) {
    wire.text(id, uuid_size, uuid_size);
    if (!is_uuid(id)) throw Malformed{};
}

template <class Wire, Is<store::CallId> Call>
void pass(Wire& wire, Call& call) {
    pass(wire, call.user);
    call_id(wire, call.id);
}
template <class Wire, Is<store::TokenNeed> Need>
void pass(Wire& wire, Need& need) {
    wire.number(need.input);
    wire.number(need.output);
}

// Requests

template <class Wire, Is<BeginCall> Begin>
void pass(Wire& wire, Begin& begin) {
    wire.text(begin.calls_token_hash, hash_size, hash_size);
    call_id(wire, begin.id);
    maybe(wire, begin.provider);
    maybe(wire, begin.only);
    flag(wire, begin.turn);
}
template <class Wire, Is<BeginTokenCall> Begin>
void pass(Wire& wire, Begin& begin) {
    auto& request = begin.request;
    call_id(wire, begin.id);
    wire.text(request.proof.selector, selector_size, selector_size);
    wire.text(request.proof.verifier, hash_size, hash_size);
    wire.text(request.route, 0, max_route);
    wire.text(request.network, 0, max_network);
    pass(wire, request.need);
    maybe(wire, request.model, [&](auto& model) { wire.text(model, 0, max_model_name); });
}
template <class Wire, Is<LoadProvider> Load>
void pass(Wire& wire, Load& load) {
    pass(wire, load.call);
    pass(wire, load.provider);
    wire.text(load.model, 0, max_model_name);
    pass(wire, load.need);
}
template <class Wire, Is<NextKey> Next>
void pass(Wire& wire, Next& next) {
    pass(wire, next.call);
    pass(wire, next.provider);
    maybe(wire, next.account);
    flag(wire, next.with_headers);
}

// Answers

void pass(Writer& wire, const Opened& opened) {
    const auto* const plain = std::get_if<crypto::Secret>(&opened);
    wire.number(plain != nullptr, 1);
    if (plain != nullptr) return wire.secret(*plain);
    wire.number(std::get<crypto::UnsealError::Reason>(opened));
}
void pass(Reader& wire, Opened& opened) {
    bool is_open = false;
    flag(wire, is_open);
    if (is_open) return wire.secret(opened.emplace<crypto::Secret>());
    wire.number(opened.emplace<crypto::UnsealError::Reason>(),
                static_cast<std::uint64_t>(crypto::UnsealError::Reason::address_changed));
}
template <class Wire, Is<OpenedKey> Key>
void pass(Wire& wire, Key& key) {
    pass(wire, key.key);
    wire.text(key.digest, hash_size, hash_size);
}
template <class Wire, Is<OpenedHeader> Header>
void pass(Wire& wire, Header& header) {
    word(wire, header.name);
    pass(wire, header.value);
}

void type(Writer& wire, const ProviderType* const& type) {
    word(wire, type == nullptr ? std::string_view{} : type->value);
}
void type(Reader& wire, const ProviderType*& type) {
    std::string name;
    word(wire, name);
    type = find_provider_type(name);
}

template <class Wire, Is<store::CallKey> Key>
void pass(Wire& wire, Key& key) {
    maybe(wire, key.account);
    word(wire, key.name);
    flag(wire, key.is_enabled);
    flag(wire, key.is_in_cooldown);
    flag(wire, key.is_unhealthy);
}
template <class Wire, Is<OpenedProvider> Provider>
void pass(Wire& wire, Provider& provider) {
    pass(wire, provider.id);
    word(wire, provider.name);
    type(wire, provider.type);
    word(wire, provider.base_url);
    flag(wire, provider.is_active);
    flag(wire, provider.round_robin_accounts);
    maybe(wire, provider.own_key);
    list(wire, provider.accounts);
    words(wire, provider.headers);
    words(wire, provider.enabled_models);
    words(wire, provider.all_models);
    maybe(wire, provider.first_key);
    maybe(wire, provider.header_values, [&wire](auto& values) { list(wire, values); });
}
template <class Wire, Is<CallStart> Start>
void pass(Wire& wire, Start& start) {
    pass(wire, start.caller.user);
    pass(wire, start.caller.session);
    word(wire, start.caller.antiforgery_key);
    maybe(wire, start.call);
    list(wire, start.providers);
}
template <class Wire, Is<store::TokenProvider> Provider>
void pass(Wire& wire, Provider& provider) {
    pass(wire, provider.id);
    word(wire, provider.handle);
    type(wire, provider.type);
    flag(wire, provider.is_active);
    words(wire, provider.models);
    words(wire, provider.allowed);
}

template <class Wire>
void outcome(Wire& wire, auto& outcome) {
    wire.number(outcome, static_cast<std::uint64_t>(store::TokenOutcome::too_many_requests));
}
void seconds(Writer& wire, const std::chrono::seconds& wait) { wire.number(wait.count()); }
void seconds(Reader& wire, std::chrono::seconds& wait) {
    std::int64_t count = 0;
    wire.number(count);
    wait = std::chrono::seconds{count};
}
template <class Wire, Is<TokenCallStart> Start>
void pass(Wire& wire, Start& start) {
    pass(wire, start.user);
    outcome(wire, start.outcome);
    maybe(wire, start.call);
    seconds(wire, start.wait);
    flag(wire, start.limits.may_use_stored_objects);
    flag(wire, start.limits.has_model_limit);
    flag(wire, start.limits.has_day_limit);
    list(wire, start.providers);
    maybe(wire, start.loaded);
}
template <class Wire, Is<LoadedProvider> Loaded>
void pass(Wire& wire, Loaded& loaded) {
    outcome(wire, loaded.outcome);
    maybe(wire, loaded.provider);
}
template <class Wire, Is<FoundKey> Found>
void pass(Wire& wire, Found& found) {
    word(wire, found.type);
    word(wire, found.base_url);
    maybe(wire, found.key);
    list(wire, found.headers);
}
template <class Wire, Is<Trouble> Kind>
void pass(Wire& wire, Kind& trouble) {
    wire.number(trouble, static_cast<std::uint64_t>(Trouble::failed));
}
template <class Wire, class Value>
void pass(Wire& wire, std::optional<Value>& answer) {
    maybe(wire, answer);
}

/// The kind and the fields of one of several.
template <class... Kinds>
WipedString written(std::variant<Kinds...>& one) {
    WipedString bytes;
    bytes.reserve(usual_size);
    Writer wire{bytes};
    wire.number(one.index());
    std::visit([&wire](auto& held) { pass(wire, held); }, one);
    return bytes;
}

template <class Variant, std::size_t kind = 0>
Variant read_fields(Reader& wire, std::size_t wanted) {
    if constexpr (kind < std::variant_size_v<Variant>) {
        if (wanted != kind) return read_fields<Variant, kind + 1>(wire, wanted);
        auto held = blank<std::variant_alternative_t<kind, Variant>>();
        pass(wire, held);
        wire.end();
        return Variant{std::in_place_index<kind>, std::move(held)};
    } else {
        throw Malformed{};
    }
}

template <class Variant>
Variant read(std::string_view bytes) {
    Reader wire{bytes};
    std::size_t kind = 0;
    wire.number(kind);
    return read_fields<Variant>(wire, kind);
}

} // namespace wire

WipedString encoded(Request request) { return wire::written(request); }
Request read_request(std::string_view packet) {
    if (packet.size() > max_request) throw Malformed{};
    return wire::read<Request>(packet);
}

WipedString encoded(Answer answer) { return wire::written(answer); }
Answer read_answer(std::string_view bytes) { return wire::read<Answer>(bytes); }

} // namespace usershell::opener
