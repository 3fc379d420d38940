// Messages over a Unix socket of packets (SOCK_SEQPACKET): a request is one packet, an answer is
// cut into some, each behind a byte that says whether it is the last. Packets come whole or not at
// all. A packet with a descriptor beside it is none: the kernel has closed that descriptor. Any
// thread; one at a time for each socket.
#pragma once

#include "base/wiping.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace usershell::opener {

/// The largest packet of an answer. The kernel takes it as one piece.
inline constexpr std::size_t max_packet = std::size_t{64} * 1024;
/// The largest answer: of the most providers that a person may have, with long lists of models.
inline constexpr std::size_t max_answer = std::size_t{16} * 1024 * 1024;

/// False when the other side is gone or does not read in time (SO_SNDTIMEO of the socket).
bool send_request(int socket, std::string_view request);
bool send_answer(int socket, std::string_view answer);

/// False when the other side is gone, says nothing in time (SO_RCVTIMEO of the socket) or has sent
/// what is no packet of at most `most` bytes.
bool receive_request(int socket, WipedString& request, std::size_t most);
/// The same; waits until `deadline` at most.
bool receive_answer(int socket, WipedString& answer,
                    std::chrono::steady_clock::time_point deadline);

} // namespace usershell::opener
