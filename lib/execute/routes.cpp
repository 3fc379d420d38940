#include "execute/handlers.hpp"

#include "opener/wire/call_starts.hpp"

namespace usershell::execute {
namespace {

using opener::TakesTurn;
using pipeline::Body;
using web::Method;

/// The place of the provider's id in a request.
enum class ProviderIn { path, body, none }; ///< none: all active providers

std::string_view text_of_id(const pipeline::RequestContext& context, ProviderIn place) {
    if (place == ProviderIn::path) return context.parameters.find("providerId")->second;
    try {
        return context.json.text_view("providerId").value_or("");
    } catch (const Refusal&) {
        return {}; // the handler reads all fields in their order, and refuses then
    }
}

/// A malformed id is one that no provider has: it is answered as not found.
std::optional<ProviderId> provider_of(const pipeline::RequestContext& context, ProviderIn place) {
    if (place == ProviderIn::none) return std::nullopt;
    auto id = ProviderId::parse(text_of_id(context, place));
    return id ? id : ProviderId::parse("00000000-0000-0000-0000-000000000000");
}

/// Of a test of one account, whose key alone is opened. A malformed id is no account's.
std::optional<AccountId> account_of(const pipeline::RequestContext& context) {
    const auto found = context.parameters.find("accountId");
    if (found == context.parameters.end()) return std::nullopt;
    auto id = AccountId::parse(found->second);
    return id ? id : AccountId::parse("00000000-0000-0000-0000-000000000000");
}

using CallHandler = web::Response (*)(Services&, pipeline::RequestContext&, std::shared_ptr<Call>);

pipeline::BeginCall begin_with(Services& services, ProviderIn place, TakesTurn turn,
                               CallHandler handler) {
    return [&services, place, turn, handler](pipeline::RequestContext& context) {
        auto begun =
            std::make_shared<Call>(services.calls, context,
                                   opener::CallRequest{.provider = provider_of(context, place),
                                                       .only = account_of(context),
                                                       .turn = turn});
        return pipeline::BegunCall{begun->caller(), [&services, handler, begun](auto& request) {
                                       return handler(services, request, begun);
                                   }};
    };
}

/// `late`: the handler of a large body, which is still to come.
pipeline::Route call(Services& services, Method method, std::string_view pattern, Body body,
                     ProviderIn place, TakesTurn turn, CallHandler handler,
                     CallHandler late = nullptr) {
    pipeline::CallRoute kind{body, begin_with(services, place, turn, handler)};
    if (late != nullptr)
        kind.begin_late = begin_with(services, ProviderIn::none, TakesTurn::no, late);
    return {method, pattern, std::move(kind)};
}

pipeline::Routes page_routes(Services& services) {
    using enum web::Method;
    return {
        call(services, post, "/user/providers/playground", Body::json_with_images, ProviderIn::body,
             TakesTurn::yes, playground, late_request),
        call(services, post, "/user/providers/test-batch", Body::json, ProviderIn::none,
             TakesTurn::yes, test_batch),
        call(services, post, "/user/providers/{providerId}/test", Body::json, ProviderIn::path,
             TakesTurn::yes, test_provider),
        call(services, get, "/user/providers/{providerId}/models/available", Body::none,
             ProviderIn::path, TakesTurn::no, available_models),
        call(services, post, "/user/providers/{providerId}/accounts/{accountId}/test", Body::json,
             ProviderIn::path, TakesTurn::no, test_account),
    };
}

} // namespace

pipeline::Routes execute_routes(Services& services) {
    pipeline::Routes routes = page_routes(services);
    for (pipeline::Route& route : tool_routes(services)) routes.push_back(std::move(route));
    return routes;
}

} // namespace usershell::execute
