#include "execute/handlers.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "domain/rules.hpp"
#include "execute/check.hpp"
#include "execute/event_frames.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace usershell::execute {
namespace {

class SingleCheck final : public CallResponse {
public:
    SingleCheck(Services& given, std::shared_ptr<Call> call, store::CallProvider provider,
                std::optional<AccountId> only)
        : CallResponse{given, std::move(call)},
          provider_{std::move(provider)},
          only_{std::move(only)} {}

private:
    Task<web::Response> answer(web::Stream& stream) override {
        const CheckOf check{call(), provider_, only_, {.cancellation = &stream.cancellation()}};
        const CheckResult result = co_await check_provider(services(), check);
        co_return web::Response::json(boost::json::serialize(check_document(result)));
    }

    store::CallProvider provider_;
    std::optional<AccountId> only_;
};

void write_totals(const std::vector<CheckResult>& results, boost::json::object& document) {
    const auto passed = std::ranges::count_if(results, &CheckResult::ok);
    document["total"] = std::ssize(results);
    document["passed"] = passed;
    document["failed"] = std::ssize(results) - passed;
}

boost::json::object row_of(const store::CallProvider& provider, const CheckResult& result) {
    boost::json::object row{{"providerId", provider.id.text()}, {"name", provider.name}};
    boost::json::object outcome = check_document(result);
    if (!result.ok) outcome["latencyMs"] = result.latency_ms;
    outcome.erase("model");
    for (auto& [key, value] : outcome) row[key] = std::move(value);
    return row;
}

/// Checks of several providers side by side; results are sent in the order in which they end. Each
/// check is a task of its own, which only adds its index to `done_` and sets `some_`;
/// answer() alone writes to the stream, so that a client that reads slowly holds up no check. As
/// the checks use this object, answer() waits for all of them, also when the client has gone.
class Batch final : public CallResponse {
public:
    Batch(Services& given, std::shared_ptr<Call> call, std::vector<store::CallProvider> providers,
          bool as_stream)
        : CallResponse{given, std::move(call)},
          providers_{std::move(providers)},
          as_stream_{as_stream},
          results_(providers_.size()),
          some_{given.loop} {}

private:
    Task<web::Response> answer(web::Stream& stream) override {
        co_await services().loop.enter();
        EventFrames frames{stream};
        // No back-pressure: the answers of upstreams are small, so they are read even while the
        // batch's client reads slowly.
        const ClientSignals client{&stream.cancellation(), nullptr, [&] {
                                       if (as_stream_) frames.keep_alive();
                                   }};
        for (std::size_t i = 0; i < providers_.size(); ++i) start(check(i, client));
        for (std::size_t told = 0; told < providers_.size(); ++told) {
            some_.reset();
            if (done_.size() == told) co_await some_.wait();
            const std::size_t index = done_[told];
            co_await stream.writable().wait();
            if (as_stream_) frames.send(row_of(providers_[index], results_[index]));
        }
        co_await call().end(); // the user may call again when the answer is complete
        if (!as_stream_) co_return document();
        boost::json::object last{{"done", true}};
        write_totals(results_, last);
        frames.send(last);
        co_return streamed_response();
    }

    Task<> check(std::size_t index, const ClientSignals& client) {
        const CheckOf of{call(), providers_[index], std::nullopt, client,
                         rules::max_batch_requests};
        try {
            results_[index] = co_await check_provider(services(), of);
        } catch (const std::exception& error) {
            log(Level::warning, "check failed", {{"error", loggable(error)}});
            results_[index].error = "The check could not be made. Try again."_en;
        }
        co_await services().loop.enter();
        done_.push_back(index);
        some_.set();
    }

    web::Response document() const {
        boost::json::array rows;
        for (std::size_t i = 0; i < providers_.size(); ++i)
            rows.push_back(row_of(providers_[i], results_[i]));
        boost::json::object all{{"results", std::move(rows)}};
        write_totals(results_, all);
        return web::Response::json(boost::json::serialize(all));
    }

    std::vector<store::CallProvider> providers_;
    bool as_stream_;
    std::vector<CheckResult> results_;
    std::vector<std::size_t> done_; ///< indices, as they came
    AsyncEvent some_;               ///< set when there are more than were told
};

bool wants_stream(const web::Request& request) { return request.asks_for("text/event-stream"); }

} // namespace

web::Response test_provider(Services& services, pipeline::RequestContext& /*context*/,
                            std::shared_ptr<Call> call) {
    auto provider = call->take_provider();
    call->require_slot();
    return async_response<SingleCheck>(services, std::move(call), std::move(provider),
                                       std::nullopt);
}

web::Response test_account(Services& services, pipeline::RequestContext& context,
                           std::shared_ptr<Call> call) {
    const auto account = context.id<AccountId>("accountId");
    auto provider = call->take_provider();
    if (std::ranges::find(provider.accounts, account, &store::CallKey::account) ==
        provider.accounts.end()) {
        throw not_found();
    }
    call->require_slot();
    return async_response<SingleCheck>(services, std::move(call), std::move(provider), account);
}

web::Response test_batch(Services& services, pipeline::RequestContext& context,
                         std::shared_ptr<Call> call) {
    auto providers = call->take_providers();
    call->require_slot();
    return async_response<Batch>(services, std::move(call), std::move(providers),
                                 wants_stream(context.request));
}

} // namespace usershell::execute
