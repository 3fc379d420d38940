#include "execute/handlers.hpp"

#include "adapters/relay.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "execute/calls/health_collector.hpp"
#include "execute/calls/key_failover.hpp"
#include "execute/event_frames.hpp"
#include "execute/late_body.hpp"
#include "execute/relay/body_tokens.hpp"
#include "execute/relay/model_names.hpp"
#include "execute/relay/relay_body.hpp"
#include "execute/relay/token_call.hpp"
#include "pipeline/answer.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <optional>

namespace usershell::execute {
namespace {

using pipeline::ErrorForm;

// A call by a tool: token and slot by the head, then the body into reserved memory, then the
// model's place in it, then the provider with its keys, and then bytes. A small body that came with
// the head saves a statement: its model's provider is loaded when the call begins. A failure is
// never the provider's bytes, but our sentence in the route's form.

constexpr std::size_t large_body = std::size_t{256} * 1024; ///< from which the loop reads none
constexpr std::chrono::seconds patience{15};

/// Headers of the tool that go to the provider.
constexpr auto passed_on =
    std::to_array<std::string_view>({"accept", "anthropic-beta", "openai-beta"});

/// Null when the tool has not sent it. Another provider's parser may see two headers where ours
/// sees a control character.
std::optional<std::string_view> visible_header(const web::Request& request, std::string_view name) {
    const auto value = request.header(name);
    if (value && !is_visible_ascii(*value, ' '))
        throw invalid(std::string{name}, {"The header {name} has an unusual character."_en,
                                          {{"name", std::string{name}}}});
    return value;
}

std::vector<std::pair<std::string, std::string>> headers_for(const web::Request& request,
                                                             RelayRoute route) {
    std::vector<std::pair<std::string, std::string>> headers{{"Content-Type", "application/json"}};
    for (const std::string_view name : passed_on)
        if (const auto value = visible_header(request, name)) headers.emplace_back(name, *value);
    if (route == RelayRoute::messages || route == RelayRoute::count_tokens)
        headers.emplace_back("anthropic-version",
                             visible_header(request, "anthropic-version").value_or("2023-06-01"));
    if (const auto key = visible_header(request, "idempotency-key"))
        headers.emplace_back("Idempotency-Key", *key); // last: see forget_idempotency_key()
    return headers;
}

/// Another account's key must not find the first one's answer.
void forget_idempotency_key(adapters::RelayRequest& request) {
    auto& headers = request.http.headers;
    if (headers.back().first == "Idempotency-Key") headers.pop_back();
}

/// A body that came with the head. Null for another one. The check of the token comes before that
/// of its faults.
std::optional<RelayBody> early_body(const web::Request& request, RelayRoute route) {
    if (request.awaited || request.header("content-encoding")) return std::nullopt;
    try {
        return read_relay_body(request.body, route);
    } catch (const Refusal&) {
        return std::nullopt;
    }
}

class Relay final : public CallResponse, adapters::RelaySink {
public:
    Relay(Services& given, TokenCall call, std::optional<RelayBody> early,
          const web::Request& request, RelayRoute route, ErrorForm form)
        : CallResponse{given, call.call},
          token_{std::move(call)},
          early_{std::move(early)},
          request_{.route = route,
                   .model = {},
                   .is_beta =
                       request.query_value("beta") == "true" && form == ErrorForm::anthropic},
          form_{form},
          request_id_{request.id},
          coding_{coding_of(request.header("content-encoding"))},
          awaited_{request.awaited} {
        request_.http.headers = headers_for(request, route);
        request_.http.body = request.body;
    }

private:
    Task<web::Response> answer(web::Stream& stream) override {
        stream_ = &stream;
        co_await wait_for_slot(services(), token_, stream);
        co_await read_body();
        co_await choose_provider();
        KeyFailover failover{services(), call(), services().upstream.relay_limits()};
        failover.client = {&stream.cancellation(), &stream.writable(), [this] { keep_alive(); }};
        failover.model = request_.model;
        failover.is_for_tool = true;
        failover.may_try_again = [this] { return !has_begun_; };
        const KeyFailover::Job job = [this](const adapters::CallTarget& target,
                                            const adapters::CallControl& control) {
            return try_key(target, control);
        };
        const auto outcome = co_await failover.run(*token_.start.loaded, job);
        count_usage(outcome.failure.get());
        co_await call().end(); // the tool may call again when the answer is complete
        if (outcome.failure) co_return failed(*outcome.failure);
        if (head_.is_stream) co_return streamed_response();
        co_return std::move(document_);
    }

    Task<> read_body() {
        CallMemory::Part& part = call().body_part();
        if (awaited_) { // others are smaller than what is free
            co_await services().loop.enter();
            call().count_stream();
            request_.http.body = co_await read_late_body<std::string>(
                *stream_, *call().memory(), part,
                {.announced = *awaited_, .max_bytes = rules::max_relay_body});
        }
        if (coding_ == ContentCoding::none) co_return;
        PoolLane readers = services().readers_of(token_.start.user);
        const auto permit = co_await readers.enter();
        const std::string coded = std::exchange(request_.http.body, {});
        const CallMemory::Part coded_part =
            std::exchange(part, CallMemory::Part{call().memory().get()});
        request_.http.body = decoded(coded, coding_, rules::max_relay_body,
                                     [&](std::size_t bytes) { return part.grow_to(bytes); });
    }

    Task<RelayBody> read_members() {
        PoolLane readers = services().readers_of(token_.start.user);
        std::optional<BlockingPool::LanePermit> permit;
        if (request_.http.body.size() > large_body) permit.emplace(co_await readers.enter());
        co_return read_relay_body(request_.http.body, request_.route);
    }

    /// Finds the model, puts the provider's name for it in its place, and loads the provider.
    Task<> choose_provider() {
        std::string& body = request_.http.body;
        if (!early_) early_ = co_await read_members();
        const RelayBody read = *std::exchange(early_, std::nullopt);
        require_allowed(read, token_.start.limits);
        const NamedModel named =
            find_model(std::exchange(token_.start.providers, {}), read.model, request_.route);
        body.replace(read.model_at, read.model_size,
                     boost::json::serialize(boost::json::string_view{named.model}));
        wants_stream_ = read.wants_stream && request_.route != RelayRoute::speech;
        request_.model = named.model;
        need_ = read.need;
        if (!token_.start.loaded)
            co_await load_named(services(), token_, *stream_, named, read.need);
        require_other_hosts(read, token_.start.loaded->url().host(), token_.start.limits);
    }

    Task<> try_key(const adapters::CallTarget& target, const adapters::CallControl& control) {
        usage_ = {};
        failed_limits_ = {};
        if (++tries_ > 1) forget_idempotency_key(request_);
        co_await adapters::relay(target, request_, control, *this, usage_);
    }

    void take_limits(adapters::RelayLimits limits) override { failed_limits_ = std::move(limits); }

    void begin(const adapters::RelayHead& head) override {
        head_ = head;
        if (request_.http.body.empty()) call().body_part().clear();
        if (!head.is_stream) {
            document_ = web::Response::json({});
            if (!head.sound_type.empty())
                document_.set("Content-Type", std::string{head.sound_type});
            for (const auto& [name, value] : head.limits) document_.set(name, value);
        } else if (!has_begun_) {
            begin_stream();
        }
    }

    void write(std::string_view event) override {
        relayed_ += event.size();
        if (!stream_->write(event)) throw adapters::UpstreamError{adapters::Reason::cancelled};
        last_write_ = std::chrono::steady_clock::now();
    }

    void write(std::string document, CallMemory::Part memory) override {
        relayed_ += document.size();
        document_.body = std::move(document);
        document_part_ = std::move(memory);
    }

    void begin_stream() {
        has_begun_ = true;
        web::Response head;
        head.set("Content-Type", "text/event-stream; charset=utf-8");
        head.set("Cache-Control", "no-store");
        for (const auto& [name, value] : head_.limits) head.set(name, value);
        stream_->begin(head);
    }

    /// Between events. Some readers take a comment with a blank line for an event without data, and
    /// fail; so the comment is a line before the next event. A tool that has asked for a whole
    /// document is sent none.
    void keep_alive() {
        if (!wants_stream_ || std::chrono::steady_clock::now() - last_write_ < patience) return;
        head_.is_stream = true;
        if (!has_begun_) begin_stream();
        last_write_ = std::chrono::steady_clock::now();
        stream_->write(form_ == ErrorForm::anthropic ? "event: ping\ndata: {\"type\": \"ping\"}\n\n"
                                                     : ": keep-alive\n");
    }

    void count_usage(const CallFailure* failure) {
        if (request_.route == RelayRoute::count_tokens) return;
        // An answer that is not streamed comes whole, and is made when a tool may leave or when it
        // is too large. Its size is not known otherwise.
        const bool is_made = tries_ > 0 && failure &&
                             (failure->reason == "cancelled" || failure->reason == "too_large");
        const bool is_text = answers_in_text(request_.route);
        const bool is_reserved = is_text ? relayed_ == 0 && is_made : relayed_ > 0 || is_made;
        const std::size_t reserved =
            is_reserved ? static_cast<std::size_t>(need_.output) * bytes_of_token : 0;
        const Spent spent{.told = usage_,
                          .request_tokens = static_cast<std::uint64_t>(need_.input),
                          .answer_bytes = is_text ? std::max(relayed_, reserved) : reserved};
        call().count(usage_of(token_.start.loaded->id, request_.model, spent, failure));
    }

    web::Response failed(const CallFailure& failure) {
        if (!has_begun_) {
            web::Request request; // the member that an error needs
            request.id = request_id_;
            auto response = pipeline::answer(failure.refusal(), request, nullptr, form_);
            for (const auto& [name, value] : failed_limits_) response.set(name, value);
            return response;
        }
        stream_->write(pipeline::api_error_events(failure.refusal(), form_, request_id_));
        return streamed_response();
    }

    TokenCall token_;
    std::optional<RelayBody> early_; ///< until it is used
    adapters::RelayRequest request_;
    const ErrorForm form_;
    const std::string request_id_;
    const ContentCoding coding_;               ///< of the body as it comes
    const std::optional<std::size_t> awaited_; ///< bytes of the body, as of web::Request
    CallMemory::Part document_part_{};
    web::Stream* stream_ = nullptr;
    adapters::RelayHead head_{};
    adapters::RelayLimits failed_limits_{}; ///< of the last answer, for an error
    web::Response document_{};
    adapters::Usage usage_{};
    opener::TokenNeed need_{};
    std::size_t relayed_ = 0; ///< bytes
    std::chrono::steady_clock::time_point last_write_ = std::chrono::steady_clock::now();
    int tries_ = 0;
    bool wants_stream_ = false;
    bool has_begun_ = false; ///< the stream
};

template <RelayRoute route, ErrorForm form>
web::Response relay(Services& services, pipeline::RequestContext& context) {
    auto early = early_body(context.request, route);
    TokenCall call = begin_token_call(services, context, word_of(route), early);
    return async_response<Relay>(services, std::move(call), std::move(early), context.request,
                                 route, form);
}

} // namespace

pipeline::Routes tool_routes(Services& services) {
    if (!services.settings.api) return {};
    const auto tool = [&](web::Method method, std::string_view pattern, auto handle) {
        return pipeline::Route{method, pattern,
                               pipeline::ToolRoute{[&services, handle](auto& context) {
                                   return handle(services, context);
                               }}};
    };
    using enum web::Method;
    return {
        tool(post, "/v1/chat/completions", relay<RelayRoute::chat, ErrorForm::openai>),
        tool(post, "/v1/completions", relay<RelayRoute::completions, ErrorForm::openai>),
        tool(post, "/v1/embeddings", relay<RelayRoute::embeddings, ErrorForm::openai>),
        tool(post, "/v1/responses", relay<RelayRoute::responses, ErrorForm::responses>),
        tool(post, "/v1/responses/compact", relay<RelayRoute::compact, ErrorForm::responses>),
        tool(post, "/v1/messages", relay<RelayRoute::messages, ErrorForm::anthropic>),
        tool(post, "/v1/messages/count_tokens",
             relay<RelayRoute::count_tokens, ErrorForm::anthropic>),
        tool(post, "/v1/images/generations", relay<RelayRoute::images, ErrorForm::openai>),
        tool(post, "/v1/audio/speech", relay<RelayRoute::speech, ErrorForm::openai>),
        tool(post, "/v1/rerank", relay<RelayRoute::rerank, ErrorForm::openai>),
        tool(get, "/v1/models", tool_models),
        tool(get, "/v1/models/{model...}", tool_model),
    };
}

} // namespace usershell::execute
