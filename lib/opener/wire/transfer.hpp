// Bytes over a connection up to its end. Non-blocking sockets; on threads that may wait.
// Descriptors that come beside the bytes are closed by the kernel: there is no room for control
// messages.
#pragma once

#include "base/wiping.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace usershell::opener {

using Deadline = std::chrono::steady_clock::time_point;

/// Sends all, and says that no more comes. False when the other side has gone or does not read in
/// time.
bool send_all(int socket, std::string_view bytes, Deadline deadline);

/// Null when the other side sends more than `most` bytes, or no end in time.
std::optional<WipedString> receive_all(int socket, std::size_t most, Deadline deadline);

} // namespace usershell::opener
