#include "execute/handlers.hpp"

#include "base/error.hpp"
#include "execute/calls/key_failover.hpp"
#include "opener/wire/call_starts.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace usershell::execute {
namespace {

/// The models, the values of the document, and the document.
constexpr std::size_t copies_of_list = 3;
constexpr std::size_t around_a_model = 256; ///< bytes

boost::json::array rows_of(const std::vector<adapters::AvailableModel>& models,
                           const opener::CallProvider& provider) {
    boost::json::array rows;
    rows.reserve(models.size());
    for (const adapters::AvailableModel& model : models) {
        boost::json::object row{{"modelId", model.id}, {"displayName", model.display_name}};
        if (!model.capabilities.empty()) row["capabilities"] = model.capabilities;
        row["added"] =
            std::ranges::find(provider.all_models, model.id) != provider.all_models.end();
        rows.push_back(std::move(row));
    }
    return rows;
}

web::Response empty_list(const Sentence& error, std::string_view reason = {},
                         const adapters::ProviderSaid& said = {}) {
    boost::json::object document{{"models", boost::json::array{}}};
    error.tell(document, "error");
    if (!reason.empty()) document["reason"] = reason;
    tell(said, document);
    return web::Response::json(boost::json::serialize(document));
}

class ModelsResponse final : public CallResponse {
public:
    ModelsResponse(Services& given, std::shared_ptr<Call> call, opener::CallProvider provider)
        : CallResponse{given, std::move(call)},
          provider_{std::move(provider)},
          memory_{ModelsResponse::call().memory().get()} {}

private:
    Task<web::Response> answer(web::Stream& stream) override {
        KeyFailover failover{services(), call(), services().upstream.list_limits()};
        failover.is_aside = true;
        failover.client = {.cancellation = &stream.cancellation()};
        const KeyFailover::Job job = [this](const adapters::CallTarget& target,
                                            const adapters::CallControl& control) {
            return list(target, control);
        };
        const auto [key, failure] = co_await failover.run(provider_, job);
        if (failure) co_return empty_list(failure->shown(), failure->reason, failure->said);
        if (list_.models.empty())
            co_return empty_list(
                "The provider’s list of models is empty: none is loaded there, or this key may "
                "use none."_en);
        PoolLane readers = services().readers_of(call().id().user);
        const auto permit = co_await readers.enter(); // a list may have thousands of rows
        boost::json::object document{{"models", rows_of(list_.models, provider_)}};
        if (list_.truncated) document["truncated"] = true;
        co_return web::Response::json(boost::json::serialize(document));
    }

    Task<> list(const adapters::CallTarget& target, const adapters::CallControl& control) {
        list_ = co_await adapters::list_models(target, control);
        std::size_t size = 0;
        for (const auto& model : list_.models)
            size += model.id.size() + model.display_name.size() + around_a_model;
        if (!memory_.hold(copies_of_list * size))
            throw adapters::UpstreamError{adapters::Reason::cancelled};
    }

    opener::CallProvider provider_;
    adapters::ModelListing list_;
    CallMemory::Part memory_;
};

} // namespace

web::Response available_models(Services& services, pipeline::RequestContext& /*context*/,
                               std::shared_ptr<Call> call) {
    auto provider = call->take_provider();
    if (provider.type == nullptr || !provider.type->lists_models) {
        return empty_list("This type of provider has no model list. Add models by hand."_en);
    }
    call->require_slot();
    return async_response<ModelsResponse>(services, std::move(call), std::move(provider));
}

} // namespace usershell::execute
