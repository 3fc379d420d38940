// Messages over a connection, each with its size as a number in front. An end of the connection in
// the place of the size would wake the reader twice. Non-blocking sockets; on
// threads that may wait. Descriptors that come beside the bytes are closed by the kernel: there is
// no room for control messages.
#pragma once

#include "base/wiping.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace usershell::opener {

using Deadline = std::chrono::steady_clock::time_point;

/// Eight bytes, big-endian.
inline constexpr std::size_t number_size = 8;
std::array<char, number_size> bytes_of(std::uint64_t number);
std::uint64_t number_in(std::span<const char, number_size> bytes);

/// False when the other side has gone or does not read in time.
bool send_message(int socket, std::string_view message, Deadline deadline);

/// Null when the message has more than `most` bytes or is not whole in time.
std::optional<WipedString> receive_message(int socket, std::size_t most, Deadline deadline);

} // namespace usershell::opener
