#include "ctl/rings/rings.hpp"

#include "base/error.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/command.hpp"
#include "ctl/terminal.hpp"
#include "store/installation.hpp"
#include "store/rings.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>
#include <vector>

namespace usershell::ctl {

namespace fs = std::filesystem;

void make_ring_folder(const Settings& settings) {
    const fs::path folder{settings.rings};
    if (fs::is_directory(folder)) return;
    std::error_code error;
    fs::create_directories(folder, error);
    // The programs read the public files in this folder, so it is open to all; the secret files are
    // protected by their own mode.
    if (!error) fs::permissions(folder, fs::perms{0755}, error);
    if (error) throw Error{"The folder " + folder.string() + " can't be made."};
}

std::vector<crypto::RingRole> missing_rings(const Settings& settings) {
    std::vector<crypto::RingRole> missing;
    for (const auto role : crypto::all_ring_roles) {
        const auto is_there = [&](bool secret) {
            return fs::exists(fs::path{settings.rings} / crypto::ring_file_name(role, secret));
        };
        if (is_there(true) != is_there(false))
            throw Error{"Of the " + std::string{crypto::name_of(role)} +
                        " ring one file is not in " + settings.rings +
                        ": put it back from your copy."};
        if (!is_there(true)) missing.push_back(role);
    }
    return missing;
}

void make_rings(const Settings& settings, store::Lease& lease, bool replace) {
    make_ring_folder(settings);
    crypto::NewRings rings{settings.rings, store::installation_id(lease)};
    if (!store::register_rings(lease, rings.summaries(), replace))
        throw Error{
            "This installation has its key rings already: put the files back from your copy. With "
            "ring init --replace it gets new ones, and nothing that is sealed to the old ones "
            "opens any more."};
    rings.keep();
}

std::map<std::string_view, crypto::RingSummary> rings_of_files(const Settings& settings) {
    std::map<std::string_view, crypto::RingSummary> rings;
    for (const auto role : crypto::all_ring_roles)
        rings.emplace(crypto::name_of(role), crypto::RingFiles{role, settings.rings}.summary());
    return rings;
}

void require_whole_rings(const Settings& settings, store::Lease& lease) {
    std::vector<crypto::RingSummary> summaries;
    for (const auto role : crypto::all_ring_roles) {
        const crypto::RingFiles files{role, settings.rings};
        if (const auto difference = files.difference(); !difference.empty())
            throw Error{difference};
        summaries.push_back(files.summary());
    }
    store::require_rings(lease, summaries);
}

void ring_init(const Settings& settings, Arguments& arguments) {
    const bool replace = arguments.flag("replace");
    arguments.finish();
    OperatorStore store{settings};
    make_rings(settings, store, replace);
    std::cout << "Made the vault, web, auth and mail rings, .secret and .public, in "
              << settings.rings
              << ".\nKeep a copy of the secret files: without them no stored key can be read.\n";
}

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
