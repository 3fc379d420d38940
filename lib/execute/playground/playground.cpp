#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "domain/rules.hpp"
#include "execute/calls/health_collector.hpp"
#include "execute/calls/key_failover.hpp"
#include "execute/event_frames.hpp"
#include "execute/handlers.hpp"
#include "execute/late_body.hpp"
#include "execute/playground/playground_request.hpp"
#include "opener/wire/call_starts.hpp"

#include <exception>
#include <optional>

#include <boost/json/serialize.hpp>

namespace usershell::execute {

namespace {

/// The text, the values of the document, and the document.
constexpr std::size_t copies_of_answer = 3;

boost::json::object usage_of(const adapters::Usage& usage) {
    boost::json::object members{{"inputTokens", *usage.input}, {"outputTokens", *usage.output}};
    if (usage.reasoning) members["reasoningTokens"] = *usage.reasoning;
    return members;
}

/// The members besides the text: model, finish reason, usage, and the name of the key that was
/// used.
void tell_facts(const adapters::ChatReply& reply, const std::string& key_name,
                boost::json::object& members) {
    members["model"] = reply.model;
    if (const auto reason = name_of(reply.finish_reason); !reason.empty())
        members["finishReason"] = reason;
    if (!reply.finish_word.empty()) members["finishWord"] = reply.finish_word;
    if (reply.usage.input && reply.usage.output) members["usage"] = usage_of(reply.usage);
    if (!key_name.empty()) members["keyName"] = key_name;
}

/// One playground call: makes the failover's job, and sends its tokens to the client.
class Conversation final : public CallResponse {
public:
    Conversation(Services& given, std::shared_ptr<Call> call, opener::CallProvider provider,
                 adapters::ChatRequest chat, web::JsonBody body)
        : CallResponse{given, std::move(call)},
          provider_{std::move(provider)},
          body_{std::move(body)},
          chat_{std::move(chat)},
          answer_part_{Conversation::call().memory().get()} {}

private:
    Task<web::Response> answer(web::Stream& stream) override {
        const auto begun = std::chrono::steady_clock::now();
        frames_.emplace(stream);
        KeyFailover failover{services(), call(), services().upstream.chat_limits()};
        failover.client = {&stream.cancellation(), &stream.writable(), [this] {
                               if (chat_.stream) frames_->keep_alive();
                           }};
        failover.model = chat_.model;
        failover.may_try_again = [this] { return !frames_->has_sent(); };
        const KeyFailover::Job job = [this](const adapters::CallTarget& target,
                                            const adapters::CallControl& control) {
            return talk(target, control);
        };
        const auto outcome = co_await failover.run(provider_, job);
        count_usage(outcome.failure.get());
        co_await call().end(); // the user may call again when the answer is complete
        if (outcome.failure) co_return failed(*outcome.failure);
        key_name_ = outcome.key_name;
        if (chat_.stream) co_return end_stream();
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begun);
        co_return whole(took.count());
    }

    void count_usage(const CallFailure* failure) {
        if (!services().settings.api || !provider_.needs_model()) return;
        std::size_t request_bytes = chat_.system.size();
        for (const adapters::ChatMessage& message : chat_.messages)
            request_bytes += message.content.size();
        const Spent spent{.told = reply_.usage,
                          .request_tokens = request_bytes / bytes_of_token,
                          .answer_bytes = shown_ + reply_.content.size()};
        call().count(usage_of(provider_.id, chat_.model, spent, failure));
    }

    Task<> talk(const adapters::CallTarget& target, const adapters::CallControl& control) {
        if (target.type.is_search) {
            const std::string query = chat_.messages.back().content;
            reply_.content = co_await adapters::search(target, query, control);
            co_return;
        }
        reasoning_.clear();
        adapters::ChatSinks sinks;
        if (chat_.stream && target.type.streams)
            sinks.text = [this](std::string_view text) { send("token", text); };
        if (chat_.reasoning)
            sinks.reasoning = [this](std::string_view text) {
                if (chat_.stream)
                    send("reasoning", text);
                else
                    require_memory(append_to(reasoning_, text, answer_part_));
            };
        reply_ = co_await adapters::complete_chat(target, chat_, control, sinks);
        require_memory(answer_part_.hold(copies_of_answer * answer_bytes()));
    }

    std::size_t answer_bytes() const { return reply_.content.size() + reasoning_.size(); }

    static void require_memory(bool has_memory) {
        if (!has_memory) throw adapters::UpstreamError{adapters::Reason::cancelled};
    }

    void send(std::string_view member, std::string_view text) {
        if (!frames_->send_text(member, text))
            throw adapters::UpstreamError{adapters::Reason::cancelled};
        shown_ += text.size();
    }

    web::Response whole(std::int64_t latency) const {
        boost::json::object document{{"content", reply_.content}};
        if (!reasoning_.empty()) document["reasoning"] = reasoning_;
        tell_facts(reply_, key_name_, document);
        document["latencyMs"] = latency;
        return web::Response::json(boost::json::serialize(document));
    }

    web::Response end_stream() {
        if (provider_.type->streams) {
            boost::json::object last{{"done", true}};
            tell_facts(reply_, key_name_, last);
            frames_->send(last);
        } else {
            frames_->send({{"content", reply_.content}});
        }
        return streamed_response();
    }

    web::Response failed(const CallFailure& failure) {
        if (!frames_->begun()) throw failure.refusal();
        boost::json::object frame;
        failure.shown().tell(frame, "error");
        frame["code"] = name_of(failure.code);
        frame["reason"] = failure.reason;
        tell(failure.said, frame);
        frames_->send(frame);
        return streamed_response();
    }

    opener::CallProvider provider_;
    web::JsonBody body_; ///< has the images of `chat_`
    adapters::ChatRequest chat_;
    std::optional<EventFrames> frames_{};
    adapters::ChatReply reply_{};
    std::string reasoning_{};
    CallMemory::Part answer_part_;
    std::size_t shown_ = 0;  ///< bytes of the answer that were sent
    std::string key_name_{}; ///< of the account whose key it was; empty: the provider's own
};

} // namespace

web::Response playground(Services& services, pipeline::RequestContext& context,
                         std::shared_ptr<Call> call) {
    const std::size_t bytes = context.request.body.size();
    const PlaygroundRequest request = read_playground_request(context.json, bytes);
    auto provider = call->take_provider();
    adapters::ChatRequest chat = chat_of(request, provider, [&](const std::string& model) {
        call->require_slot();
        store::Lease lease{services.database};
        return store::model_sees(lease, call->id(), model);
    });
    call->require_slot();
    if (!call->body_part().hold(bytes * copies_of_body)) throw lost_memory();
    return async_response<Conversation>(
        services, std::move(call), std::move(provider), std::move(chat),
        has_images(chat) ? std::move(context.json) : web::JsonBody{});
}

} // namespace usershell::execute
