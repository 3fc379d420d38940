#include "execute/handlers.hpp"

#include "base/wiping.hpp"
#include "execute/late_body.hpp"
#include "opener/wire/call_starts.hpp"
#include "runtime/task.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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

struct CallRow {
    ProviderIn place;
    TakesTurn turn;
    CallHandler& handle;
};

/// Of no provider while the request's body is awaited.
opener::CallRequest begin_of(const CallRow& row, const pipeline::RequestContext& context) {
    if (context.request.awaited) return {};
    return {
        .provider = provider_of(context, row.place), .only = account_of(context), .turn = row.turn};
}

Task<WipedString> read_body(Services& services, Call& call, web::Stream& stream,
                            LateBodyLimits limits) {
    call.require_slot();
    call.answers(&stream);
    co_await services.loop.enter();
    call.count_stream();
    auto body = co_await settle(
        read_late_body<WipedString>(stream, *call.memory(), call.body_part(), limits));
    co_await services.threads.enter();
    co_return body.get();
}

pipeline::Route call(Services& services, Method method, std::string_view pattern, Body body,
                     ProviderIn place, TakesTurn turn, CallHandler& handle) {
    const auto make = [&services, row = CallRow{place, turn, handle}](const web::Request& request,
                                                                      const std::string& hash) {
        const auto call = std::make_shared<Call>(services.calls, request.id);
        return pipeline::PageCall{
            [call, row, hash](auto& context) { return call->begin(hash, begin_of(row, context)); },
            [call, &services](web::Stream& stream, std::size_t awaited, std::size_t max) {
                return read_body(services, *call, stream, {awaited, max, copies_of_body});
            },
            [call, &services, row](auto& context) { return row.handle(services, context, call); }};
    };
    return {method, pattern, pipeline::CallRoute{body, make}};
}

pipeline::Routes page_routes(Services& services) {
    using enum web::Method;
    return {
        call(services, post, "/user/providers/playground", Body::json_with_images, ProviderIn::body,
             TakesTurn::yes, playground),
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
