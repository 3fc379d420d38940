#include "execute/check.hpp"

#include "base/error.hpp"

namespace usershell {
namespace {

constexpr const char* prompt = "Reply with the single word: pong";
constexpr const char* query = "pong";

ChatRequest one_word(const std::string& model) {
    ChatRequest request;
    request.model = model;
    request.messages.push_back({ChatMessage::Role::user, prompt});
    request.check = true;
    return request;
}

/// The job of a check; writes reply and model into `result`.
Executor::Job job_of(const CallProvider& provider, CheckResult& result) {
    const ProviderType* type = find_provider_type(provider.type);
    if (type != nullptr && type->is_search) {
        return [&result](const CallTarget& target, const CallControl& control) {
            result.reply = search(target, query, control);
        };
    }
    if (provider.enabled_models.empty()) {
        throw Refusal{Code::no_enabled_model,
                      "This provider has no enabled model. Add or enable one."};
    }
    return [&result, request = one_word(provider.enabled_models.front())](
               const CallTarget& target, const CallControl& control) {
        ChatReply reply = chat(target, request, control, {});
        result.reply = std::move(reply.content);
        result.model = std::move(reply.model);
    };
}

} // namespace

CheckResult check_provider(Execute& wing, Lease& lease, const UserId& user,
                           const CallProvider& provider, std::optional<AccountId> only,
                           const Presence& presence) {
    const auto begun = std::chrono::steady_clock::now();
    CheckResult result;
    try {
        Executor executor{wing, lease, user, wing.check_limits()};
        executor.watch(presence);
        if (only) executor.only(*only);
        executor.run(provider, job_of(provider, result));
        result.ok = true;
    } catch (const UpstreamError& error) {
        result.error = error.sentence();
    } catch (const UnsealError& error) {
        result.error = error.what();
    } catch (const Refusal& refusal) {
        if (refusal.status() >= 500 || refusal.code() == Code::not_found) throw;
        result.error = refusal.sentence();
    }
    result.latency_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - begun)
                            .count();
    return result;
}

boost::json::object check_document(const CheckResult& result) {
    if (!result.ok) return {{"ok", false}, {"error", result.error}};
    return {{"ok", true},
            {"reply", result.reply},
            {"latencyMs", result.latency_ms},
            {"model", result.model}};
}

} // namespace usershell
