#include "auth/cookies.hpp"

#include "crypto/token.hpp"

#include <algorithm>
#include <array>

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

std::string hash_of_visitor(std::string_view token) { return crypto::token_hash("sign-in", token); }

/// The value of the visitor's cookie; null unless this service has made it.
std::optional<std::string> visitor_token(const web::Request& request) {
    const auto token = request.cookie(visitor_cookie);
    const auto bytes = token ? crypto::from_base64url(*token) : std::nullopt;
    if (!bytes || bytes->size() != token_bytes) return std::nullopt;
    return std::string{*token};
}

/// The value of the cookie of known browsers: the user, the browser's own random name, and two
/// proofs that only who has the ring can make. `named` says that the service has given the name to
/// a browser of that user; `current` says it under the user's stamp.
struct DeviceCookie {
    UserId user;
    std::string device;
    std::string_view named;
    std::string_view current;
};

std::optional<DeviceCookie> device_cookie_of(const web::Request& request) {
    std::array<std::string_view, 4> parts;
    std::string_view rest = request.cookie(device_cookie).value_or("");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto dot = std::min(rest.find('.'), rest.size());
        parts.at(i) = i + 1 < parts.size() ? rest.substr(0, dot) : rest;
        rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    const auto user = UserId::parse(parts[0]);
    if (!user) return std::nullopt;
    return DeviceCookie{*user, std::string{parts[1]}, parts[2], parts[3]};
}

/// User and stamp have one length each, so that no two devices are about the same text.
std::string device_proof(const crypto::Secret& seed, std::string_view purpose,
                         const std::string& whose, std::string_view device) {
    return crypto::base64url(
        crypto::derive_ring_key(seed, purpose, whose + std::string{device}).reveal());
}

/// Is it by a key of the ring? Every one is tried, so that known browsers stay known after a
/// rotation.
bool is_proof(const crypto::AuthSecret& ring, std::string_view purpose, const std::string& whose,
              std::string_view device, std::string_view given) {
    return std::ranges::any_of(ring.keys, [&](const auto& key) {
        return crypto::equal_in_constant_time(device_proof(key.second, purpose, whose, device),
                                              given);
    });
}

/// The cookie, if the service has made it for that user.
std::optional<DeviceCookie> named_device(const crypto::AuthSecret& ring,
                                         const web::Request& request) {
    auto cookie = device_cookie_of(request);
    if (!cookie ||
        !is_proof(ring, "device-name", cookie->user.text(), cookie->device, cookie->named))
        return std::nullopt;
    return cookie;
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

void clear_session(web::Response& response, bool keeps_stored) {
    for (const pipeline::Pool pool : pipeline::all_pools)
        response.set(web::forgotten(pipeline::session_cookie(pool)));
    if (!keeps_stored) response.set("Clear-Site-Data", "\"storage\"");
}

Visitor visitor_of(const crypto::AuthSecret& ring, const web::Request& request) {
    if (const auto token = visitor_token(request))
        return {visitor_key(ring, *token), hash_of_visitor(*token), std::nullopt};
    const std::string fresh = crypto::base64url(crypto::random_bytes(token_bytes));
    return {visitor_key(ring, fresh), hash_of_visitor(fresh),
            web::Cookie{visitor_cookie, fresh, visitor_lifetime}};
}

std::optional<std::string> visitor_antiforgery_key(const crypto::AuthSecret& ring,
                                                   const web::Request& request) {
    const auto token = visitor_token(request);
    if (!token) return std::nullopt;
    return visitor_key(ring, *token);
}

std::string visitor_hash(const web::Request& request) {
    return hash_of_visitor(visitor_token(request).value_or(""));
}

void clear_visitor_cookie(web::Response& response) { response.set(web::forgotten(visitor_cookie)); }

std::optional<std::string> known_device(const crypto::AuthSecret& ring, const web::Request& request,
                                        const store::StampedUser& who) {
    const auto cookie = named_device(ring, request);
    if (!cookie || cookie->user != who.user ||
        !is_proof(ring, "device", who.user.text() + who.stamp, cookie->device, cookie->current))
        return std::nullopt;
    return cookie->device;
}

std::optional<UserId> user_of_browser(const crypto::AuthSecret& ring, const web::Request& request) {
    const auto cookie = named_device(ring, request);
    if (!cookie) return std::nullopt;
    return cookie->user;
}

void set_device_cookie(web::Response& response, const crypto::AuthSecret& ring,
                       const web::Request& request, const store::StampedUser& who) {
    const crypto::Secret& seed = active_seed(ring);
    const std::string user = who.user.text();
    const auto named = named_device(ring, request);
    const std::string device = named && named->user == who.user
                                   ? named->device
                                   : crypto::base64url(crypto::random_bytes(device_name_bytes));
    response.set({.name = device_cookie,
                  .value = user + "." + device + "." +
                           device_proof(seed, "device-name", user, device) + "." +
                           device_proof(seed, "device", user + who.stamp, device),
                  .max_age = device_lifetime});
}

} // namespace usershell::auth
