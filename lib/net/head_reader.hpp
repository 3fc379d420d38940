// The head of an HTTP answer, from the lines that libcurl hands over. For transfer.cpp only.
#pragma once

#include "net/http_client.hpp"

#include <cstddef>
#include <string_view>

namespace usershell::net {

class HeadReader {
public:
    enum class State {
        reading,
        done,      ///< the final head is whole; what follows are trailers, which are dropped
        too_large, ///< more than 64 KiB of heads and trailers
    };

    /// One line with its end. Heads of interim answers (1xx) are passed over.
    State take(std::string_view line);
    /// Whole once the state is done.
    HttpHead& head() { return head_; }
    bool done() const { return state_ == State::done; }

private:
    void take_field(std::string_view line);

    HttpHead head_;
    State state_ = State::reading;
    std::size_t bytes_ = 0;
};

} // namespace usershell::net
