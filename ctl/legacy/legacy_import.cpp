#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/wiping.hpp"
#include "crypto/envelope/sealers.hpp"
#include "crypto/ring/files.hpp"
#include "crypto/token.hpp"
#include "ctl/command.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "domain/email.hpp"
#include "domain/rules.hpp"
#include "runtime/descriptor.hpp"
#include "store/installation.hpp"
#include "store/providers/legacy.hpp"
#include "store/users/user_admin.hpp"
#include "web/body.hpp"

#include <array>
#include <iostream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

// The file has keys in plain text, a JSON object a line: {"email", "kind", "label", "baseUrl",
// "key"}. label and baseUrl may be left out. An error names the file and the line, and shows no
// key.

const ProviderType& type_of(const web::JsonBody& line) {
    const auto* const type = find_provider_type(line.text("kind").value_or(""));
    if (type == nullptr) throw Error{"there is no provider type of that kind."};
    return *type;
}

std::string address_of(const web::JsonBody& line, const ProviderType& type) {
    const std::string given = trim(line.text("baseUrl").value_or(""));
    if (given.empty()) {
        if (type.default_base_url.empty())
            throw Error{"this kind has no address of its own: give its baseUrl."};
        return {};
    }
    std::string address = stored_base_url(type, BaseUrl::parse(given));
    if (type.owns_base_url && address != type.default_base_url)
        throw Error{"this kind has one address only: leave baseUrl out."};
    return address;
}

crypto::Secret key_of(const web::JsonBody& line) {
    const auto given = line.text_view("key");
    crypto::Secret key{trimmed(given.value_or(""))};
    if (key.empty()) throw Error{"there is no key."};
    rules::check(rules::api_key, key.reveal());
    return key;
}

/// The kind is one of the catalogue's, the base URL canonical and allowed for that kind.
store::LegacyEntry sealed_entry(store::Lease& store, const crypto::VaultEntrySealer& sealer,
                                std::string_view text) {
    const auto line = web::JsonBody::parse(text);
    const auto email = parse_email(line.text("email").value_or(""));
    if (!email) throw Error{"there is no e-mail address."};
    const ProviderType& type = type_of(line);
    std::string label = tidy_name(line.text("label").value_or(""));
    rules::check(rules::account_name, label);
    std::string base_url = address_of(line, type);
    const crypto::Secret key = key_of(line);
    const auto user = store::find_user(store, email->normalized);
    if (!user) throw Error{"there is nobody with the address " + email->shown + "."};
    const auto id = crypto::random_id<VaultEntryId>();
    std::string kind{type.value};
    auto sealed = sealer.seal({user->id, id, kind, base_url}, key);
    return {user->id,         id, std::move(kind), std::move(label), std::move(base_url),
            std::move(sealed)};
}

std::vector<store::LegacyEntry> sealed_entries(store::Lease& store,
                                               const crypto::VaultEntrySealer& sealer,
                                               const std::string& file, std::string_view text) {
    std::vector<store::LegacyEntry> entries;
    std::size_t number = 0;
    const auto fail = [&](const std::string& why) {
        throw Error{file + " line " + std::to_string(number) + ": " + why};
    };
    for_each_piece(text, '\n', [&](std::string_view line) {
        ++number;
        if (trim_blanks(line).empty()) return;
        try {
            entries.push_back(sealed_entry(store, sealer, line));
        } catch (const Refusal& refusal) {
            fail(refusal.sentence().english());
        } catch (const Error& error) {
            fail(error.what());
        }
    });
    return entries;
}

WipedString read_all(const std::string& file) {
    WipedString text;
    const Descriptor in{open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    std::array<char, 65536> buffer{};
    ssize_t count = -1;
    while (in && (count = read(in.get(), buffer.data(), buffer.size())) > 0)
        text.append({buffer.data(), static_cast<std::size_t>(count)});
    explicit_bzero(buffer.data(), buffer.size());
    if (count != 0) throw Error{file + " can't be read."};
    return text;
}

/// Overwrites the file with zeros and removes it. Copies elsewhere stay (a backup, a disk that
/// relocates data).
void wipe(const std::string& file, std::size_t size) {
    const Descriptor out{open(file.c_str(), O_WRONLY | O_CLOEXEC)};
    const std::string zeros(size, '\0');
    const bool gone =
        out && write(out.get(), zeros.data(), zeros.size()) == static_cast<ssize_t>(zeros.size()) &&
        fsync(out.get()) == 0 && unlink(file.c_str()) == 0;
    if (!gone) throw Error{"The keys were imported, but " + file + " was not wiped."};
}

} // namespace

void legacy_import(const Settings& settings, Arguments& arguments) {
    const bool with_wipe = arguments.flag("wipe");
    const std::string file = arguments.next("FILE");
    arguments.finish();
    const WipedString text = read_all(file);
    const auto web = crypto::load_ring_in<crypto::WebSecret>(settings.rings);
    const auto vault = crypto::load_ring_in<crypto::VaultPublic>(settings.rings);
    OperatorStore store{settings};
    store::require_rings(store, {crypto::summary_of(web), crypto::summary_of(vault)});
    const auto entries = sealed_entries(store, crypto::VaultEntrySealer{web, vault}, file, text);
    store::add_legacy_entries(store, entries);
    if (with_wipe) wipe(file, text.size());
    std::cout << "Sealed " << entries.size()
              << " keys. They become providers' when usershell-manage starts the next time.\n";
    if (!with_wipe)
        std::cout << file
                  << " still holds them in plain text: whoever reads it, or a backup of it, has "
                     "them. Remove it (shred -u), or import with --wipe.\n";
}

} // namespace usershell::ctl
