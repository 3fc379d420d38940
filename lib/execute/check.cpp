#include "execute/check.hpp"

#include "base/error.hpp"
#include "domain/rules.hpp"
#include "execute/calls/usage.hpp"

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
Task<> ask(const store::CallProvider& provider, CheckResult& result, Spent& spent,
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
    const store::CallProvider& provider = check.provider;
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

} // namespace usershell::execute
