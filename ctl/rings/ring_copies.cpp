#include "base/error.hpp"
#include "crypto/ring/ring_copy.hpp"
#include "ctl/command.hpp"
#include "ctl/operator_store.hpp"
#include "ctl/rings/rings.hpp"
#include "ctl/terminal.hpp"
#include "store/installation.hpp"
#include "store/rings.hpp"

#include <iostream>

namespace usershell::ctl {

namespace {

constexpr std::size_t shortest_passphrase = 12; // bytes

/// Throws Error for rings of another installation, and for those that lack one of its keys.
void require_present(store::Lease& store, const std::vector<crypto::RingFiles>& rings) {
    std::vector<crypto::RingSummary> summaries;
    summaries.reserve(rings.size());
    for (const auto& ring : rings) summaries.push_back(ring.summary());
    store::require_rings(store, summaries);
    auto known = store::ring_uses(store);
    for (const auto& ring : summaries)
        for (const auto& id : ring.ids) known.erase(id.text());
    if (!known.empty())
        throw Error{"The copy is older than this installation's rings: it lacks the key " +
                    known.begin()->first + ". Make a new one."};
}

} // namespace

void ring_copy(const Settings& settings, Arguments& arguments) {
    const std::string file = arguments.next("FILE");
    arguments.finish();
    const auto passphrase = read_new_password("Passphrase for the copy");
    if (passphrase.size() < shortest_passphrase)
        throw Error{"The passphrase has at least 12 characters."};
    OperatorStore store{settings};
    require_whole_rings(settings, store);
    crypto::write_ring_copy(settings.rings, file, passphrase);
    std::cout << "Wrote the four rings to " << file
              << ". On the other machine: usershellctl ring paste FILE\n";
}

void ring_paste(const Settings& settings, Arguments& arguments) {
    const std::string file = arguments.next("FILE");
    arguments.finish();
    const auto passphrase = read_password("Passphrase of the copy");
    const auto rings = crypto::read_ring_copy(file, passphrase, settings.rings);
    OperatorStore store{settings};
    require_present(store, rings);
    missing_rings(settings); // refuses half a ring
    make_ring_folder(settings);
    for (const auto& ring : rings) ring.save();
    std::cout << "Put the four rings into " << settings.rings
              << ". Now reload the programs of this machine, and remove " << file << ".\n";
}

} // namespace usershell::ctl
