// All that follows from a failed call, in one line: reason, our answer's status, whose health it
// lowers, whether the next key is tried, how long the key rests: the sentence.
#pragma once

#include "adapters/errors/upstream_error.hpp"

#include <string>

namespace usershell::test {

std::string outcome(const adapters::UpstreamError& error);

} // namespace usershell::test
