#include "manage/services.hpp"

#include "base/logging/log.hpp"
#include "domain/catalogue.hpp"
#include "store/providers/legacy.hpp"

#include <array>

namespace usershell::manage {

namespace {

/// The catalogue's own default and not the operator's: the key was entered for that one, and
/// usershell-execute, which opens it, computes no other.
std::vector<store::LegacyKind> legacy_kinds() {
    std::vector<store::LegacyKind> kinds;
    for (const ProviderType& type : provider_types())
        kinds.push_back({type.value, type.label, type.default_base_url, type.owns_base_url});
    return kinds;
}

} // namespace

void fold_legacy_vault(Services& services) try {
    const auto kinds = legacy_kinds();
    store::Lease lease{services.database};
    int folded = 0, left = 0;
    auto next = global_owner();
    while (const auto fold = store::fold_legacy_vault(lease, next, kinds)) {
        folded += fold->folded;
        left += fold->newly_left;
        next = fold->owner;
        lease.release();
    }
    if (folded != 0) log(Level::notice, "older keys folded", {{"entries", std::to_string(folded)}});
    if (left != 0)
        log(Level::warning, "older keys did not fit", {{"entries", std::to_string(left)}});
} catch (const std::exception& error) {
    log(Level::warning, "older keys not folded", {{"error", loggable(error)}});
}

Sentence older_keys_note(int count) {
    constexpr std::array words{"Two"_en,   "Three"_en, "Four"_en, "Five"_en, "Six"_en,
                               "Seven"_en, "Eight"_en, "Nine"_en, "Ten"_en};
    if (count <= 0) return {};
    if (count == 1) return "One older key did not fit."_en;
    const auto at = static_cast<std::size_t>(count) - 2;
    const auto number = at < words.size() ? Sentence::Value{"number", words.at(at)}
                                          : Sentence::Value{"number", std::to_string(count)};
    return {"{number} older keys did not fit."_en, {number}};
}

} // namespace usershell::manage
