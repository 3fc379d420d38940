#include "store/calls.hpp"

#include "base/ascii.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "store/database/run.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace usershell::store {

namespace {

const Statement sees{"model_sees", by_execute, {"SELECT usershell.model_sees($1, $2, $3) AS sees"}};

const Statement renew{"renew_calls",
                      by_execute,
                      {"SELECT id FROM usershell.renew_calls($1::uuid[], $2::uuid[]) AS id"}};

const Statement end{"end_calls", by_execute, {"SELECT usershell.end_calls($1)"}};

/// Of the provider and of each key a member of end_calls()' `health`.
void add_reports(boost::json::array& reports, const HealthReport& report) {
    const auto add = [&](const std::optional<AccountId>& account, Health health,
                         const std::string& message) -> boost::json::object& {
        boost::json::object& row = reports.emplace_back(boost::json::object{}).as_object();
        row["provider"] = report.provider.text();
        row["base_url"] = report.base_url.text();
        if (account) row["account"] = account->text();
        row["status"] = name_of(health);
        row["message"] = shorten(printable(message), rules::max_health_message);
        return row;
    };
    const auto add_key = [](boost::json::object& row, const KeyReport& key) {
        row["key"] = "\\x" + hex(key.digest);
        if (key.cooldown) row["cooldown"] = key.cooldown->count();
    };
    const auto own =
        std::ranges::find_if(report.keys, [](const KeyReport& key) { return !key.account; });
    if (report.health) {
        boost::json::object& row = add(std::nullopt, *report.health, report.message);
        if (own != report.keys.end()) add_key(row, *own);
    }
    for (const KeyReport& key : report.keys)
        if (key.account) add_key(add(key.account, key.health, key.message), key);
}

} // namespace

bool model_sees(Lease& lease, const CallId& call, const std::string& model) {
    return run(lease, sees, call.user, call.id, model).front().get<bool>("sees");
}

std::vector<std::string> renew_calls(Lease& lease, const std::vector<CallId>& calls) {
    const auto user_of = [](const CallId& call) { return call.user.text(); };
    return run(lease, renew, array_of(calls, user_of), array_of(calls, &CallId::id))
        .all([](const Row& row) { return row.get<std::string>("id"); });
}

namespace {

/// One statement for all, because thousands of calls may end in one second.
void end_together(Lease& lease, const std::vector<CallEnd>& ends) {
    boost::json::array given;
    for (const CallEnd& each : ends) {
        boost::json::array reports;
        for (const HealthReport& report : each.health) add_reports(reports, report);
        boost::json::array usage;
        for (const CallUsage& of : each.usage)
            usage.push_back({{"provider", of.provider.text()},
                             {"model", of.model},
                             {"failed", of.failed},
                             {"estimated", of.estimated},
                             {"input", of.input_tokens},
                             {"output", of.output_tokens}});
        given.push_back({{"owner", each.call.user.text()},
                         {"call", each.call.id},
                         {"health", std::move(reports)},
                         {"usage", std::move(usage)}});
    }
    run(lease, end, boost::json::serialize(given));
}

/// False: the store does not take what they have shown. Throws when it gives no answer.
bool could_end(Lease& lease, const std::vector<CallEnd>& ends) {
    try {
        end_together(lease, ends);
        return true;
    } catch (const Refusal& refusal) {
        if (refusal.status() >= 500) throw;
    } catch (const Error& error) {
        log(Level::warning, "end of calls refused",
            {{"count", std::to_string(ends.size())}, {"error", loggable(error)}});
    }
    return false;
}

} // namespace

// One call's numbers must not cost another its end. A call whose report the store refuses ends
// without one: its slot is worth more.
void end_calls(Lease& lease, const std::vector<CallEnd>& ends) {
    if (could_end(lease, ends)) return;
    for (const CallEnd& each : ends)
        if (ends.size() == 1 || !could_end(lease, {each})) end_together(lease, {{each.call}});
}

} // namespace usershell::store
