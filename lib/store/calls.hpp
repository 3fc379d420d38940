// What usershell-execute asks and writes of the calls that it has under way: it renews and ends
// them, and writes health and usage. The role usershell_execute has no right to any table of users.
// It has a right to the functions of sql/0022_calls.sql that take the id of a call which
// usershell-opener has begun (store/call_rows.hpp). Errors are those of run()
// (store/database/run.hpp).
#pragma once

#include "base/ids.hpp"
#include "domain/address/url.hpp"
#include "store/database/database.hpp"
#include "store/providers/parts.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// A call that has begun. Its id entitles the holder to read and write for this call. Valid for a
/// minute, longer if it is renewed, and at most a minute longer than the call has a right to run.
struct CallId {
    UserId user;
    std::string id; ///< a random UUID that cannot be guessed
};

/// Does that model of the call's provider read images?
bool model_sees(Lease& lease, const CallId& call, const std::string& model);

/// Renews calls in one statement. Returns the ids of those that have a right to run: their session
/// is good, and their provider exists and is as active as it was. End the others.
std::vector<std::string> renew_calls(Lease& lease, const std::vector<CallId>& calls);

/// The health that a call has shown of one key.
struct KeyReport {
    std::optional<AccountId> account; ///< null: the provider's own key
    std::string digest; ///< of the envelope that was tried; a replaced key keeps its health
    Health health = Health::healthy;
    std::string message; ///< a stored Sentence without any key; empty when healthy
    std::optional<std::chrono::seconds> cooldown;
};
/// The health that a call has shown of a provider and of the keys that it tried.
struct HealthReport {
    ProviderId provider;
    BaseUrl base_url;               ///< the one called
    std::optional<Health> health{}; ///< null: the call has shown only accounts
    std::string message{};
    std::vector<KeyReport> keys{};
};
/// The tokens that a call has taken of one provider's model.
struct CallUsage {
    ProviderId provider;
    std::string model;
    bool failed = false;
    bool estimated = false; ///< by the sizes of request and answer
    std::uint64_t input_tokens = 0;
    std::uint64_t output_tokens = 0;
};
struct CallEnd {
    CallId call;
    std::vector<HealthReport> health{}; ///< one for each provider that was called
    std::vector<CallUsage> usage{};
};
/// Ends calls in one statement and writes their health and usage, so that their users may begin
/// others. Health of a row whose key or base URL was changed since, or that another transaction has
/// locked, stays as it is. A call that is neither ended nor renewed (its process was killed) ends
/// by itself after a minute. A report that the store refuses costs no other call its own:
/// then each is ended alone, and that one without its report.
void end_calls(Lease& lease, const std::vector<CallEnd>& ends);

} // namespace usershell::store
