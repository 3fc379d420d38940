#include "store/providers/legacy.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement fold{"fold_legacy_vault", by_manage, {R"sql(
SELECT owner_id, folded, newly_left
FROM usershell.fold_legacy_vault($1, string_to_array($2, '|'), string_to_array($3, '|'),
                                 string_to_array($4, '|'), string_to_array($5, '|')::boolean[]))sql"}};

const Statement count_left{
    "count_legacy_entries", by_manage, {"SELECT usershell.count_legacy_entries() AS count"}};

const Statement insert_entry{"add_legacy_entry", by_owner, {R"sql(
INSERT INTO usershell.legacy_vault (owner_id, entry_id, kind, label, base_url, sealed) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING)sql"}};

const Statement select_entries{"list_legacy_entries", by_owner, {R"sql(
SELECT u.email, l.kind, l.label, l.stays
FROM usershell.legacy_vault l JOIN usershell.users u ON u.id = l.owner_id ORDER BY u.normalized_email, l.created_at)sql"}};

} // namespace

std::optional<LegacyFold> fold_legacy_vault(Lease& lease, const UserId& after,
                                            const std::vector<LegacyKind>& kinds) {
    std::string names, labels, urls, owning;
    for (const auto& [kind, label, url, owns] : kinds) {
        const std::string_view end = &kind == &kinds.front().kind ? "" : "|";
        names.append(end).append(kind);
        labels.append(end).append(label);
        urls.append(end).append(url);
        owning.append(end).append(owns ? "t" : "f");
    }
    return run(lease, fold, after, names, labels, urls, owning).first([](const Row& row) {
        return LegacyFold{row.get<UserId>("owner_id"), row.get<int>("folded"),
                          row.get<int>("newly_left")};
    });
}

int count_legacy_entries(Lease& lease) { return run(lease, count_left).front().get<int>("count"); }

void add_legacy_entries(Lease& lease, const std::vector<LegacyEntry>& entries) {
    transact(lease, [&](Transaction& transaction) {
        for (const LegacyEntry& entry : entries)
            transaction.run(insert_entry, entry.owner, entry.id, entry.kind, entry.label,
                            entry.base_url, Bytes{entry.sealed.bytes()});
    });
}

std::vector<LegacyRow> list_legacy_entries(Lease& lease) {
    return run(lease, select_entries).all([](const Row& row) {
        return LegacyRow{row.get<std::string>("email"), row.get<std::string>("kind"),
                         row.get<std::string>("label"), row.get<std::string>("stays")};
    });
}

} // namespace usershell::store
