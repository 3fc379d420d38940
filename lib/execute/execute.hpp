// The executing wing: what its handlers share. Built once at start, outlives every request; all
// parts are thread-safe. This wing can open keys and not write them.
#pragma once

#include "adapters/calls.hpp"
#include "base/config.hpp"
#include "crypto/unseal/unseal.hpp"
#include "net/http_client.hpp"
#include "store/database.hpp"

namespace usershell {

class Execute {
public:
    /// Loads the rings. Throws RingError or ConfigError with one sentence.
    explicit Execute(const Settings& settings);

    const Settings& settings;
    Database database;
    Unsealer unsealer;
    HttpClient http;

    /// Bounds of a call in the playground; of the answers to a list; and of a connectivity check.
    HttpLimits chat_limits() const;
    HttpLimits list_limits() const;
    HttpLimits check_limits() const;
};

} // namespace usershell
