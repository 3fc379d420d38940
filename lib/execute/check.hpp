// One connectivity check: a one-word prompt through a provider's first enabled model (search types:
// a one-word query), by the same path as every other call.
#pragma once

#include "domain/rules.hpp"
#include "execute/calls/key_failover.hpp"
#include "execute/services.hpp"
#include "opener/wire/call_starts.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace usershell::execute {

struct CheckResult {
    bool ok = false;
    std::string reply;  ///< when ok
    std::string model;  ///< when ok; empty for search types
    Sentence error;     ///< when not ok
    std::string reason; ///< the contract's word for it, where there is one
    adapters::ProviderSaid said;
    std::string key_name; ///< the name of the account whose key alone was tried or answered
    std::int64_t latency_ms = 0;
    std::optional<adapters::Credit> credit{}; ///< when ok, where the type reports it
};

/// One check to make.
struct CheckOf {
    Call& call;
    opener::CallProvider& provider;
    std::optional<AccountId> only{}; ///< that account's key alone
    ClientSignals client{};
    int max_requests = rules::max_call_requests;
};

/// A failure of the provider or its keys is part of the result, and so is a client that has gone.
/// Throws Refusal not_found when `only` is no account of the provider.
Task<CheckResult> check_provider(Services& services, const CheckOf& check);

/// {ok, reply, latencyMs, model, credit?, keyName?} or {ok: false, error, sentence?, reason?,
/// providerCode?, providerSaid?, keyName?}.
boost::json::object check_document(const CheckResult& result);

} // namespace usershell::execute
