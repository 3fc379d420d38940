#include "store/users/links.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement list{
    "open_links", by_auth, {"SELECT kind, made_at, expires_at FROM usershell.open_links()"}};

const Statement end_one{"end_link", by_auth, {"SELECT usershell.end_link($1)"}};

} // namespace

std::vector<OpenLink> open_links(Lease& lease) {
    return run(lease, list).all([](const Row& row) {
        return OpenLink{row.get<std::string>("kind"), row.get<Timestamp>("made_at"),
                        row.get<Timestamp>("expires_at")};
    });
}

void end_link(Lease& lease, const std::string& kind) { write(lease, end_one, kind); }

} // namespace usershell::store
