#include "manage/providers/providers.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "crypto/bytes.hpp"
#include "crypto/token.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "domain/rules.hpp"
#include "manage/conditional.hpp"
#include "manage/providers/fields.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/page.hpp"
#include "runtime/process.hpp"
#include "store/providers/legacy.hpp"
#include "store/providers/parts.hpp"
#include "store/providers/providers.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::manage {

namespace {

/// The fields of an edit over the stored ones.
store::ProviderFields edited(const Services& services, store::ProviderFields fields,
                             const ProviderRequest& request) {
    if (request.name) fields.name = rules::read(rules::provider_name, request.name);
    if (request.handle) fields.handle = handle_field(request.handle);
    const ProviderType& before = type_field(fields.type);
    const ProviderType& type = request.type ? type_field(request.type) : before;
    const bool owned = type.owns_base_url || before.owns_base_url;
    if (request.base_url || (owned && type.value != before.value)) {
        fields.base_url = base_url_field(services, type, request.base_url);
    } else if (type.value != before.value) {
        fields.base_url = stored_base_url(type, BaseUrl::parse(fields.base_url));
    }
    fields.type = type.value;
    return fields;
}

} // namespace

web::Response providers_page(Services& services, pipeline::RequestContext& context) {
    web::PageData data = pipeline::page_frame(context, "Providers"_en, "providers.js");
    if (services.settings.hold_keys_on_change) data.show("HOLDS_PATHS");
    if (const auto note = older_keys_note(store::count_legacy_entries(context.lease));
        !note.empty())
        data.show("OLDER_KEYS").say("OLDER_KEYS_NOTE", note);
    return pipeline::page_answer(context, services.pages, pages::Page::providers, data);
}

web::Response playground_page(Services& services, pipeline::RequestContext& context) {
    const web::PageData data = pipeline::page_frame(context, "Playground"_en, "playground.js");
    return pipeline::page_answer(context, services.pages, pages::Page::playground, data);
}

web::Response create_provider(Services& services, pipeline::RequestContext& context) {
    const ProviderRequest request{context.json};
    const auto api_key = api_key_member(context.json);

    store::ProviderFields fields;
    fields.name = rules::read(rules::provider_name, request.name);
    const ProviderType& type = type_field(request.type);
    fields.type = type.value;
    fields.base_url = base_url_field(services, type, request.base_url);
    const crypto::Secret key = api_key_field(api_key);

    const auto id = new_id<ProviderId>(services, context, "provider");
    fields = store::create_provider(
        context.lease, context.user(), id, fields,
        seal_key(services, {context.user(), id, std::nullopt, fields.type, fields.base_url}, key));
    return web::Response::json(boost::json::serialize(
        boost::json::object{{"id", id.text()}, {"name", fields.name}, {"type", fields.type}}));
}

web::Response edit_provider(Services& services, pipeline::RequestContext& context) {
    const ProviderRequest request{context.json};
    const auto round_robin = context.json.boolean("roundRobinAccounts");
    const auto id = context.id<ProviderId>("providerId");

    const auto before = store::find_provider_fields(context.lease, context.user(), id);
    if (!before) throw not_found();
    store::ProviderFields fields = edited(services, *before, request);
    if (round_robin) fields.round_robin_accounts = *round_robin;
    return web::Response::json(
        pipeline::to_json(store::edit_provider(context.lease, context.user(), id, fields)));
}

web::Response delete_provider(Services&, pipeline::RequestContext& context) {
    store::delete_provider(context.lease, context.user(), context.id<ProviderId>("providerId"));
    return web::Response::no_content();
}

web::Response replace_provider_key(Services& services, pipeline::RequestContext& context) {
    const auto api_key = api_key_member(context.json);
    const auto id = context.id<ProviderId>("providerId");
    const auto provider = store::find_provider_fields(context.lease, context.user(), id);
    if (!provider) throw not_found();
    const crypto::Secret key = api_key_field(api_key);

    const store::StoredKey stored = seal_key(
        services, {context.user(), id, std::nullopt, provider->type, provider->base_url}, key);
    store::set_provider_key(context.lease, context.user(), id, stored);
    return web::Response::json(boost::json::serialize(
        boost::json::object{{"id", id.text()}, {"hasKey", true}, {"keyHint", stored.hint}}));
}

web::Response set_provider_status(Services&, pipeline::RequestContext& context) {
    const auto status = context.json.text("status");
    const auto id = context.id<ProviderId>("providerId");
    if (!store::find_provider_fields(context.lease, context.user(), id)) throw not_found();
    const bool is_active = status_field(status);
    store::set_provider_status(context.lease, context.user(), id, is_active);
    return web::Response::json(boost::json::serialize(
        boost::json::object{{"id", id.text()}, {"status", is_active ? "active" : "inactive"}}));
}

store::StoredKey seal_key(const Services& services, const crypto::KeyBinding& binding,
                          const crypto::Secret& key) {
    return {services.key_sealer.seal(binding, key), crypto::key_hint(key),
            binding.type + " " + binding.base_url};
}

namespace {

// Of the session, so that a browser which several people use never takes one's list for another's;
// of the build, since another may write the same list otherwise.
std::string tag_of(const pipeline::RequestContext& context, const std::string& version) {
    const std::string_view session = context.caller().session.text();
    return tag("list-etag", crypto::length_prefixed({session, version, build_id()}));
}

/// Makes the list's document and keeps it.
void make_list(pipeline::RequestContext& context) {
    store::ReadList read = store::read_list(context.lease, context.user());
    context.list.version = std::move(read.version);
    context.list.document = pipeline::to_json(read.providers);
    store::keep_list(context.lease, context.user(), context.list.version, build_id(),
                     *context.list.document);
}

} // namespace

web::Response list_providers(Services&, pipeline::RequestContext& context) {
    store::KeptList& list = context.list;
    if (!list.version.empty() && !list.document) {
        const std::string etag = tag_of(context, list.version);
        if (names_tag(context.request, etag)) return not_modified(etag);
        list = store::find_list(context.lease, context.user(), build_id());
    }
    if (!list.document) make_list(context);
    web::Response response = web::Response::json(*std::move(list.document));
    return tagged(std::move(response), tag_of(context, list.version));
}

web::Response show_key_facts(Services&, pipeline::RequestContext& context) {
    const auto provider = context.id<ProviderId>("providerId");
    return web::Response::json(
        pipeline::to_json(store::find_key_facts(context.lease, context.user(), provider)));
}

} // namespace usershell::manage
