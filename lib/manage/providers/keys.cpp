#include "manage/providers/keys.hpp"

namespace usershell::manage {

store::StoredKey seal_key(const Services& services, const KeyRow& row,
                          const store::ProviderFields& fields, const crypto::Secret& key) {
    const crypto::KeyBinding binding{row.owner, row.provider, row.account, fields.type,
                                     fields.base_url};
    return {services.key_sealer.seal(binding, key), crypto::key_hint(key),
            fields.type + " " + fields.base_url};
}

} // namespace usershell::manage
