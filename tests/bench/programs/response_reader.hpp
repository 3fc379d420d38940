// HTTP/1.1 responses as a load client needs them: where one ends, what its status is, when a text
// first appears in its body and whether the body's last bytes hold another. Reads piece by piece
// and keeps next to nothing. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace usershell::bench {

/// `first`: the text whose first appearance counts as the first token; empty: any body. `end`: a
/// text that the last bytes of a whole body hold; empty: any end will do.
struct Marks {
    std::string first;
    std::string end;
};

class ResponseReader {
public:
    explicit ResponseReader(const Marks& marks) : marks_{&marks} {}

    /// Forgets everything: the next byte begins a response.
    void reset();
    /// Takes bytes up to the end of the response at most; returns how many.
    std::size_t read(std::string_view bytes);

    bool is_done() const { return state_ == State::done; }
    int status() const { return status_; }
    /// The server closes the connection behind this response.
    bool closes() const { return closes_; }
    bool first_seen() const { return first_seen_; }
    /// Done, and with the end that was asked for.
    bool is_whole() const;

private:
    enum class State { head, body, chunk_size, chunk, chunk_end, trailer, done };

    std::size_t read_head(std::string_view bytes);
    std::size_t read_line(std::string_view bytes);
    std::size_t read_body(std::string_view bytes);
    void end_head();
    void end_line();
    void look_at(std::string_view body);

    const Marks* marks_;
    State state_ = State::head;
    std::string text_; ///< of the head, then of the line that is being read
    std::string tail_; ///< the body's last bytes
    std::size_t left_ = 0;
    int status_ = 0;
    bool closes_ = false;
    bool first_seen_ = false;
};

} // namespace usershell::bench
