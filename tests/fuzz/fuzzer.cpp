// libFuzzer's entry: the one target that is linked.
#include "target.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace usershell::fuzz;
    check(*targets().front(), {reinterpret_cast<const char*>(bytes), size}, false);
    return 0;
}
