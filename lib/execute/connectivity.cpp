#include "execute/connectivity.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "execute/call_slot.hpp"
#include "execute/check.hpp"
#include "execute/event_frames.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace usershell {
namespace {

CallProvider provider_of(Call& call) {
    auto provider = load_call_provider(call.lease, call.user(), call.id<ProviderId>("providerId"));
    if (!provider) throw not_found();
    return *std::move(provider);
}

Response single(Execute& wing, Call& call, const CallProvider& provider,
                std::optional<AccountId> only) {
    CallSlot slot{call.lease, call.user()};
    const CheckResult result =
        check_provider(wing, call.lease, call.user(), provider, std::move(only),
                       {call.stream.gone_fd(), [&slot] { slot.renew(); }});
    return Response::json(boost::json::serialize(check_document(result)));
}

/// Checks of several providers at a time, one thread each, results in the order in which they come.
class Batch {
public:
    Batch(Execute& wing, UserId user, const std::vector<CallProvider>& providers, int cancel_fd)
        : wing_{wing},
          user_{std::move(user)},
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
            Lease lease{wing_.database};
            lease.act_as(user_);
            result = check_provider(wing_, lease, user_, providers_[index], std::nullopt,
                                    {cancel_fd_, {}});
        } catch (const std::exception& error) {
            log(Level::warning, "check failed", {{"error", error.what()}});
            result.error = "The check could not be made. Try again.";
        }
        const std::scoped_lock lock{mutex_};
        done_.push_back({index, std::move(result)});
        came_.notify_one();
    }

    Execute& wing_;
    UserId user_;
    const std::vector<CallProvider>& providers_;
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

boost::json::object row_of(const CallProvider& provider, const CheckResult& result) {
    boost::json::object row{{"providerId", provider.id.text()}, {"name", provider.name}};
    boost::json::object outcome = check_document(result);
    if (!result.ok) outcome["latencyMs"] = result.latency_ms;
    outcome.erase("model");
    for (auto& [key, value] : outcome) row[key] = std::move(value);
    return row;
}

constexpr std::chrono::seconds tick{15};

/// Every result, in the order in which they come; between them the slot is kept and `idle` called.
template <class OnResult, class OnIdle>
void collect(Batch& batch, std::size_t count, CallSlot& slot, OnResult on_result, OnIdle on_idle) {
    while (count > 0) {
        if (auto done = batch.next(tick)) {
            on_result(done->index, done->result);
            --count;
        } else {
            slot.renew();
            on_idle();
        }
    }
}

Response batch_as_document(Batch& batch, const std::vector<CallProvider>& providers,
                           CallSlot& slot) {
    std::vector<CheckResult> results(providers.size());
    collect(
        batch, providers.size(), slot,
        [&](std::size_t index, CheckResult& result) { results[index] = std::move(result); }, [] {});
    boost::json::array rows;
    Totals totals;
    for (std::size_t i = 0; i < providers.size(); ++i) {
        rows.push_back(row_of(providers[i], results[i]));
        totals.count(results[i]);
    }
    boost::json::object document{{"results", std::move(rows)}};
    totals.write_to(document);
    return Response::json(boost::json::serialize(document));
}

Response batch_as_stream(Batch& batch, const std::vector<CallProvider>& providers, CallSlot& slot,
                         Call& call) {
    EventFrames frames{call.stream};
    Totals totals;
    collect(
        batch, providers.size(), slot,
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

bool wants_stream(const Request& request) {
    return request.header("accept").value_or("").find("text/event-stream") != std::string::npos;
}

} // namespace

Response test_provider(Execute& wing, Call& call) {
    return single(wing, call, provider_of(call), std::nullopt);
}

Response test_account(Execute& wing, Call& call) {
    const auto account = call.id<AccountId>("accountId");
    const CallProvider provider = provider_of(call);
    if (std::ranges::find(provider.accounts, account, &CallKey::account) ==
        provider.accounts.end()) {
        throw not_found();
    }
    return single(wing, call, provider, account);
}

Response test_batch(Execute& wing, Call& call) {
    std::vector<CallProvider> providers;
    for (const ProviderId& id : active_providers(call.lease, call.user())) {
        if (auto provider = load_call_provider(call.lease, call.user(), id)) {
            providers.push_back(*std::move(provider));
        }
    }
    CallSlot slot{call.lease, call.user()};
    call.lease.give_back();
    Batch batch{wing, call.user(), providers, call.stream.gone_fd()};
    return wants_stream(call.request) ? batch_as_stream(batch, providers, slot, call)
                                      : batch_as_document(batch, providers, slot);
}

} // namespace usershell
