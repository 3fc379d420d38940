#include "adapters/calls.hpp"

#include "adapters/adapter.hpp"
#include "adapters/credit.hpp"
#include "adapters/errors/provider_error.hpp"
#include "adapters/protocols/search.hpp"
#include "adapters/reading/chat_reader.hpp"
#include "adapters/transport.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <utility>

namespace usershell::adapters {

namespace {

// How many bytes a stream may have for each byte of text: every token has an event of its own
// around it.
constexpr std::size_t envelope = 16;
constexpr std::size_t max_list = rules::max_list_answer;
constexpr int max_pages = 20;
constexpr std::size_t max_page_name = 4096; ///< it becomes part of a URL
constexpr std::chrono::milliseconds max_credit_time{5000};
/// From this size on, to write a request takes milliseconds: it is not the loop's work.
constexpr std::size_t large_request = std::size_t{64} * 1024;

// A chat may take more than one request. Providers of one protocol differ in the options they
// accept, and only their error names them (a temperature, for example). The request is
// then made again without what was complained about, as long as nothing of an answer has come
// (adjust()). A request never leaves the base URL that the key was entered for, whatever a model's
// id adds to the path: send() compares the finished URL.

/// Returns the result of `work` and counts its cost. Throws when the call has spent its budget.
template <class Work>
auto counted(const CallControl& control, Work work) {
    auto done = [&] {
        const CallBudget::Step step{control.options.budget};
        return work();
    }();
    if (const auto* const budget = control.options.budget; budget && budget->is_spent())
        throw too_costly();
    return done;
}

bool may_ask_again(const CallControl& control) {
    return !control.options.budget || control.options.budget->has_request();
}

UpstreamError understood(const ProviderError& error, const CallTarget& target,
                         const CallControl& control) {
    return understand(error, target.key, control.options.own_headers);
}

/// A whole JSON answer.
struct Fetched {
    json::value value;
    std::size_t bytes = 0; ///< as it came
};

json::value read(const std::string& body, const net::HttpResult& result, const CallTarget& target,
                 const CallControl& control) {
    if (is_error(result.head.status))
        throw understood(read_provider_error(result.head, body, was_cut_off(result)), target,
                         control);
    throw_transport_failure(result);
    auto parsed = parse_json(body, json::make_shared_resource<JsonMemory>(max_list));
    if (parsed.too_large) throw UpstreamError{Reason::too_large};
    if (!parsed.value) throw UpstreamError{Reason::not_this_protocol};
    if (is_provider_error(*parsed.value))
        throw understood(read_provider_error(*parsed.value), target, control);
    return std::move(*parsed.value);
}

Task<Fetched> fetch(const CallTarget& target, const CallControl& control, const CallClock& clock,
                    const net::HttpRequest& request) {
    std::string body;
    CallMemory::Part memory{control.options.memory};
    int status = 0;
    auto http = clock.next(max_list);
    http.on_head = [&](const net::HttpHead& head) { status = head.status; };
    http.on_body = [&](std::string_view piece) {
        const bool is_kept = append_to(body, piece, memory);
        return is_kept && (!is_error(status) || body.size() <= max_error_bytes);
    };
    const auto result = co_await send(target, control, request, http);
    std::optional<BlockingPool::LanePermit> permit;
    if (control.readers && body.size() > large_answer)
        permit.emplace(co_await control.readers->enter());
    co_return Fetched{counted(control, [&] { return read(body, result, target, control); }),
                      body.size()};
}

/// A list while its pages are read.
struct ListReading {
    RequestOptions options{};
    ModelList models{};
    CallMemory::Part memory{};
    std::size_t bytes = 0; ///< kept of the pages
};

/// Adds the models of that page. The name of the next one; empty: none.
Task<std::string> read_page(const CallTarget& target, const CallControl& control,
                            const CallClock& clock, const std::string& page, ListReading& list) {
    const Adapter& adapter = *find_adapter(target.type.protocol);
    const auto request = adapter.models_request(target, page, list.options);
    const auto fetched = co_await fetch(target, control, clock, request);
    list.bytes += 2 * fetched.bytes; // an id may be a model's name, too
    if (!list.memory.hold(list.bytes)) throw UpstreamError{Reason::cancelled};
    const auto next = counted(
        control, [&] { return read_list(fetched.value, adapter.list_form(), list.models); });
    const bool has_models = next && !list.models.empty();
    if (!has_models && (tells_failure(fetched.value) || has_message(fetched.value)))
        throw understood(read_provider_error(fetched.value), target, control);
    if (!next) throw UpstreamError{Reason::not_this_protocol};
    co_return *next;
}

/// Of the JSON that it becomes, roughly.
std::size_t size_of(const ChatRequest& request) {
    constexpr std::size_t around_a_message = 64;
    std::size_t size = request.system.size();
    for (const ChatMessage& message : request.messages) {
        size += message.content.size() + around_a_message;
        for (const ChatImage& image : message.images) size += image.data.size();
    }
    return size;
}

} // namespace

bool has_images(const ChatRequest& request) {
    return std::ranges::any_of(request.messages,
                               [](const ChatMessage& message) { return !message.images.empty(); });
}

Task<ChatReply> complete_chat(const CallTarget& target, const ChatRequest& request,
                              const CallControl& control, const ChatSinks& sinks) {
    const Adapter* const adapter = find_adapter(target.type.protocol);
    if (!adapter)
        throw UpstreamError::with_sentence(Reason::rejected, "This provider type has no chat."_en);
    if (target.type.model_in_path && !fits_into_path(request.model)) throw leads_out();
    const CallClock clock{control};
    const RequestOptions first = adapter->options(target, request);
    std::optional<ChatRequest> folded;
    std::optional<UpstreamError> at_root;
    for (RequestOptions options = first;;) {
        const std::size_t limit = control.options.limits.answer_bytes;
        ChatReader reader{*adapter, request, sinks, limit, control.options.memory};
        auto http = clock.next(limit * envelope);
        http.on_head = [&](const net::HttpHead& head) { reader.take_head(head); };
        http.on_body = [&](std::string_view piece) { return reader.take_body(piece); };
        http.is_answered = [&] { return reader.has_last_word(); };
        if (first.system_role && !options.system_role && !folded)
            folded = with_system_in_first_turn(request);
        std::optional<BlockingPool::LanePermit> permit;
        if (control.readers && size_of(request) > large_request)
            permit.emplace(co_await control.readers->enter());
        const auto chat = counted(control, [&] {
            return adapter->chat_request(target, folded ? *folded : request, options);
        });
        permit.reset();
        const auto result = co_await send(target, control, chat, http);
        if (result.failure == net::HttpFailure::cancelled) throw UpstreamError{Reason::cancelled};
        if (result.failure == net::HttpFailure::too_costly) throw too_costly();
        if (control.readers && reader.kept() > large_answer) {
            permit.emplace(co_await control.readers->enter());
            counted(control, [&] { return reader.parse_whole(), true; });
            permit.reset();
            co_await control.readers->leave(); // where the sinks are
        }
        const auto may_retry = [&] { return !reader.has_begun() && may_ask_again(control); };
        try {
            if (!counted(control, [&] { return reader.has_failed(); }))
                co_return reader.conclude(result);
            const auto error = counted(control, [&] { return reader.provider_error(result); });
            const auto failure = understood(error, target, control);
            const bool may_adjust = may_retry() && !lacks_version(target, failure);
            if (!may_adjust || !adjust(target, error, first, options)) throw UpstreamError{failure};
        } catch (const UpstreamError& error) {
            if (options.version_path || !may_retry() || !lacks_version(target, error))
                throw UpstreamError{told_of(at_root, error)};
            at_root = error;
            options.version_path = true;
        }
    }
}

// When the list is not where it is asked for, it is asked for below "/v1", and so are its other
// pages.
Task<ModelListing> list_models(const CallTarget& target, const CallControl& control) {
    if (!find_adapter(target.type.protocol))
        throw UpstreamError::with_sentence(Reason::rejected,
                                           "This provider type has no models to list."_en);
    const CallClock clock{control};
    ListReading list{.memory = CallMemory::Part{control.options.memory}};
    ModelList& models = list.models;
    std::optional<UpstreamError> at_root;
    std::string page;
    for (int pages = 1;;) {
        std::string next;
        try {
            next = co_await read_page(target, control, clock, page, list);
        } catch (const UpstreamError& error) {
            if (lacks_version(target, error) && may_ask_again(control) &&
                !std::exchange(list.options.version_path, true)) {
                at_root = error;
                continue;
            }
            const bool ends_all =
                error.reason() == Reason::cancelled || error.reason() == Reason::too_large;
            if (models.empty() || ends_all) throw UpstreamError{told_of(at_root, error)};
            models.cut();
            break;
        }
        if (next.empty() || next == page || next.size() > max_page_name) break;
        if (pages++ == max_pages || models.full()) {
            models.cut();
            break;
        }
        page = std::move(next);
    }
    co_return std::move(models).take();
}

Task<std::string> search(const CallTarget& target, std::string_view query,
                         const CallControl& control) {
    const SearchProtocol* const protocol = find_search(target.type.protocol);
    if (!protocol)
        throw UpstreamError::with_sentence(Reason::rejected,
                                           "This provider type does not search."_en);
    const CallClock clock{control};
    const auto request = search_request(*protocol, target, query);
    const auto fetched = co_await fetch(target, control, clock, request);
    const auto results = counted(control, [&] { return read_results(*protocol, fetched.value); });
    if (!results) throw UpstreamError{Reason::not_this_protocol};
    co_return *results;
}

Task<std::optional<Credit>> remaining_credit(const CallTarget& target, const CallControl& control) {
    const CreditSource* const source = find_credit_source(target.type.value);
    if (!source || !may_ask_again(control)) co_return std::nullopt;
    CallControl brief = control;
    net::HttpLimits& limits = brief.options.limits;
    limits.total = std::min(limits.total, max_credit_time);
    limits.connect = std::min(limits.connect, limits.total);
    try {
        const CallClock clock{brief};
        const auto request =
            get_json(target.base_url.text() + std::string{source->path}, bearer(target.key));
        const auto fetched = co_await fetch(target, brief, clock, request);
        co_return counted(brief,
                          [&] { return read_credit(*source, target.base_url, fetched.value); });
    } catch (const UpstreamError&) {
        co_return std::nullopt;
    }
}

} // namespace usershell::adapters
