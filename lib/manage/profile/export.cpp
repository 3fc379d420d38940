#include "manage/profile/profile.hpp"

#include "base/logging/log.hpp"
#include "base/timestamp.hpp"
#include "pipeline/documents.hpp"
#include "store/providers/providers.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>

namespace usershell::manage {
namespace {

Timestamp now() {
    return std::chrono::time_point_cast<Timestamp::duration>(std::chrono::system_clock::now());
}

} // namespace

web::Response export_data(Services&, pipeline::RequestContext& context) {
    const auto providers = store::list_providers(context.lease, context.user());
    const boost::json::object file{{"exportedAt", rfc3339_seconds(now())},
                                   {"displayName", context.caller().display_name},
                                   {"email", context.caller().email},
                                   {"providers", pipeline::portable(providers)}};
    log(Level::notice, "data exported", {{"user", context.user().text()}});
    web::Response response = web::Response::json(boost::json::serialize(file));
    response.set("Content-Disposition", "attachment; filename=\"usershell.json\"");
    return response;
}

} // namespace usershell::manage
