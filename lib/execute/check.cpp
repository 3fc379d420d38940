#include "execute/check.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "domain/rules.hpp"
#include "execute/calls/health_collector.hpp"
#include "execute/event_frames.hpp"
#include "execute/handlers.hpp"
#include "opener/wire/call_starts.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::execute {

namespace {

constexpr const char* prompt = "ping"; // one word, as the specification has it
constexpr const char* test_query = "ping";
constexpr const char* thought_only = "(no text: the model thought until the test's token limit)";

adapters::ChatRequest one_word(const std::string& model) {
    adapters::ChatRequest request;
    request.model = model;
    request.messages.push_back({adapters::ChatMessage::Role::user, prompt});
    request.check = true;
    return request;
}

/// The job of a check; writes reply and model into `result`.
Task<> ask(const opener::CallProvider& provider, CheckResult& result, Spent& spent,
           const adapters::CallTarget& target, const adapters::CallControl& control) {
    if (target.type.is_search) {
        result.reply = co_await adapters::search(target, test_query, control);
        co_return;
    }
    const adapters::ChatRequest request = one_word(provider.enabled_models.front());
    const adapters::ChatSinks nowhere;
    adapters::ChatReply reply = co_await adapters::complete_chat(target, request, control, nowhere);
    spent = {.told = reply.usage,
             .request_tokens = std::string_view{prompt}.size() / bytes_of_token,
             .answer_bytes = reply.content.size()};
    result.reply = reply.content.empty() ? thought_only : std::move(reply.content);
    result.model = std::move(reply.model);
}

/// Did the check end because its own time was over? A playground message is given more.
bool was_cut_short(const CallFailure& failure, std::chrono::steady_clock::time_point begun,
                   const Services& services) {
    return failure.reason == adapters::row_of(adapters::Reason::timed_out).name &&
           std::chrono::steady_clock::now() - begun >= services.upstream.check_limits().total;
}

std::int64_t milliseconds_since(std::chrono::steady_clock::time_point begun) {
    const auto time = std::chrono::steady_clock::now() - begun;
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

Sentence with_limit(const Sentence& sentence, const Services& services) {
    const auto limit = services.settings.upstream_test_timeout.count();
    return {"{sentence} A test waits {count} seconds."_en,
            {{"sentence", sentence}, {"count", std::to_string(limit)}}};
}

} // namespace

Task<CheckResult> check_provider(Services& services, const CheckOf& check) {
    const auto begun = std::chrono::steady_clock::now();
    opener::CallProvider& provider = check.provider;
    CheckResult result;
    Spent spent;
    try {
        CallLimits limits = services.upstream.check_limits();
        limits.requests = check.max_requests;
        KeyFailover failover{services, check.call, limits};
        failover.client = check.client;
        failover.only = check.only;
        if (provider.needs_model() && provider.enabled_models.empty())
            throw Refusal{ErrorCode::no_enabled_model,
                          "This provider has no enabled model. Add or enable one."_en};
        if (!provider.enabled_models.empty()) failover.model = provider.enabled_models.front();
        const KeyFailover::Job job = [&](const adapters::CallTarget& target,
                                         const adapters::CallControl& control) -> Task<> {
            co_await ask(provider, result, spent, target, control);
            result.latency_ms = milliseconds_since(begun);
            result.credit = co_await adapters::remaining_credit(target, control);
        };
        auto [key_name, failure] = co_await failover.run(provider, job);
        if (services.settings.api && provider.needs_model())
            check.call.count(
                usage_of(provider.id, provider.enabled_models.front(), spent, failure.get()));
        result.ok = !failure;
        result.key_name = failure ? failure->key_name : key_name;
        if (failure) {
            if (was_cut_short(*failure, begun, services))
                failure->sentence = with_limit(failure->sentence, services);
            result.error = failure->shown();
            result.reason = failure->reason;
            result.said = failure->said;
        }
    } catch (const Refusal& refusal) {
        if (refusal.status() >= 500 || refusal.code() == ErrorCode::not_found) throw;
        result.error = refusal.sentence();
        result.reason = refusal.reason();
    }
    if (!result.ok) result.latency_ms = milliseconds_since(begun);
    co_return result;
}

boost::json::object check_document(const CheckResult& result) {
    boost::json::object document{{"ok", result.ok}};
    if (!result.ok) {
        result.error.tell(document, "error");
        if (!result.reason.empty()) document["reason"] = result.reason;
        tell(result.said, document);
    } else {
        document["reply"] = result.reply;
        document["latencyMs"] = result.latency_ms;
        document["model"] = result.model;
        if (result.credit)
            document["credit"] = {{"amount", result.credit->amount},
                                  {"currency", result.credit->currency}};
    }
    if (!result.key_name.empty()) document["keyName"] = result.key_name;
    return document;
}

namespace {

class SingleCheck final : public CallResponse {
public:
    SingleCheck(Services& given, std::shared_ptr<Call> call, opener::CallProvider provider,
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

    opener::CallProvider provider_;
    std::optional<AccountId> only_;
};

void write_totals(const std::vector<CheckResult>& results, boost::json::object& document) {
    const auto passed = std::ranges::count_if(results, &CheckResult::ok);
    document["total"] = std::ssize(results);
    document["passed"] = passed;
    document["failed"] = std::ssize(results) - passed;
}

boost::json::object row_of(const opener::CallProvider& provider, const CheckResult& result) {
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
    Batch(Services& given, std::shared_ptr<Call> call, std::vector<opener::CallProvider> providers,
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

    std::vector<opener::CallProvider> providers_;
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
    if (std::ranges::find(provider.accounts, account, &opener::CallKey::account) ==
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
