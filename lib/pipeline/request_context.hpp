// One request on its way through its handler: who asks, the route's parameters, the body as the
// route's kind of body, and the store. Made by Dispatch once all checks have passed that need no
// handler. Used by one thread, and gone when the handler returns: an answer that comes later keeps
// nothing of it.
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "crypto/secret.hpp"
#include "store/database/database.hpp"
#include "store/providers/provider_list.hpp"
#include "store/users/sessions.hpp"
#include "web/body.hpp"
#include "web/message.hpp"
#include "web/router.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::pipeline {

struct RequestContext {
    const web::Request& request;
    store::Lease& lease;
    web::PathParameters parameters{};
    std::optional<store::Caller> signed_in{};
    store::KeptList list{}; ///< of a route that has WithSession::list
    web::JsonBody json{};   ///< of a Body::json, large_json or json_with_images route
    web::Form form{};       ///< of a Body::form or Body::multipart route

    std::string token_hash{}; ///< of the caller's token; of a CallRoute
    /// Makes all checks of the request once its late body is in it, and gives the response of its
    /// handler. On a thread that may wait; throws what they throw. Outlives the answer.
    std::function<web::Response(const web::Request&)> serve_whole{};

    /// On routes that need a session only.
    const store::Caller& caller() const { return signed_in.value(); }
    const UserId& user() const { return caller().user; }

    /// A path parameter as an id; a malformed one names nothing: 404.
    template <class IdType>
    IdType id(std::string_view parameter) const {
        const auto found = parameters.find(parameter);
        auto parsed = found == parameters.end() ? std::nullopt : IdType::parse(found->second);
        if (!parsed) throw not_found();
        return *parsed;
    }

    /// A form field, empty when missing.
    std::string form_value(std::string_view field) const { return std::string{form_view(field)}; }
    /// The same of a password.
    crypto::Secret form_secret(std::string_view field) const {
        return crypto::Secret{form_view(field)};
    }
    /// The bytes of a file of a multipart form, empty when missing.
    std::string_view file(std::string_view field) const {
        const auto found = form.files.find(field);
        return found == form.files.end() ? std::string_view{} : found->second;
    }

private:
    std::string_view form_view(std::string_view field) const {
        const auto found = form.fields.find(field);
        return found == form.fields.end() ? std::string_view{} : std::string_view{found->second};
    }
};

} // namespace usershell::pipeline
