#include "base/build_id.hpp"
#include "crypto/length_prefixed.hpp"
#include "crypto/token.hpp"
#include "manage/conditional.hpp"
#include "manage/providers/providers.hpp"
#include "pipeline/documents.hpp"
#include "store/providers/accounts.hpp"
#include "store/providers/provider_list.hpp"

namespace usershell::manage {
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
