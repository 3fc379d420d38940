#include "execute/check.hpp"

#include "base/error.hpp"

namespace usershell::execute {
namespace {

constexpr const char* prompt = "Reply with the single word: pong";
constexpr const char* query = "pong";
constexpr const char* thought_only = "(no text: the model thought until the test's token limit)";

adapters::ChatRequest one_word(const std::string& model) {
    adapters::ChatRequest request;
    request.model = model;
    request.messages.push_back({adapters::ChatMessage::Role::user, prompt});
    request.check = true;
    return request;
}

/// The job of a check; writes reply and model into `result`.
Executor::Job job_of(const store::CallProvider& provider, CheckResult& result) {
    const ProviderType* type = find_provider_type(provider.type);
    if (type != nullptr && type->is_search) {
        return [&result](const adapters::CallTarget& target, const adapters::CallControl& control) {
            result.reply = adapters::search(target, query, control);
        };
    }
    if (provider.enabled_models.empty()) {
        throw Refusal{ErrorCode::no_enabled_model,
                      "This provider has no enabled model. Add or enable one."};
    }
    return [&result, request = one_word(provider.enabled_models.front())](
               const adapters::CallTarget& target, const adapters::CallControl& control) {
        adapters::ChatReply reply = adapters::complete_chat(target, request, control, {});
        result.reply = reply.content.empty() ? thought_only : std::move(reply.content);
        result.model = std::move(reply.model);
    };
}

} // namespace

CheckResult check_provider(Services& services, store::Lease& lease, const store::Call& call,
                           const store::CallProvider& provider, std::optional<AccountId> only,
                           const Presence& presence) {
    const auto begun = std::chrono::steady_clock::now();
    CheckResult result;
    try {
        Executor executor{services, lease, call, services.check_limits()};
        executor.watch(presence);
        if (only) executor.only(*only);
        executor.run(provider, job_of(provider, result));
        result.ok = true;
    } catch (const CallFailure& failure) {
        result.error = failure.sentence;
        result.reason = failure.reason;
    } catch (const Refusal& refusal) {
        if (refusal.status() >= 500 || refusal.code() == ErrorCode::not_found) throw;
        result.error = refusal.sentence();
    }
    result.latency_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - begun)
                            .count();
    return result;
}

boost::json::object check_document(const CheckResult& result) {
    if (!result.ok) {
        boost::json::object document{{"ok", false}, {"error", result.error}};
        if (!result.reason.empty()) document["reason"] = result.reason;
        return document;
    }
    return {{"ok", true},
            {"reply", result.reply},
            {"latencyMs", result.latency_ms},
            {"model", result.model}};
}

} // namespace usershell::execute
