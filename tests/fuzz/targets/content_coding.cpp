// A body of a tool that was pressed, and an answer in pieces. The first byte chooses the coding.
#include "execute/relay/relay_body.hpp"
#include "net/http_head.hpp"
#include "target.hpp"

#include <algorithm>
#include <iterator>

namespace {

using namespace usershell;

constexpr std::size_t most = std::size_t{256} * 1024;

void run_in_pieces(fuzz::Input from) {
    const std::size_t step = from.byte() + 1;
    const auto decoder = net::ContentDecoder::of("br");
    std::size_t given = 0;
    const auto count = [&](std::string_view part) {
        given += part.size();
        return given <= most;
    };
    for (auto rest = from.rest(); !rest.empty(); rest.remove_prefix(std::min(step, rest.size())))
        if (!decoder->take(rest.substr(0, step), count)) break;
    fuzz::require(given <= most + std::size_t{16} * 1024, "nothing follows a refusal");
}

void run_whole(std::size_t chosen, fuzz::Input from) {
    constexpr execute::ContentCoding codings[] = {execute::ContentCoding::gzip,
                                                  execute::ContentCoding::deflate,
                                                  execute::ContentCoding::zstd};
    const auto coding = codings[chosen % std::size(codings)];
    std::size_t asked = 0;
    std::string text;
    const auto decode = [&] {
        text = execute::decoded(from.rest(), coding, most, [&](std::size_t bytes) {
            asked = std::max(asked, bytes);
            return true;
        });
    };
    if (!fuzz::accepts(decode)) return;
    fuzz::require(text.size() <= most && text.size() <= asked, "it is within its bounds");
}

void run(std::string_view input) {
    fuzz::Input from{input};
    const std::size_t chosen = from.byte();
    if (chosen == 0xff)
        run_in_pieces(from);
    else
        run_whole(chosen, from);
}

// The windows of zlib, zstd and br have 32 KiB, 8 MiB and 16 MiB, and there is some output besides.
const fuzz::Target target{"content_coding", run, std::size_t{64} * 1024,
                          std::size_t{18} * 1024 * 1024};

} // namespace
