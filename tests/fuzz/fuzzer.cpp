// libFuzzer's entry: the target that the variable USERSHELL_FUZZ_TARGET names.
#include "target.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace usershell::fuzz;

const Target& chosen() {
    const char* const name = std::getenv("USERSHELL_FUZZ_TARGET");
    const auto found = std::ranges::find(targets(), name == nullptr ? "" : name, &Target::name);
    if (found == targets().end()) fail("USERSHELL_FUZZ_TARGET names a target");
    return **found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const Target& target = chosen();
    check(target, {reinterpret_cast<const char*>(bytes), size}, false);
    return 0;
}
