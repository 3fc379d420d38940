// An answer to a chat, whole or as a stream, of each protocol, in random pieces. The first byte:
// the protocol; the second: how it is cut.
#include "answer.hpp"
#include "base/text.hpp"
#include "target.hpp"

namespace {

using namespace usershell;

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto protocol = fuzz::protocol_of(from.byte());
    const auto seed = from.byte();
    const auto pieces = fuzz::cut(from.rest(), seed);
    net::HttpHead head;
    head.status = 200;
    const auto in_pieces = fuzz::heard(protocol, head, pieces, "sk-1234567890abcdefghij");
    fuzz::require(in_pieces ==
                      fuzz::heard(protocol, head, {from.rest()}, "sk-1234567890abcdefghij"),
                  "an answer does not depend on its pieces");
    fuzz::require(is_utf8(in_pieces), "an answer is UTF-8");
}

// The tree of one event, of 1 MiB at most, may take four times its size.
const fuzz::Target target{"chat_answer", run, std::size_t{128} * 1024, std::size_t{4608} * 1024};

} // namespace
