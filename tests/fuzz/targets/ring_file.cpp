// The text of a ring file. The first byte: which of the files.
#include "crypto/ring/ring_text.hpp"
#include "rings.hpp"
#include "target.hpp"

namespace {

using namespace usershell;
using namespace usershell::crypto;

std::string text_of(const RingText& ring, RingKind kind) {
    std::string text = heading_of(kind, ring.installation) + '\n';
    for (const auto& [id, key] : ring.keys)
        text.append(line_of(id, key.reveal(), ring.created.at(id), id == ring.active).reveal())
            .append("\n");
    return text;
}

void run(std::string_view input) {
    fuzz::rings();
    fuzz::Input from{input};
    const auto number = from.byte() % (2 * all_ring_roles.size());
    const RingKind kind{all_ring_roles.at(number / 2),
                        number % 2 == 0 ? RingHalf::secret_half : RingHalf::public_half};
    const fuzz::MemoryFile file{from.rest()};
    std::optional<RingText> ring;
    if (!fuzz::accepts([&] { ring.emplace(read_ring(file.path(), kind)); })) return;
    fuzz::require(ring->keys.contains(ring->active), "one key is active");
    const auto text = text_of(*ring, kind);
    const fuzz::MemoryFile again{text};
    fuzz::require(text_of(read_ring(again.path(), kind), kind) == text,
                  "a ring file that was written is read as it was meant");
}

// A file has 64 KiB at most, of which each line takes some bytes more.
const fuzz::Target target{"ring_file", run, std::size_t{64} * 1024, std::size_t{2048} * 1024};

} // namespace
