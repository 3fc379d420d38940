#include "base/error.hpp"
#include "execute/handlers.hpp"
#include "execute/relay/model_names.hpp"
#include "execute/relay/token_call.hpp"
#include "pipeline/api_error.hpp"
#include "web/percent.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace usershell::execute {
namespace {

using pipeline::ErrorForm;

constexpr const char* long_ago = "1970-01-01T00:00:00Z"; ///< no provider says when

boost::json::object document_of(const ListedModel& model, ErrorForm form) {
    if (form == ErrorForm::anthropic)
        return {{"type", "model"},
                {"id", model.name},
                {"display_name", model.name},
                {"created_at", long_ago}};
    return {{"id", model.name}, {"object", "model"}, {"created", 0}, {"owned_by", model.handle}};
}

RelayRoute route_of(ErrorForm form) {
    return form == ErrorForm::anthropic ? RelayRoute::messages : RelayRoute::chat;
}

/// A list takes no slot for longer than it is read: its call ends when this returns.
std::vector<store::TokenProvider> providers_of(Services& services,
                                               pipeline::RequestContext& context) {
    TokenCall call = begin_token_call(services, context, {});
    if (call.start.outcome == store::TokenOutcome::no_slot)
        throw Refusal{ErrorCode::rate_limited, "Your tools have too many calls under way."_en}
            .retry_after(std::chrono::seconds{1});
    return std::move(call.start.providers);
}

} // namespace

web::Response tool_models(Services& services, pipeline::RequestContext& context) {
    const ErrorForm form = pipeline::api_form("/v1/models", context.request);
    const auto models = list_models(providers_of(services, context), route_of(form));
    boost::json::array data;
    for (const ListedModel& model : models) data.push_back(document_of(model, form));
    boost::json::object document{{"data", std::move(data)}};
    if (form == ErrorForm::anthropic) {
        document["has_more"] = false;
        document["first_id"] = nullptr;
        document["last_id"] = nullptr;
        if (!models.empty()) {
            document["first_id"] = models.front().name;
            document["last_id"] = models.back().name;
        }
    } else {
        document["object"] = "list";
    }
    return web::Response::json(boost::json::serialize(document));
}

web::Response tool_model(Services& services, pipeline::RequestContext& context) {
    const ErrorForm form = pipeline::api_form("/v1/models", context.request);
    const auto providers = providers_of(services, context);
    const auto& sent = context.parameters.find("model")->second;
    const auto name = web::decode_form_text(sent);
    const auto found =
        listed_model(providers, name ? std::string_view{*name} : sent, route_of(form));
    if (!found) throw unknown_model(sent);
    return web::Response::json(boost::json::serialize(document_of(*found, form)));
}

} // namespace usershell::execute
