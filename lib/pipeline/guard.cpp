#include "pipeline/guard.hpp"

#include "base/error.hpp"
#include "crypto/token.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <array>

namespace usershell::pipeline {
namespace {

// Two nets against forged requests, each on its own. A browser that says where a request comes from
// (Sec-Fetch-Site, Origin) must not name another site. And every change carries a token made from a
// key of the session (of the visitor's cookie, before there is one), which another site can't read.

Refusal forged() {
    return {ErrorCode::antiforgery_invalid,
            "This page is out of date. Load it again and repeat what you did."_en};
}

std::optional<std::string_view> header_token(const web::Request& request) {
    constexpr std::array<std::string_view, 2> names{"requestverificationtoken",
                                                    "__requestverificationtoken"};
    for (const std::string_view name : names) {
        if (const auto value = request.header(name)) return value;
    }
    return std::nullopt;
}

/// The name of the pool's cookie after its prefix, and the purpose of its token's hash.
std::string_view word_of(Pool pool) {
    switch (pool) {
    case Pool::manage:
        return "session";
    case Pool::execute:
        return "calls";
    case Pool::auth:
        break;
    }
    return "auth";
}

} // namespace

std::string session_cookie(Pool pool) { return "__Host-usershell-" + std::string{word_of(pool)}; }

std::string token_hash(Pool pool, std::string_view token) {
    return crypto::token_hash(word_of(pool), token);
}

Guard::Guard(Pool pool, std::string origin, AnonymousKey anonymous_key)
    : pool_{pool},
      origin_{std::move(origin)},
      anonymous_key_{std::move(anonymous_key)} {}

std::optional<std::string> Guard::token_hash_of(const web::Request& request) const {
    const auto token = request.cookie(session_cookie(pool_));
    if (!token || token->empty()) return std::nullopt;
    return token_hash(pool_, *token);
}

std::optional<store::Caller> Guard::identify(const web::Request& request,
                                             store::Lease& lease) const {
    const auto hash = token_hash_of(request);
    if (!hash) return std::nullopt;
    return pool_ == Pool::auth ? store::sign_auth_request_in(lease, *hash)
                               : store::sign_request_in(lease, *hash);
}

std::optional<store::ListCaller> Guard::identify_with_list(const web::Request& request,
                                                           store::Lease& lease) const {
    const auto hash = token_hash_of(request);
    if (!hash) return std::nullopt;
    const bool with_document = !request.header("if-none-match");
    return store::sign_request_in_with_list(lease, *hash, build_id(), with_document);
}

void Guard::check_forgery(const web::Request& request, const std::vector<std::string>& keys,
                          std::optional<std::string_view> body_token) const {
    if (from_elsewhere(request)) throw forged();
    const auto in_header = header_token(request);
    const std::optional<std::string_view> token = in_header ? in_header : body_token;
    const auto is_by = [&token](const std::string& key) {
        return crypto::check_antiforgery(key, *token);
    };
    if (!token || std::ranges::none_of(keys, is_by)) throw forged();
}

std::optional<std::string> Guard::anonymous_key_of(const web::Request& request) const {
    return anonymous_key_ ? anonymous_key_(request) : std::nullopt;
}

bool Guard::from_elsewhere(const web::Request& request) const {
    if (request.header("sec-fetch-site") == "cross-site") return true;
    const auto origin = request.header("origin");
    return origin && *origin != origin_;
}

} // namespace usershell::pipeline
