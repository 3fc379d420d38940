// A place among the calls that a user may have under way at a time, held while an object of this
// lives.
#pragma once

#include "base/ids.hpp"
#include "store/database/database.hpp"

#include <string>

namespace usershell::execute {

class CallSlot {
public:
    /// Throws Refusal rate_limited when the user has max_calls under way.
    CallSlot(store::Lease& lease, UserId user);
    /// Gives the place back; a store that can't be reached lets it expire instead.
    ~CallSlot();
    CallSlot(const CallSlot&) = delete;
    CallSlot& operator=(const CallSlot&) = delete;

    /// At least every 30 seconds while the call runs. Gives the connection back afterwards.
    void renew();

private:
    store::Lease& lease_;
    UserId user_;
    std::string slot_;
};

} // namespace usershell::execute
