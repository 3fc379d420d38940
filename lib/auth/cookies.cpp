#include "auth/cookies.hpp"

#include "crypto/token.hpp"

namespace usershell::auth {
namespace {

using std::chrono::seconds;

constexpr std::string_view visitor_cookie = "__Host-usershell-visitor";
constexpr std::string_view device_cookie = "__Host-usershell-device";
constexpr seconds visitor_lifetime{3600};
constexpr seconds device_lifetime{31'536'000};
constexpr std::size_t token_bytes = 32;
constexpr std::size_t device_name_bytes = 16;

const crypto::Secret& active_seed(const crypto::AuthSecret& ring) {
    return ring.keys.find(ring.active)->second;
}

std::string visitor_key(const crypto::AuthSecret& ring, std::string_view token) {
    const crypto::Secret key =
        crypto::derive_ring_key(active_seed(ring), "login-antiforgery", token);
    return std::string{key.reveal()};
}

/// The value of the visitor's cookie; null unless this service has made it.
std::optional<std::string> visitor_token(const web::Request& request) {
    const auto token = request.cookie(visitor_cookie);
    const auto bytes = token ? crypto::from_base64url(*token) : std::nullopt;
    if (!bytes || bytes->size() != token_bytes) return std::nullopt;
    return std::string{*token};
}

/// Only who has the ring can make it. Id and stamp have one length each, so that no two devices are
/// about the same text.
std::string device_proof(const crypto::Secret& seed, const store::StampedUser& who,
                         std::string_view device) {
    const std::string about = who.user.text() + who.stamp + std::string{device};
    return crypto::base64url(crypto::derive_ring_key(seed, "device", about).reveal());
}

} // namespace

FreshSession fresh_session() {
    FreshSession fresh;
    const auto hash_of_new = [&fresh](pipeline::Pool pool) {
        std::string& token = fresh.tokens[pool];
        token = crypto::base64url(crypto::random_bytes(token_bytes));
        return pipeline::token_hash(pool, token);
    };
    fresh.keys = {.token_hash = hash_of_new(pipeline::Pool::manage),
                  .calls_token_hash = hash_of_new(pipeline::Pool::execute),
                  .auth_token_hash = hash_of_new(pipeline::Pool::auth),
                  .antiforgery_key = crypto::random_bytes(crypto::antiforgery_key_size),
                  .auth_antiforgery_key = crypto::random_bytes(crypto::antiforgery_key_size)};
    return fresh;
}

void set_session_cookies(web::Response& response, const FreshSession& session,
                         const std::optional<seconds>& lifetime) {
    for (const auto& [pool, token] : session.tokens)
        response.set({pipeline::session_cookie(pool), token, lifetime});
}

void clear_session(web::Response& response) {
    for (const pipeline::Pool pool : pipeline::all_pools)
        response.set(web::forgotten(pipeline::session_cookie(pool)));
    response.set("Clear-Site-Data", "\"storage\"");
}

Visitor visitor_of(const crypto::AuthSecret& ring, const web::Request& request) {
    if (const auto token = visitor_token(request)) return {visitor_key(ring, *token), std::nullopt};
    const std::string fresh = crypto::base64url(crypto::random_bytes(token_bytes));
    return {visitor_key(ring, fresh), web::Cookie{visitor_cookie, fresh, visitor_lifetime}};
}

std::optional<std::string> visitor_antiforgery_key(const crypto::AuthSecret& ring,
                                                   const web::Request& request) {
    const auto token = visitor_token(request);
    if (!token) return std::nullopt;
    return visitor_key(ring, *token);
}

void clear_visitor_cookie(web::Response& response) { response.set(web::forgotten(visitor_cookie)); }

std::optional<std::string> known_device(const crypto::AuthSecret& ring, const web::Request& request,
                                        const store::StampedUser& who) {
    const auto cookie = request.cookie(device_cookie);
    const auto dot = cookie.value_or("").find('.');
    if (dot == std::string::npos) return std::nullopt;
    const std::string device{cookie->substr(0, dot)};
    // Every key of the ring is tried, so that known browsers stay known after a rotation.
    for (const auto& [id, seed] : ring.keys) {
        if (crypto::equal_in_constant_time(device_proof(seed, who, device),
                                           cookie->substr(dot + 1)))
            return device;
    }
    return std::nullopt;
}

void set_device_cookie(web::Response& response, const crypto::AuthSecret& ring,
                       const store::StampedUser& who) {
    const std::string device = crypto::base64url(crypto::random_bytes(device_name_bytes));
    response.set({.name = device_cookie,
                  .value = device + "." + device_proof(active_seed(ring), who, device),
                  .max_age = device_lifetime});
}

} // namespace usershell::auth
