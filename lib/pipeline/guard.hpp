// Finds the session of a request, and refuses changes that another site's page has sent (cross-site
// request forgery). All programs use it before any handler runs. Immutable after construction; any
// thread may call.
#pragma once

#include "store/database/database.hpp"
#include "store/providers/providers.hpp"
#include "store/users/sessions.hpp"
#include "web/body.hpp"
#include "web/message.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace usershell::pipeline {

/// A session has a cookie for each pool, with a token of its own: base64url of 32 random bytes, of
/// which only the hash is stored. nginx hands each pool its own cookie and no other.
enum class Pool { manage, execute, auth };
inline constexpr std::array all_pools{Pool::manage, Pool::execute, Pool::auth};
std::string session_cookie(Pool pool);
inline constexpr std::string_view antiforgery_field = "__RequestVerificationToken";

/// The hash under which the store keeps a session's token.
std::string token_hash(Pool pool, std::string_view token);

class Guard {
public:
    /// The anti-forgery key of a visitor without a session (the sign-in page); null when they
    /// have none.
    using AnonymousKey = std::function<std::optional<std::string>(const web::Request&)>;

    /// `pool`: whose cookie is asked for. `origin`: our own, "https://host[:port]". `anonymous_key`
    /// may be empty: then open routes take no POST.
    Guard(Pool pool, std::string origin, AnonymousKey anonymous_key = {});

    /// The session of the request's cookie, and the lease's identity with it. In programs with
    /// pages.
    std::optional<store::Caller> identify(const web::Request& request, store::Lease& lease) const;

    /// The same with the caller's provider list, and its document unless the request brings a tag
    /// to compare. In usershell-manage only.
    std::optional<store::ListCaller> identify_with_list(const web::Request& request,
                                                        store::Lease& lease) const;
    /// token_hash() of the request's cookie; null when there is no cookie.
    std::optional<std::string> token_hash_of(const web::Request& request) const;

    /// Throws Refusal antiforgery_invalid unless the request carries a good token and comes from
    /// our origin. `keys`: of the session, or for open routes anonymous_key_of(); the token may be
    /// of any. `body_token`: the one from a form or JSON body.
    void check_forgery(const web::Request& request, const std::vector<std::string>& keys,
                       std::optional<std::string_view> body_token) const;

    std::optional<std::string> anonymous_key_of(const web::Request& request) const;

private:
    bool from_elsewhere(const web::Request& request) const;

    Pool pool_;
    std::string origin_;
    AnonymousKey anonymous_key_;
};

} // namespace usershell::pipeline
