// The options of the load client: its command line and the file of requests.
#pragma once

#include "response_reader.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace usershell::bench {

struct LoadOptions {
    int port = 0;                      ///< on 127.0.0.1
    std::string authority;             ///< PEM file; empty: no TLS
    std::vector<std::string> requests; ///< whole requests; connection i sends number i (modulo)
    int connections = 1;
    /// Connections begun a second, each with its request at once; 0: all of them are open before
    /// the first request goes out.
    int rate = 0;
    /// The k-th request of connection i is number i + k · connections, instead of i each time.
    bool rotate = false;
    bool once = false;   ///< a request a connection, instead of one after the other
    bool linger = false; ///< with `once`: the answers need not end within the time
    std::chrono::milliseconds time{10'000}; ///< no request begins later
    std::chrono::milliseconds warm{0};      ///< the times of requests begun earlier don't count
    Marks marks;
};

/// Throws std::exception with a sentence.
LoadOptions read_options(int count, char** words);

} // namespace usershell::bench
