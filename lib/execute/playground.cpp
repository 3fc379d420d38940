#include "execute/playground.hpp"

#include "base/error.hpp"
#include "execute/call_slot.hpp"
#include "execute/event_frames.hpp"
#include "execute/executor.hpp"
#include "execute/playground_request.hpp"

#include <boost/json/serialize.hpp>

namespace usershell {
namespace {

/// One playground call: the executor's job and where its tokens go.
class Conversation {
public:
    Conversation(Execute& wing, Call& call, const CallProvider& provider, ChatRequest chat)
        : provider_{provider},
          type_{find_provider_type(provider.type)},
          chat_{std::move(chat)},
          slot_{call.lease, call.user()},
          frames_{call.stream},
          executor_{wing, call.lease, call.user(), wing.chat_limits()} {
        executor_.watch({call.stream.gone_fd(), [this] {
                             slot_.renew();
                             frames_.keep_alive();
                         }});
        executor_.may_try_again = [this] { return !frames_.begun(); };
    }

    Response answer() {
        const auto begun = std::chrono::steady_clock::now();
        try {
            executor_.run(provider_, [this](const CallTarget& target, const CallControl& control) {
                talk(target, control);
            });
        } catch (const UpstreamError& error) {
            return failure(error.code(), error.sentence(), error.retry_after());
        } catch (const UnsealError& error) {
            return failure(Code::conflict, error.what(), std::nullopt);
        }
        if (chat_.stream) return end_stream();
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begun);
        return Response::json(boost::json::serialize(boost::json::object{
            {"content", reply_.content}, {"model", reply_.model}, {"latencyMs", took.count()}}));
    }

private:
    bool can_stream() const { return type_ == nullptr || type_->streams; }

    void talk(const CallTarget& target, const CallControl& control) {
        if (target.type.is_search) {
            reply_.content = search(target, chat_.messages.back().content, control);
            return;
        }
        reply_ = chat(target, chat_, control, [this](std::string_view token) {
            if (!chat_.stream) return;
            if (!frames_.send({{"token", token}}))
                throw UpstreamError{UpstreamError::Kind::cancelled};
        });
    }

    Response end_stream() {
        if (can_stream()) {
            frames_.send({{"done", true}, {"model", reply_.model}});
        } else {
            frames_.send({{"content", reply_.content}});
        }
        return already_streamed();
    }

    Response failure(Code code, const std::string& sentence,
                     std::optional<std::chrono::seconds> wait) {
        if (!frames_.begun()) {
            if (wait) throw Refusal{code, sentence}.retry_after(*wait);
            throw Refusal{code, sentence};
        }
        frames_.send({{"error", sentence}, {"code", name_of(code)}});
        return already_streamed();
    }

    const CallProvider& provider_;
    const ProviderType* type_;
    ChatRequest chat_;
    CallSlot slot_;
    EventFrames frames_;
    Executor executor_;
    ChatReply reply_{};
};

} // namespace

Response playground(Execute& wing, Call& call) {
    const PlaygroundRequest request = read_playground_request(call.json);
    const auto provider = load_call_provider(call.lease, call.user(), request.provider);
    if (!provider) throw not_found();
    return Conversation{wing, call, *provider, chat_of(request, *provider)}.answer();
}

} // namespace usershell
