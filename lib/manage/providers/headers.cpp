#include "manage/providers/providers.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "manage/providers/fields.hpp"
#include "store/providers/headers.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::manage {

web::Response set_header(Services& services, pipeline::RequestContext& context) {
    const auto given_name = context.json.text("name");
    context.json.text_view("value"); // its type is looked at before the provider
    const auto provider = context.id<ProviderId>("providerId");
    const auto fields = store::find_provider_fields(context.lease, context.user(), provider);
    if (!fields) throw not_found();
    const std::string name = header_name_field(services, given_name);
    const crypto::Secret value = header_value_field(context.json);
    const store::StoredKey stored = seal_key(
        services, {context.user(), provider, std::nullopt, fields->type, fields->base_url, name},
        value);
    store::set_header(context.lease, context.user(), provider, name, stored);
    return web::Response::json(boost::json::serialize(boost::json::object{{"name", name}}));
}

web::Response delete_header(Services&, pipeline::RequestContext& context) {
    const auto provider = context.id<ProviderId>("providerId");
    const std::string name = lower_ascii(context.parameters.find("name")->second);
    store::delete_header(context.lease, context.user(), provider, name);
    return web::Response::no_content();
}

} // namespace usershell::manage
