#include "execute/connectivity.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "execute/call.hpp"
#include "execute/check.hpp"
#include "execute/playground/event_frames.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace usershell::execute {
namespace {

store::CallProvider provider_of(app::RequestContext& context) {
    auto provider = store::load_call_provider(context.lease, context.caller().calls_token_hash,
                                              context.id<ProviderId>("providerId"));
    if (!provider) throw not_found();
    return *std::move(provider);
}

web::Response single(Services& services, app::RequestContext& context,
                     const store::CallProvider& provider, std::optional<AccountId> only) {
    Call call{context.lease, context.caller()};
    const CheckResult result =
        check_provider(services, context.lease, call.id(), provider, std::move(only),
                       {context.stream.gone_fd(), [&call] { call.renew(); }});
    return web::Response::json(boost::json::serialize(check_document(result)));
}

/// Checks of several providers at a time, one thread each, results in the order in which they come.
class Batch {
public:
    Batch(Services& services, const store::Call& call,
          const std::vector<store::CallProvider>& providers, int cancel_fd)
        : services_{services},
          call_{call},
          providers_{providers},
          cancel_fd_{cancel_fd} {
        threads_.reserve(providers.size());
        for (std::size_t i = 0; i < providers.size(); ++i) {
            threads_.emplace_back([this, i] { check(i); });
        }
    }

    struct Done {
        std::size_t index;
        CheckResult result;
    };

    /// The next result, waited for; nothing when none has come within `patience`.
    std::optional<Done> next(std::chrono::seconds patience) {
        std::unique_lock lock{mutex_};
        if (!came_.wait_for(lock, patience, [this] { return !done_.empty(); })) return std::nullopt;
        Done done = std::move(done_.front());
        done_.pop_front();
        return done;
    }

private:
    void check(std::size_t index) {
        CheckResult result;
        try {
            store::Lease lease{services_.database};
            result = check_provider(services_, lease, call_, providers_[index], std::nullopt,
                                    {cancel_fd_, {}});
        } catch (const std::exception& error) {
            log(Level::warning, "check failed", {{"error", loggable(error)}});
            result.error = "The check could not be made. Try again.";
        }
        const std::scoped_lock lock{mutex_};
        done_.push_back({index, std::move(result)});
        came_.notify_one();
    }

    Services& services_;
    const store::Call& call_;
    const std::vector<store::CallProvider>& providers_;
    int cancel_fd_;
    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<Done> done_;
    std::vector<std::jthread> threads_; ///< last: joined before what they use goes
};

struct Totals {
    std::size_t total = 0;
    std::size_t passed = 0;

    void count(const CheckResult& result) {
        ++total;
        if (result.ok) ++passed;
    }
    void write_to(boost::json::object& document) const {
        document["total"] = total;
        document["passed"] = passed;
        document["failed"] = total - passed;
    }
};

boost::json::object row_of(const store::CallProvider& provider, const CheckResult& result) {
    boost::json::object row{{"providerId", provider.id.text()}, {"name", provider.name}};
    boost::json::object outcome = check_document(result);
    if (!result.ok) outcome["latencyMs"] = result.latency_ms;
    outcome.erase("model");
    for (auto& [key, value] : outcome) row[key] = std::move(value);
    return row;
}

constexpr std::chrono::seconds tick{5};

/// Every result, in the order in which they come; between them the call is renewed and `idle`
/// called.
template <class OnResult, class OnIdle>
void collect(Batch& batch, std::size_t count, Call& call, OnResult on_result, OnIdle on_idle) {
    while (count > 0) {
        if (auto done = batch.next(tick)) {
            on_result(done->index, done->result);
            --count;
        } else {
            call.renew();
            on_idle();
        }
    }
}

web::Response batch_as_document(Batch& batch, const std::vector<store::CallProvider>& providers,
                                Call& call) {
    std::vector<CheckResult> results(providers.size());
    collect(
        batch, providers.size(), call,
        [&](std::size_t index, CheckResult& result) { results[index] = std::move(result); }, [] {});
    boost::json::array rows;
    Totals totals;
    for (std::size_t i = 0; i < providers.size(); ++i) {
        rows.push_back(row_of(providers[i], results[i]));
        totals.count(results[i]);
    }
    boost::json::object document{{"results", std::move(rows)}};
    totals.write_to(document);
    return web::Response::json(boost::json::serialize(document));
}

web::Response batch_as_stream(Batch& batch, const std::vector<store::CallProvider>& providers,
                              Call& call, app::RequestContext& context) {
    EventFrames frames{context.stream};
    Totals totals;
    collect(
        batch, providers.size(), call,
        [&](std::size_t index, const CheckResult& result) {
            totals.count(result);
            frames.send(row_of(providers[index], result));
        },
        [&] { frames.keep_alive(); });
    boost::json::object last{{"done", true}};
    totals.write_to(last);
    frames.send(last);
    return already_streamed();
}

bool wants_stream(const web::Request& request) { return request.asks_for("text/event-stream"); }

} // namespace

web::Response test_provider(Services& services, app::RequestContext& context) {
    return single(services, context, provider_of(context), std::nullopt);
}

web::Response test_account(Services& services, app::RequestContext& context) {
    const auto account = context.id<AccountId>("accountId");
    const store::CallProvider provider = provider_of(context);
    if (std::ranges::find(provider.accounts, account, &store::CallKey::account) ==
        provider.accounts.end()) {
        throw not_found();
    }
    return single(services, context, provider, account);
}

web::Response test_batch(Services& services, app::RequestContext& context) {
    const std::string& token_hash = context.caller().calls_token_hash;
    std::vector<store::CallProvider> providers;
    for (const ProviderId& id : store::active_providers(context.lease, token_hash)) {
        if (auto provider = store::load_call_provider(context.lease, token_hash, id)) {
            providers.push_back(*std::move(provider));
        }
    }
    Call call{context.lease, context.caller()};
    context.lease.release();
    Batch batch{services, call.id(), providers, context.stream.gone_fd()};
    return wants_stream(context.request) ? batch_as_stream(batch, providers, call, context)
                                         : batch_as_document(batch, providers, call);
}

} // namespace usershell::execute
