// One request on its way through its handler: who asks, the route's parameters, the body as the
// route's kind of body, the store, and the way back for streams. Made by dispatch after every check
// that needs no handler. Used by one thread.
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "store/database/database.hpp"
#include "store/sessions.hpp"
#include "web/body.hpp"
#include "web/message.hpp"
#include "web/router.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::app {

struct RequestContext {
    const web::Request& request;
    web::Stream& stream;
    store::Lease& lease;
    web::PathParameters parameters{};
    std::optional<store::Caller> signed_in{};
    web::JsonBody json{}; ///< of a Body::json route
    web::Fields form{};   ///< of a Body::form route, and the plain fields of a Body::multipart one
    web::Multipart multipart{}; ///< of a Body::multipart route

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
    std::string form_value(std::string_view field) const {
        const auto found = form.find(field);
        return found == form.end() ? std::string{} : found->second;
    }
};

} // namespace usershell::app
