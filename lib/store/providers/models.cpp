#include "store/providers/models.hpp"

#include "domain/rules.hpp"
#include "store/providers/provider_parts.hpp"

namespace usershell::store {

namespace {

constexpr std::string_view columns = "model_id, display_name, capabilities, is_enabled, position";

constexpr std::string_view where = "WHERE owner_id = $1 AND provider_id = $2 AND model_id = $3";

const Statement select_model{
    "find_model", by_manage, {"SELECT", columns, "FROM usershell.models", where}};

const Statement insert{"add_model",
                       by_manage,
                       {R"sql(
INSERT INTO usershell.models (owner_id, provider_id, model_id, display_name, capabilities, position)
SELECT $1::uuid, $2::uuid, $3, $4, $5, coalesce(max(position), 0) + 1
FROM usershell.models WHERE owner_id = $1 AND provider_id = $2
HAVING count(*) < $6
RETURNING)sql",
                        columns},
                       "This provider has a model of that id already."_en};

const Statement update_enabled{
    "set_model_enabled",
    by_manage,
    {"UPDATE usershell.models SET is_enabled = coalesce($4, NOT is_enabled)", where, "RETURNING",
     columns}};

const Statement update_name{
    "set_model_name",
    by_manage,
    {"UPDATE usershell.models SET display_name = $4", where, "RETURNING", columns}};

const Statement update_capabilities{
    "set_model_capabilities",
    by_manage,
    {"UPDATE usershell.models SET capabilities = $4", where, "RETURNING", columns}};

const Statement remove{"delete_model", by_manage, {"DELETE FROM usershell.models", where}};

/// A text that can't be stored names no model.
const std::string& id_of_model(const std::string& model_id) {
    if (!is_storable(model_id)) throw not_found();
    return model_id;
}

} // namespace

Model model_of(const Row& row) {
    return {.model_id = row.get<std::string>("model_id"),
            .display_name = row.get<std::string>("display_name"),
            .capabilities = row.get<std::string>("capabilities"),
            .is_enabled = row.get<bool>("is_enabled"),
            .position = row.get<int>("position")};
}

bool has_model(Lease& lease, const UserId& owner, const ProviderId& provider,
               const std::string& model_id) {
    return is_storable(model_id) && !run(lease, select_model, owner, provider, model_id).empty();
}

Model insert_model(Transaction& transaction, const UserId& owner, const ProviderId& provider,
                   const NewModel& model) {
    Rows added = transaction.run(insert, owner, provider, model.model_id, model.display_name,
                                 model.capabilities, rules::max_models);
    if (added.empty()) throw cap_reached("models"_en, rules::max_models);
    return model_of(added.front());
}

Model add_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                const NewModel& model) {
    return transact(lease, [&](Transaction& transaction) {
        if (transaction.in_doubt()) {
            Rows added = transaction.run(select_model, owner, provider, model.model_id);
            if (!added.empty()) return model_of(added.front());
        }
        lock_provider(transaction, owner, provider);
        return insert_model(transaction, owner, provider, model);
    });
}

Model set_model_name(Lease& lease, const UserId& owner, const ProviderId& provider,
                     const std::string& model_id, const std::string& display_name) {
    return changed_row(
        write(lease, update_name, owner, provider, id_of_model(model_id), display_name), model_of);
}

Model set_model_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                        const std::string& model_id, std::optional<bool> enabled) {
    return set_enabled(lease, enabled, model_of, update_enabled, owner, provider,
                       id_of_model(model_id));
}

Model set_model_capabilities(Lease& lease, const UserId& owner, const ProviderId& provider,
                             const std::string& model_id, const std::string& capabilities) {
    return changed_row(
        write(lease, update_capabilities, owner, provider, id_of_model(model_id), capabilities),
        model_of);
}

void delete_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                  const std::string& model_id) {
    if (!run_delete(lease, remove, owner, provider, id_of_model(model_id))) throw not_found();
}

} // namespace usershell::store
