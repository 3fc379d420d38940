#include "execute/playground/playground.hpp"

#include "base/error.hpp"
#include "execute/call.hpp"
#include "execute/executor.hpp"
#include "execute/playground/event_frames.hpp"
#include "execute/playground/playground_request.hpp"

#include <boost/json/serialize.hpp>

namespace usershell::execute {
namespace {

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
                             frames_.keep_alive();
                         }});
        executor_.may_try_again = [this] { return !frames_.begun(); };
    }

    web::Response answer() {
        const auto begun = std::chrono::steady_clock::now();
        try {
            executor_.run(provider_,
                          [this](const adapters::CallTarget& target,
                                 const adapters::CallControl& control) { talk(target, control); });
        } catch (const adapters::UpstreamError& error) {
            return failure(error.code(), error.sentence(), error.retry_after());
        } catch (const crypto::UnsealError& error) {
            return failure(ErrorCode::conflict, error.what(), std::nullopt);
        }
        if (chat_.stream) return end_stream();
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begun);
        return web::Response::json(boost::json::serialize(boost::json::object{
            {"content", reply_.content}, {"model", reply_.model}, {"latencyMs", took.count()}}));
    }

private:
    bool can_stream() const { return type_ == nullptr || type_->streams; }

    void talk(const adapters::CallTarget& target, const adapters::CallControl& control) {
        if (target.type.is_search) {
            reply_.content = adapters::search(target, chat_.messages.back().content, control);
            return;
        }
        reply_ = adapters::complete_chat(target, chat_, control, [this](std::string_view token) {
            if (!chat_.stream) return;
            if (!frames_.send({{"token", token}}))
                throw adapters::UpstreamError{adapters::Reason::cancelled};
        });
    }

    web::Response end_stream() {
        if (can_stream()) {
            frames_.send({{"done", true}, {"model", reply_.model}});
        } else {
            frames_.send({{"content", reply_.content}});
        }
        return already_streamed();
    }

    web::Response failure(ErrorCode code, const std::string& sentence,
                          std::optional<std::chrono::seconds> wait) {
        if (!frames_.begun()) {
            if (wait) throw Refusal{code, sentence}.retry_after(*wait);
            throw Refusal{code, sentence};
        }
        frames_.send({{"error", sentence}, {"code", name_of(code)}});
        return already_streamed();
    }

    const store::CallProvider& provider_;
    const ProviderType* type_;
    adapters::ChatRequest chat_;
    EventFrames frames_;
    Executor executor_;
    adapters::ChatReply reply_{};
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
