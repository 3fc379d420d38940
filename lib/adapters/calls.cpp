#include "adapters/calls.hpp"

#include "adapters/adapter.hpp"
#include "adapters/chat_reader.hpp"
#include "adapters/failures.hpp"
#include "adapters/provider_error.hpp"
#include "adapters/reading/json_memory.hpp"
#include "adapters/search.hpp"
#include "base/rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace usershell::adapters {

namespace {

using Kind = UpstreamError::Kind;
using Clock = std::chrono::steady_clock;

// Bytes on the wire for a byte of text: in a stream each token has an event of its own around it.
constexpr std::size_t envelope = 16;
constexpr std::size_t max_list = rules::max_list_answer;
constexpr int max_pages = 20;

/// One clock for all requests of a call.
class Course {
public:
    explicit Course(const CallControl& control) : control_{control} {}

    net::HttpControl next(std::size_t answer_bytes) const {
        const auto spent =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_);
        net::HttpControl http;
        http.limits = control_.limits;
        http.limits.answer_bytes = answer_bytes;
        http.limits.total = std::max(http.limits.total - spent, std::chrono::milliseconds{0});
        http.cancel_fd = control_.cancel_fd;
        http.on_tick = control_.on_tick;
        return http;
    }

private:
    const CallControl& control_;
    Clock::time_point start_ = Clock::now();
};

/// A bare host may be meant as ".../v1": asked when it has nothing at the plain path.
bool lacks_version(const CallTarget& target, const ProviderError& provider_error) {
    return target.type.protocol == Protocol::openai && target.base_url.path().empty() &&
           (provider_error.status == 404 || provider_error.status == 405) &&
           kind_of(provider_error) == Kind::not_the_protocol;
}

constexpr auto unsupported_phrases =
    std::to_array<std::string_view>({"unsupported", "not support", "unrecognized", "unknown",
                                     "not permitted", "unexpected", "deprecated"});

/// "Unsupported parameter: 'max_tokens' …", "`temperature` is deprecated for this model", "Extra
/// inputs are not permitted" of the field at fault; not "max_tokens is too large".
bool is_unsupported(const ProviderError& provider_error, const std::string& parameter) {
    const bool about = provider_error.parameter == parameter ||
                       provider_error.says(" " + parameter) ||
                       provider_error.says("'" + parameter) || provider_error.says("`" + parameter);
    return about && (provider_error.has_word("unsupported_parameter") ||
                     provider_error.has_word("unsupported_value") ||
                     std::ranges::any_of(unsupported_phrases,
                                         [&](auto phrase) { return provider_error.says(phrase); }));
}

/// "This model only support stream mode", "stream must be set to true", "requires streaming"
bool wants_stream(const ProviderError& provider_error) {
    return provider_error.says("stream") &&
           (provider_error.says("only support") || provider_error.says("must") ||
            provider_error.says("require"));
}

/// Changes what the complaint asks for and has not been changed before; true when asking again is
/// worth it.
bool adjust(const CallTarget& target, const ProviderError& provider_error,
            const RequestOptions& first, RequestOptions& options) {
    if (lacks_version(target, provider_error)) return !std::exchange(options.version_path, true);
    if (provider_error.status != 400 && provider_error.status != 422) return false;
    const bool other_stream =
        options.stream ? is_unsupported(provider_error, "stream") : wants_stream(provider_error);
    if (other_stream && options.stream == first.stream) {
        options.stream = !options.stream;
        return true;
    }
    const bool other_tokens = is_unsupported(
        provider_error, options.completion_tokens ? "max_completion_tokens" : "max_tokens");
    if (other_tokens && options.completion_tokens == first.completion_tokens) {
        options.completion_tokens = !options.completion_tokens;
        return true;
    }
    return is_unsupported(provider_error, "temperature") &&
           std::exchange(options.temperature, false);
}

/// A whole JSON answer, or the error in its place.
struct Fetched {
    json::value value;
    std::optional<ProviderError> provider_error;
};

Fetched fetch(const CallControl& control, const Course& course, const net::HttpRequest& request,
              const CallTexts& texts) {
    std::string body;
    int status = 0;
    auto http = course.next(max_list);
    http.on_head = [&](const net::HttpHead& head) { status = head.status; };
    http.on_body = [&](std::string_view piece) {
        body += piece;
        return !is_error(status) || body.size() <= max_error_bytes;
    };
    const auto result = control.http.perform(request, http);
    if (is_error(status))
        return {{}, read_provider_error(result.head, body, was_cut_off(result), texts)};
    throw_failure(result);
    auto parsed = parse_json(body, json::make_shared_resource<JsonMemory>(json_memory * max_list));
    if (parsed.too_large) throw UpstreamError{Kind::too_large};
    if (!parsed.value) throw UpstreamError{Kind::not_the_protocol};
    if (is_provider_error(*parsed.value)) return {{}, read_provider_error(*parsed.value, texts)};
    return {std::move(*parsed.value), {}};
}

json::value fetch_or_throw(const CallControl& control, const Course& course,
                           const net::HttpRequest& request, const CallTexts& texts) {
    auto fetched = fetch(control, course, request, texts);
    if (fetched.provider_error) throw understand(*fetched.provider_error);
    return std::move(fetched.value);
}

} // namespace

ChatReply chat(const CallTarget& target, const ChatRequest& request, const CallControl& control,
               const std::function<void(std::string_view)>& on_token) {
    const Adapter* const adapter = find_adapter(target.type.protocol);
    if (!adapter)
        throw UpstreamError::with_sentence(Kind::rejected, "This provider type has no chat.");
    const Course course{control};
    const CallTexts texts = texts_of(target.key, request);
    const RequestOptions first = adapter->options(target, request);
    for (RequestOptions options = first;;) {
        const std::size_t limit = control.limits.answer_bytes;
        ChatReader reading{*adapter, on_token, limit, texts};
        auto http = course.next(limit * envelope);
        http.on_head = [&](const net::HttpHead& head) { reading.take_head(head); };
        http.on_body = [&](std::string_view piece) { return reading.take_body(piece); };
        const auto result = control.http.perform(adapter->chat(target, request, options), http);
        if (result.failure == net::HttpFailure::cancelled) throw UpstreamError{Kind::cancelled};
        const auto provider_error = reading.provider_error(result);
        if (!provider_error) return reading.conclude(result, request);
        const bool again = !reading.has_spoken() && adjust(target, *provider_error, first, options);
        if (!again) throw understand(*provider_error);
    }
}

std::vector<AvailableModel> list_models(const CallTarget& target, const CallControl& control) {
    const Adapter* const adapter = find_adapter(target.type.protocol);
    if (!adapter)
        throw UpstreamError::with_sentence(Kind::rejected,
                                           "This provider type has no models to list.");
    const Course course{control};
    const CallTexts texts{target.key, {}};
    RequestOptions options;
    ModelList models;
    std::string page;
    for (int pages = 0; pages < max_pages && !models.full(); ++pages) {
        auto fetched = fetch(control, course, adapter->models(target, page, options), texts);
        if (fetched.provider_error && !options.version_path &&
            lacks_version(target, *fetched.provider_error)) {
            options.version_path = true;
            fetched = fetch(control, course, adapter->models(target, page, options), texts);
        }
        if (fetched.provider_error) throw understand(*fetched.provider_error);
        const auto next = adapter->read_models(fetched.value, models);
        if (!next) throw UpstreamError{Kind::not_the_protocol};
        if (next->empty() || *next == page) break;
        page = *next;
    }
    return std::move(models).take();
}

std::string search(const CallTarget& target, std::string_view query, const CallControl& control) {
    const SearchProtocol* const protocol = find_search(target.type.protocol);
    if (!protocol)
        throw UpstreamError::with_sentence(Kind::rejected, "This provider type does not search.");
    const Course course{control};
    const auto value = fetch_or_throw(control, course, search_request(*protocol, target, query),
                                      {target.key, {query}});
    const auto results = read_results(*protocol, value);
    if (!results) throw UpstreamError{Kind::not_the_protocol};
    return *results;
}

} // namespace usershell::adapters
