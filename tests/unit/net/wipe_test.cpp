// After a call, no copy of the key is left in the memory that libcurl used.
#include "tests/unit/net/support.hpp"
#include "tests/unit/unless_thread_sanitized.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <future>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

using namespace usershell;
using namespace usershell::net;
using namespace usershell::test;

namespace {

using Canary = std::array<char, 48>;

/// Made at run time and kept on the stack, so that no copy of it is where the search looks.
Canary make_canary() {
    const volatile char first = 'K';
    Canary canary{};
    for (std::size_t i = 0; i < canary.size(); ++i)
        canary.at(i) = static_cast<char>('0' + (static_cast<std::size_t>(first) + i * 11) % 60);
    return canary;
}

/// Is it in these addresses? Read through the kernel, because freed memory may not be read
/// otherwise, into the stack.
bool is_in(int memory, std::size_t begin, std::size_t end, const Canary& canary) {
    std::array<char, 65536> block{};
    for (std::size_t at = begin; at < end; at += block.size() - canary.size()) {
        const std::size_t size = std::min(block.size(), end - at);
        const auto got = pread(memory, block.data(), size, static_cast<off_t>(at));
        if (got <= 0) return false;
        const std::string_view read{block.data(), static_cast<std::size_t>(got)};
        // free() writes over the beginning of a block.
        if (read.find({canary.data() + 16, canary.size() - 16}) != std::string_view::npos)
            return true;
    }
    return false;
}

/// The allocator's memory: anonymous, writable; without a sanitizer's own, which are giant.
int regions_with(const Canary& canary) {
    const Descriptor memory{open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
    constexpr std::size_t giant = std::size_t{1} << 30U;
    std::ifstream maps{"/proc/self/maps"};
    int found = 0;
    for (std::string line; std::getline(maps, line);) {
        std::size_t begin = 0;
        std::size_t end = 0;
        char dash = 0;
        std::string rights, offset, device, inode, name;
        std::istringstream fields{line};
        fields >> std::hex >> begin >> dash >> end >> rights >> offset >> device >> inode >> name;
        const bool allocated = inode == "0" && (name.empty() || name == "[heap]");
        if (allocated && rights.starts_with("rw") && end - begin < giant)
            found += is_in(memory.get(), begin, end, canary) ? 1 : 0;
    }
    return found;
}

} // namespace

BOOST_AUTO_TEST_SUITE(
    wipe, *unless_thread_sanitized("their heap lies in mappings too large to be searched"))

BOOST_AUTO_TEST_CASE(no_copy_of_a_key_stays_in_memory) {
    const Canary canary = make_canary();
    const std::string_view key{canary.data(), canary.size()};
    { // A copy would be found.
        std::string copy{key};
        BOOST_TEST(regions_with(canary) > 0);
        explicit_bzero(copy.data(), copy.size());
        BOOST_TEST(regions_with(canary) == 0);
    }
    // The server is in this process: it answers without reading the request.
    std::promise<void> searched;
    ScriptedServer server{[&](Connection& peer) {
        peer.answer(200, "text/plain", "ok");
        searched.get_future().wait();
    }};
    Client client{EgressPolicy{{server.authority()}}};
    const HttpRequest request{.method = "POST",
                              .url = server.url("/"),
                              .headers = {{"X-A", "b"}},
                              .key = KeyHeader{"Authorization", "Bearer ", key},
                              .body = "{}"};
    int while_under_way = 0;
    HttpControl control;
    control.on_head = [&](const HttpHead&) { while_under_way = regions_with(canary); };
    BOOST_TEST((client.perform(request, control).failure == HttpFailure::none));
    BOOST_TEST(while_under_way > 0);
    BOOST_TEST(regions_with(canary) == 0);
    searched.set_value();
}

BOOST_AUTO_TEST_SUITE_END()
