#include "store/models.hpp"

#include "base/error.hpp"
#include "base/rules.hpp"
#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/documents.hpp"
#include "store/parent.hpp"
#include "store/providers.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement select_model{
    "find_model",
    by_manage,
    {"SELECT", model_json,
     "FROM usershell.models m WHERE m.owner_id = $1 AND m.provider_id = $2 AND m.model_id = $3"}};

constexpr Statement insert_model{"add_model",
                                 by_manage,
                                 {R"sql(
INSERT INTO usershell.models AS m
    (owner_id, provider_id, model_id, display_name, capabilities, position)
SELECT $1::uuid, $2::uuid, $3, $4, $5, coalesce(max(position), 0) + 1
FROM usershell.models WHERE owner_id = $1 AND provider_id = $2
HAVING count(*) < $6
RETURNING)sql",
                                  model_json},
                                 "This provider has a model of that id already."};

constexpr Statement update_enabled{"set_model_enabled",
                                   by_manage,
                                   {R"sql(
UPDATE usershell.models m SET is_enabled = coalesce($4, NOT m.is_enabled)
WHERE m.owner_id = $1 AND m.provider_id = $2 AND m.model_id = $3
RETURNING)sql",
                                    model_json, ", m.is_enabled"}};

constexpr Statement update_capabilities{"set_model_capabilities",
                                        by_manage,
                                        {R"sql(
UPDATE usershell.models m SET capabilities = $4
WHERE m.owner_id = $1 AND m.provider_id = $2 AND m.model_id = $3
RETURNING)sql",
                                         model_json}};

constexpr Statement remove{
    "delete_model",
    by_manage,
    {"DELETE FROM usershell.models WHERE owner_id = $1 AND provider_id = $2 AND model_id = $3"}};

/// A text that can't be stored names no model.
const std::string& name_of_model(const std::string& model_id) {
    if (!is_storable(model_id)) throw not_found();
    return model_id;
}

} // namespace

StatementList model_statements() {
    static constexpr std::array list{&select_model, &insert_model, &update_enabled,
                                     &update_capabilities, &remove};
    return list;
}

std::string add_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                      const NewModel& model) {
    return transact(lease, [&](Transaction& transaction) {
        if (transaction.in_doubt()) {
            const auto added = transaction.run(select_model, owner, provider, model.model_id);
            if (!added.empty()) return document_of(added);
        }
        lock_provider(transaction, owner, provider);
        const auto rows =
            transaction.run(insert_model, owner, provider, model.model_id, model.display_name,
                            model.capabilities, rules::max_models);
        if (rows.empty()) throw cap_reached("models", rules::max_models);
        return document_of(rows);
    });
}

std::string set_model_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                              const std::string& model_id, std::optional<bool> enabled) {
    return set_enabled(lease, enabled, update_enabled, owner, provider, name_of_model(model_id));
}

std::string set_model_capabilities(Lease& lease, const UserId& owner, const ProviderId& provider,
                                   const std::string& model_id, const std::string& capabilities) {
    return document_of(
        run(lease, update_capabilities, owner, provider, name_of_model(model_id), capabilities));
}

void delete_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                  const std::string& model_id) {
    if (!run_delete(lease, remove, owner, provider, name_of_model(model_id))) throw not_found();
}

bool has_model(Lease& lease, const UserId& owner, const ProviderId& provider,
               const std::string& model_id) {
    return is_storable(model_id) && !run(lease, select_model, owner, provider, model_id).empty();
}

} // namespace usershell::store
