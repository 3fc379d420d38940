// A person with access tokens, and what their calls get. For the tests of access tokens.
#pragma once

#include "store/store_fixture.hpp"
#include "store/tokens/access_tokens.hpp"
#include "store/users/events.hpp"

#include <string>
#include <utility>

namespace usershell::store {

inline TokenLimits some_limits() {
    return {.name = "laptop", .requests_a_minute = 100, .lifetime = 24h};
}

/// A person with a provider, a model and tokens.
struct Holder : ProviderOwner {
    Holder() { add_model("m"); }

    TokenStart makes(const TokenLimits& limits, const std::optional<QueuedMail>& notice = {}) {
        made = crypto::new_access_token(crypto::random_id<InstallationId>()).proof;
        id = crypto::random_id<AccessTokenId>();
        return make_token(auth.lease, proven(owner, "token").id, id, made, limits, notice);
    }
    TokenChange changes(const TokenLimits& limits, const char* deed = "token") {
        return change_token(auth.lease, proven(owner, deed).id, id, limits);
    }
    /// The proof of its new secret is `made` from then on.
    TokenChange renews(std::chrono::seconds overlap, const char* deed = "token") {
        const auto old = std::exchange(
            made, crypto::new_access_token(crypto::random_id<InstallationId>()).proof);
        return renew_token(auth.lease, proven(owner, deed).id, id, old.selector, made, overlap);
    }
    void has(const TokenLimits& limits = some_limits()) {
        BOOST_REQUIRE((makes(limits) == TokenStart::made));
    }
    std::optional<TokenCallStart> begins(std::int64_t reserve = 0, const char* route = "chat") {
        return begin_token_call(opening.lease, {made, route, "192.0.0.0/16", {reserve, 0}});
    }
    TokenOutcome outcome(std::int64_t reserve = 0, const char* route = "chat") {
        return begins(reserve, route).value().outcome;
    }
    CallId call() { return begins().value().call.value(); }
    bool loads(const CallId& of, const ProviderId& from, const std::string& model) {
        return load_provider(opening.lease, of, from, model, {}).has_value();
    }
    /// The provider whose key a call has loaded that began with that name of a model.
    std::optional<ProviderId> loads_at_once(const std::string& model) {
        const auto start =
            begin_token_call(opening.lease, {made, "chat", "192.0.0.0/16", {}, model}).value();
        BOOST_TEST((!start.loaded || (start.loaded->own_key && start.providers.size() == 1U)));
        return start.loaded ? std::optional{start.loaded->id} : std::nullopt;
    }
    void ends(const CallId& which, std::uint64_t input, std::uint64_t output,
              const std::string& model = "m") {
        end_calls(executing.lease, {{which, {}, {{provider, model, false, true, input, output}}}});
    }
    /// The names of its good tokens.
    std::string tokens() {
        std::string names;
        for (const AccessToken& each : own_tokens(auth.lease)) names += each.name + " ";
        return names;
    }
    /// The events of tokens, the newest first.
    std::string told() {
        std::string words;
        for (const Event& each : latest_events(auth.lease, 50, 50))
            if (each.kind.starts_with("token_")) words += each.kind + " " + each.about + " ";
        return words;
    }
    AccessToken only() { return own_tokens(auth.lease).at(0); }
    bool is_good(const crypto::TokenProof& proof) {
        return begin_token_call(opening.lease, {proof, "chat", "", {}}).has_value();
    }
    /// Its events wait for a mail, the oldest first.
    std::string waiting() {
        std::string words;
        for (const WaitingEvent& each : events_to_announce(auth.lease, 10'000))
            if (each.owner == owner) words += each.kind + " " + each.about + " ";
        return words;
    }

    Vouching auth{owner};
    Acting executing{test_database().as_execute(), std::nullopt};
    Opening opening{};
    Acting operating{test_database().as_owner(), std::nullopt};
    crypto::TokenProof made;
    AccessTokenId id = crypto::random_id<AccessTokenId>();
};

} // namespace usershell::store
