#include "adapters/relay.hpp"

#include "adapters/adapter.hpp"
#include "adapters/errors/provider_error.hpp"
#include "adapters/reading/relay_reader.hpp"
#include "adapters/request_options.hpp"
#include "adapters/transport.hpp"

#include <limits>
#include <optional>

namespace usershell::adapters {

namespace {

/// Servers that speak two protocols take the key of each route by its own protocol's header.
std::optional<net::KeyHeader> key_for(const Adapter& adapter, const CallTarget& target,
                                      RelayRoute route) {
    auto key = adapter.relay_key(target);
    return key && is_part_of(route, RelayRoute::messages) ? messages_key(target) : key;
}

} // namespace

Task<> relay(const CallTarget& target, RelayRequest& request, const CallControl& control,
             RelaySink& sink, Usage& usage) {
    if (!has_route(target.type, request.route)) throw UpstreamError{Reason::wrong_api};
    if (target.type.model_in_path && !fits_into_path(request.model)) throw leads_out();
    const Adapter& adapter = *find_adapter(target.type.protocol);
    const CallClock clock{control};
    const auto own = control.options.own_headers;
    std::optional<UpstreamError> at_root;
    for (bool version_path = false;; version_path = true) {
        request.http.url = adapter.relay_url(target, request.route, request.model, version_path);
        if (request.is_beta) request.http.url += "?beta=true";
        request.http.key = key_for(adapter, target, request.route);
        const bool may_move =
            !version_path && may_lack_version(target) &&
            route_base(target.type, request.route, target.base_url) == target.base_url.text();
        RelayReader reader{request.route, target.key, sink, usage, control.options.memory, own};
        // Events are held one by one, and all that is held in the call's memory.
        auto http = clock.next(std::numeric_limits<std::size_t>::max());
        bool has_succeeded = false;
        // A body is not sent again once the answer is no error.
        const auto drop_body = [&] {
            const bool is_needed = may_move && !reader.has_begun();
            if (has_succeeded && !is_needed) std::string{}.swap(request.http.body);
        };
        http.on_head = [&](const net::HttpHead& head) {
            reader.take_head(head);
            has_succeeded = is_success(head.status) && head.is_request_sent;
            drop_body();
        };
        http.on_body = [&](std::string_view piece) {
            const bool goes_on = reader.take_body(piece);
            drop_body();
            return goes_on;
        };
        http.has_work = [&] { return reader.has_work(); };
        http.work = [&] { return reader.work(*control.readers, control.options.budget); };
        http.is_answered = [&] { return reader.has_last_word(); };
        const auto result = co_await send(target, control, request.http, http);
        request.http.key.reset(); // a view of a key that ends with this try
        const bool is_large = control.readers && reader.kept() > large_answer;
        std::optional<BlockingPool::LanePermit> permit;
        if (is_large) permit.emplace(co_await control.readers->enter());
        const auto error = [&] {
            const CallBudget::Step step{control.options.budget};
            return reader.finish(result);
        }();
        permit.reset();
        if (is_large) co_await control.readers->leave(); // where the sink is
        try {
            if (!error) co_return reader.conclude(result);
            throw understand(*error, target.key, own);
        } catch (const UpstreamError& failure) {
            sink.take_limits(reader.limits());
            if (!may_move || reader.has_begun() || !lacks_version(target, failure))
                throw UpstreamError{told_of(at_root, failure)};
            at_root = failure;
        }
    }
}

} // namespace usershell::adapters
