#include "opener/answers.hpp"

#include "crypto/envelope/envelope.hpp"
#include "crypto/envelope/sealers.hpp"
#include "store/call_starts.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace usershell::opener {

namespace {

using store::SealedProvider;

Opened opened(const crypto::Unsealer& unsealer, const crypto::KeyBinding& row,
              const crypto::SealedKey& sealed) {
    try {
        return unsealer.open(row, sealed);
    } catch (const crypto::UnsealError& error) {
        return error.reason();
    } catch (const Refusal&) { // of an address that is good no more
        return crypto::UnsealError::Reason::address_changed;
    }
}

OpenedProvider facts_of(SealedProvider& sealed) {
    return {static_cast<store::CallProvider&&>(sealed)};
}

} // namespace

OpenedProvider with_first_key(const crypto::Unsealer& unsealer, const UserId& owner,
                              SealedProvider sealed, const std::optional<AccountId>& only) {
    const auto keys = sealed.keys_to_try(only);
    if (keys.empty() || sealed.type == nullptr) return facts_of(sealed);
    crypto::KeyBinding row{.owner = owner,
                           .provider = sealed.id,
                           .account = std::nullopt,
                           .type = std::string{sealed.type->value},
                           .base_url = sealed.base_url};
    std::vector<Opened> headers;
    for (std::size_t i = 0; i < sealed.headers.size(); ++i) {
        row.header = sealed.headers[i];
        headers.push_back(opened(unsealer, row, sealed.sealed_headers[i]));
    }
    row.header.clear();
    std::optional<OpenedKey> first;
    if (std::ranges::all_of(headers, [](const Opened& header) {
            return std::holds_alternative<crypto::Secret>(header);
        })) {
        row.account = keys.front()->account;
        const crypto::SealedKey& envelope = sealed.sealed(*keys.front());
        first = OpenedKey{opened(unsealer, row, envelope), digest_of(envelope)};
    }
    OpenedProvider provider = facts_of(sealed);
    provider.first_key = std::move(first);
    provider.header_values = std::move(headers);
    return provider;
}

namespace {

/// The same of a provider that may be missing.
std::optional<OpenedProvider> opened(const crypto::Unsealer& unsealer, const UserId& owner,
                                     std::optional<SealedProvider> sealed) {
    if (!sealed) return std::nullopt;
    return opener::with_first_key(unsealer, owner, *std::move(sealed), std::nullopt);
}

class Answering {
public:
    Answering(store::Database& database, const crypto::Unsealer& unsealer)
        : lease_{database},
          unsealer_{unsealer} {}

    Answer operator()(const BeginCall& request) {
        auto begun = store::begin_call(lease_, request.calls_token_hash, request.id,
                                       request.provider, request.turn);
        lease_.release();
        if (!begun) return std::optional<CallStart>{};
        CallStart start{.caller = std::move(begun->caller), .call = std::move(begun->call)};
        for (SealedProvider& provider : begun->providers)
            start.providers.push_back(start.call && request.provider
                                          ? opener::with_first_key(unsealer_, start.call->user,
                                                                   std::move(provider),
                                                                   request.only)
                                          : facts_of(provider));
        return std::optional{std::move(start)};
    }

    Answer operator()(const BeginTokenCall& request) {
        auto begun = store::begin_token_call(lease_, request.id, request.request);
        lease_.release();
        if (!begun) return std::optional<TokenCallStart>{};
        return std::optional{
            TokenCallStart{.user = begun->user,
                           .outcome = begun->outcome,
                           .call = std::move(begun->call),
                           .wait = begun->wait,
                           .limits = begun->limits,
                           .providers = std::move(begun->providers),
                           .loaded = opened(unsealer_, begun->user, std::move(begun->loaded))}};
    }

    Answer operator()(const LoadProvider& request) {
        auto loaded = store::load_provider(lease_, request.call, request.provider, request.model,
                                           request.need);
        lease_.release();
        if (!loaded) return std::optional<LoadedProvider>{};
        return std::optional{LoadedProvider{
            loaded->outcome, opened(unsealer_, request.call.user, std::move(loaded->provider))}};
    }

    Answer operator()(const NextKey& request) {
        const auto next = store::next_key(lease_, request.call, request.provider, request.account,
                                          request.with_headers);
        lease_.release();
        if (!next) return std::optional<FoundKey>{};
        crypto::KeyBinding row{.owner = request.call.user,
                               .provider = request.provider,
                               .account = request.account,
                               .type = next->type,
                               .base_url = next->base_url};
        FoundKey found{.type = next->type, .base_url = next->base_url};
        if (next->sealed)
            found.key = OpenedKey{opened(unsealer_, row, *next->sealed), digest_of(*next->sealed)};
        row.account.reset();
        for (const store::SealedHeader& header : next->headers) {
            row.header = header.name;
            found.headers.push_back({header.name, opened(unsealer_, row, header.sealed)});
        }
        return std::optional{std::move(found)};
    }

private:
    store::Lease lease_;
    const crypto::Unsealer& unsealer_;
};

} // namespace

Answer answer(store::Database& database, const crypto::Unsealer& unsealer, const Request& request) {
    return std::visit(Answering{database, unsealer}, request);
}

} // namespace usershell::opener
