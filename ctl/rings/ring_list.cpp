#include "crypto/ring/files.hpp"
#include "ctl/command.hpp"
#include "ctl/operator_store.hpp"
#include "ctl/table.hpp"
#include "store/rings.hpp"

namespace usershell::ctl {

void ring_list(const Settings& settings, Arguments& arguments) {
    Table table{arguments,
                {{"ring"},
                 {"id"},
                 {"created"},
                 {"state"},
                 {"keys", "", " keys"},
                 {"legacy", "", " legacy entries"},
                 {"mails", "", " mails"},
                 {"avatars", "", " avatars"}}};
    arguments.finish();
    OperatorStore store{settings};
    auto uses = store::ring_uses(store);
    const auto add = [&table](std::string ring, std::string id, Cell created, std::string state,
                              const store::RingUses& count) {
        table.add({std::move(ring), std::move(id), std::move(created), std::move(state), count.keys,
                   count.legacy, count.mails, count.avatars});
    };
    for (const auto role : crypto::all_ring_roles) {
        for (const auto& key : crypto::RingFiles{role, settings.rings}.keys()) {
            add(std::string{crypto::name_of(role)}, key.id.text(), key.created,
                key.active ? "active" : "kept", uses[key.id.text()]);
            uses.erase(key.id.text());
        }
    }
    for (const auto& [id, count] : uses) add("?", id, {}, "not in the files", count);
    table.print();
}

} // namespace usershell::ctl
