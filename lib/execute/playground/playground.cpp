#include "execute/playground/playground.hpp"

#include "base/error.hpp"
#include "execute/call.hpp"
#include "execute/executor.hpp"
#include "execute/playground/event_frames.hpp"
#include "execute/playground/playground_request.hpp"

#include <boost/json/serialize.hpp>

namespace usershell::execute {
namespace {

boost::json::object usage_of(const adapters::Usage& usage) {
    boost::json::object members{{"inputTokens", *usage.input}, {"outputTokens", *usage.output}};
    if (usage.reasoning) members["reasoningTokens"] = *usage.reasoning;
    return members;
}

/// What is told of an answer besides its text: of the model, and of the key that it came by.
void tell_facts(const adapters::ChatReply& reply, const std::string& key,
                boost::json::object& members) {
    members["model"] = reply.model;
    if (reply.finish_reason != adapters::FinishReason::none)
        members["finishReason"] = name_of(reply.finish_reason);
    if (reply.usage.input && reply.usage.output) members["usage"] = usage_of(reply.usage);
    if (!key.empty()) members["key"] = key;
}

/// One playground call: the executor's job and where its tokens go.
class Conversation {
public:
    Conversation(Services& services, app::RequestContext& context, Call& call,
                 const store::CallProvider& provider, adapters::ChatRequest chat)
        : provider_{provider},
          type_{find_provider_type(provider.type)},
          chat_{std::move(chat)},
          frames_{context.stream},
          executor_{services, context.lease, call.id(), services.chat_limits()} {
        executor_.watch({context.stream.gone_fd(), [this, &call] {
                             call.renew();
                             if (chat_.stream) frames_.keep_alive();
                         }});
        executor_.may_try_again = [this] { return !frames_.has_sent(); };
    }

    web::Response answer() {
        const auto begun = std::chrono::steady_clock::now();
        try {
            key_ = executor_
                       .run(provider_,
                            [this](const adapters::CallTarget& target,
                                   const adapters::CallControl& control) { talk(target, control); })
                       .name;
        } catch (const CallFailure& failure) {
            return failed(failure);
        }
        if (chat_.stream) return end_stream();
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begun);
        return whole(took.count());
    }

private:
    bool can_stream() const { return type_ == nullptr || type_->streams; }

    void talk(const adapters::CallTarget& target, const adapters::CallControl& control) {
        if (target.type.is_search) {
            reply_.content = adapters::search(target, chat_.messages.back().content, control);
            return;
        }
        reasoning_.clear();
        adapters::ChatSinks sinks;
        if (chat_.stream) sinks.text = [this](std::string_view text) { send("token", text); };
        if (chat_.reasoning)
            sinks.reasoning = [this](std::string_view text) {
                if (chat_.stream)
                    send("reasoning", text);
                else
                    reasoning_ += text;
            };
        reply_ = adapters::complete_chat(target, chat_, control, sinks);
    }

    void send(std::string_view member, std::string_view text) {
        if (!frames_.send({{member, text}}))
            throw adapters::UpstreamError{adapters::Reason::cancelled};
    }

    web::Response whole(std::int64_t milliseconds) const {
        boost::json::object document{{"content", reply_.content}};
        if (!reasoning_.empty()) document["reasoning"] = reasoning_;
        tell_facts(reply_, key_, document);
        document["latencyMs"] = milliseconds;
        return web::Response::json(boost::json::serialize(document));
    }

    web::Response end_stream() {
        if (can_stream()) {
            boost::json::object last{{"done", true}};
            tell_facts(reply_, key_, last);
            frames_.send(last);
        } else {
            frames_.send({{"content", reply_.content}});
        }
        return already_streamed();
    }

    web::Response failed(const CallFailure& failure) {
        if (!frames_.begun()) throw failure.refusal();
        frames_.send({{"error", failure.sentence},
                      {"code", name_of(failure.code)},
                      {"reason", failure.reason}});
        return already_streamed();
    }

    const store::CallProvider& provider_;
    const ProviderType* type_;
    adapters::ChatRequest chat_;
    EventFrames frames_;
    Executor executor_;
    adapters::ChatReply reply_{};
    std::string reasoning_{};
    std::string key_{}; ///< the label of the account whose key it was; empty: the provider's own
};

} // namespace

web::Response playground(Services& services, app::RequestContext& context) {
    const PlaygroundRequest request = read_playground_request(context.json);
    const auto provider = store::load_call_provider(
        context.lease, context.caller().calls_token_hash, request.provider);
    if (!provider) throw not_found();
    adapters::ChatRequest chat = chat_of(request, *provider);
    Call call{context.lease, context.caller()};
    return Conversation{services, context, call, *provider, std::move(chat)}.answer();
}

} // namespace usershell::execute
