// A body of a tool that was pressed. The first byte chooses the coding.
#include "execute/relay/content_coding.hpp"
#include "target.hpp"

#include <algorithm>
#include <iterator>

namespace {

using namespace usershell;

constexpr std::size_t most = std::size_t{256} * 1024;

void run(std::string_view input) {
    fuzz::Input from{input};
    constexpr execute::ContentCoding codings[] = {execute::ContentCoding::gzip,
                                                  execute::ContentCoding::deflate,
                                                  execute::ContentCoding::zstd};
    const auto coding = codings[from.byte() % std::size(codings)];
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

// The decoders of zlib and zstd have windows of 32 KiB and 8 MiB, and some output besides.
const fuzz::Target target{"content_coding", run, std::size_t{64} * 1024,
                          std::size_t{16} * 1024 * 1024};

} // namespace
