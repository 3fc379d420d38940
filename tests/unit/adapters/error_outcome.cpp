#include "tests/unit/adapters/error_outcome.hpp"

namespace usershell::test {

using namespace adapters;

namespace {

std::string health(Fault fault) {
    switch (fault) {
    case Fault::key:
        return "key";
    case Fault::provider:
        return "provider";
    default:
        return "nobody";
    }
}

} // namespace

std::string outcome(const UpstreamError& error) {
    const auto rest = error.key_rest();
    return std::string{error.reason_name()} + ", " + std::to_string(status_of(error.code())) +
           ", " + health(error.fault()) + ", " +
           (error.may_try_another_key() ? "next key" : "no other") + ", " +
           (rest ? std::to_string(rest->count()) + " s" : "no rest") + ": " + error.sentence();
}

} // namespace usershell::test
