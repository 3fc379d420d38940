#include "store/rings.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_uses{"count_ring_uses", by_owner, {R"sql(
SELECT u.id, count(*) FILTER (WHERE what = 'key') AS keys, count(*) FILTER (WHERE what = 'legacy') AS legacy,
       count(*) FILTER (WHERE what = 'mail') AS mails, count(*) FILTER (WHERE what = 'avatar') AS avatars,
       count(*) FILTER (WHERE what = 'app') AS apps
FROM (SELECT id, 'registered' AS what FROM usershell.ring_keys
      UNION ALL SELECT ring_key_id, 'key' FROM usershell.providers
      UNION ALL SELECT signer_id, 'key' FROM usershell.providers
      UNION ALL SELECT ring_key_id, 'key' FROM usershell.accounts
      UNION ALL SELECT signer_id, 'key' FROM usershell.accounts
      UNION ALL SELECT ring_key_id, 'key' FROM usershell.provider_headers
      UNION ALL SELECT signer_id, 'key' FROM usershell.provider_headers
      UNION ALL SELECT ring_key, 'legacy' FROM usershell.legacy_vault
      UNION ALL SELECT signer_id, 'legacy' FROM usershell.legacy_vault
      UNION ALL SELECT ring_key_id, 'mail' FROM usershell.outbox
      UNION ALL SELECT signer_id, 'mail' FROM usershell.outbox
      UNION ALL SELECT ring_key_id, 'avatar' FROM usershell.avatars
      UNION ALL SELECT ring_key_id, 'app' FROM usershell.apps) u
WHERE u.id IS NOT NULL GROUP BY u.id)sql"}};

// A second attempt after a lost answer finds the row of the first.
const Statement insert_key{"add_ring_key", by_owner, {R"sql(
INSERT INTO usershell.ring_keys (role, id) VALUES ($1, $2) ON CONFLICT DO NOTHING)sql"}};

const Statement delete_key{
    "forget_ring_key", by_owner, {"DELETE FROM usershell.ring_keys WHERE id = $1"}};

const Statement select_keys{
    "keys_to_rewrap", by_rewrap, {"SELECT * FROM usershell.keys_to_rewrap($1, $2, $3, $4, $5)"}};

const Statement swap{
    "swap_envelope", by_rewrap, {"SELECT usershell.swap_envelope($1, $2, $3, $4, $5) AS is_done"}};

const Statement select_avatar{"next_avatar_of_ring_key", by_owner, {R"sql(
SELECT owner_id, id, sealed FROM usershell.avatars
WHERE ring_key_id = $1 AND owner_id > $2 ORDER BY owner_id LIMIT 1)sql"}};

const Statement update_avatar{
    "swap_avatar",
    by_owner,
    {"UPDATE usershell.avatars SET sealed = $3 WHERE owner_id = $1 AND id = $2"}};

const Statement select_app{"next_app_of_ring_key", by_owner, {R"sql(
SELECT owner_id, salt FROM usershell.apps
WHERE ring_key_id = $1 AND owner_id > $2 ORDER BY owner_id LIMIT 1)sql"}};

// A second attempt after a lost answer finds the other key: to mask twice is to unmask.
const Statement update_app{"swap_app_mask", by_owner, {R"sql(
UPDATE usershell.apps
SET ring_key_id = $3, masked = usershell.masked_with(usershell.masked_with(masked, $4), $5)
WHERE owner_id = $1 AND salt = $2 AND ring_key_id <> $3)sql"}};

std::map<std::string, RingUses> uses_in(Rows rows) {
    std::map<std::string, RingUses> uses;
    rows.each([&uses](const Row& row) {
        uses.emplace(row.get<std::string>("id"),
                     RingUses{row.get<long long>("keys"), row.get<long long>("legacy"),
                              row.get<long long>("mails"), row.get<long long>("avatars"),
                              row.get<long long>("apps")});
    });
    return uses;
}

} // namespace

std::map<std::string, RingUses> ring_uses(Lease& lease) { return uses_in(run(lease, select_uses)); }

void register_key(Lease& lease, crypto::RingRole role, const crypto::RingKeyId& id) {
    run(lease, insert_key, std::string{crypto::name_of(role)}, id.text());
}

void forget_key(Lease& lease, const crypto::RingKeyId& id,
                const std::function<void(const RingUses&)>& look) {
    transact(lease, [&](Transaction& transaction) {
        transaction.run(delete_key, id.text());
        look(uses_in(transaction.run(select_uses))[id.text()]);
    });
}

std::vector<KeyToRewrap> keys_to_rewrap(Lease& lease, const RewrapTarget& target, int most,
                                        const UserId& owner, const std::string& id) {
    const auto web = target.web ? std::optional{target.web->text()} : std::nullopt;
    return run(lease, select_keys, target.vault.text(), web, most, owner, id)
        .all([](const Row& row) {
            return KeyToRewrap{row.get<std::string>("kind"), row.get<UserId>("owner_id"),
                               row.get<std::string>("provider_id"), row.get<std::string>("id"),
                               row.bytes("sealed")};
        });
}

bool swap_envelope(Lease& lease, const KeyToRewrap& key, const std::string& sealed) {
    return run(lease, swap, key.kind, key.owner, key.id, Bytes{key.sealed}, Bytes{sealed})
        .front()
        .get<bool>("is_done");
}

std::optional<AvatarOfRing> next_avatar(Lease& lease, const crypto::RingKeyId& key,
                                        const UserId& after) {
    return run(lease, select_avatar, key.text(), after).first([](const Row& row) {
        return AvatarOfRing{row.get<UserId>("owner_id"), row.get<std::string>("id"),
                            row.bytes("sealed")};
    });
}

void swap_avatar(Lease& lease, const AvatarOfRing& avatar, const std::string& sealed) {
    run(lease, update_avatar, avatar.owner, avatar.id, Bytes{sealed});
}

std::optional<AppOfRing> next_app(Lease& lease, const crypto::RingKeyId& key, const UserId& after) {
    return run(lease, select_app, key.text(), after).first([](const Row& row) {
        return AppOfRing{row.get<UserId>("owner_id"), row.bytes("salt")};
    });
}

void swap_app_mask(Lease& lease, const AppOfRing& app, const crypto::RingKeyId& key,
                   const std::string& old_mask, const std::string& mask) {
    run(lease, update_app, app.owner, Bytes{app.salt}, key.text(), Bytes{old_mask}, Bytes{mask});
}

} // namespace usershell::store
