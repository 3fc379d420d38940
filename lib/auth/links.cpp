#include "auth/security.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "pipeline/page.hpp"
#include "store/users/links.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace usershell::auth {
namespace {

struct LinkKind {
    std::string_view kind; ///< as store::OpenLink has it
    English what;
    pipeline::Notice ended;
};

constexpr auto link_kinds = std::to_array<LinkKind>({
    {"password-reset", "A link that sets a new password"_en, pipeline::Notice::link_ended},
    {"invitation", "A link to choose a password, from the operator"_en,
     pipeline::Notice::link_ended},
    {"email-change", "A link that changes your address"_en,
     pipeline::Notice::email_change_cancelled},
});

const LinkKind* find_kind(std::string_view kind) {
    const auto* const found = std::ranges::find(link_kinds, kind, &LinkKind::kind);
    return found == link_kinds.end() ? nullptr : found;
}

} // namespace

void show_links(pipeline::RequestContext& context, web::PageData& data) {
    for (const store::OpenLink& link : store::open_links(context.lease)) {
        if (!data.sections.contains("LINKS")) data.show("LINKS");
        web::PageData& row = data.sections["LINKS"].front().show("LINK");
        const LinkKind* const known = find_kind(link.kind);
        row.set("KIND", link.kind);
        row.say("WHAT", known == nullptr ? Sentence::read(link.kind) : Sentence{known->what});
        row.set("MADE", rfc3339_seconds(link.made_at)).set("MADE_TEXT", readable(link.made_at));
        row.set("ENDS", rfc3339_seconds(link.expires_at));
        row.set("ENDS_TEXT", readable(link.expires_at));
    }
    if (!data.sections.contains("LINKS")) data.show("NO_LINK");
}

web::Response end_link(Services&, pipeline::RequestContext& context) {
    const LinkKind* const known = find_kind(context.parameters.find("kind")->second);
    if (known == nullptr) throw not_found();
    store::end_link(context.lease, std::string{known->kind});
    log(Level::notice, "mailed link ended", {{"user", context.user().text()}});
    return pipeline::see_other(security_path, known->ended);
}

} // namespace usershell::auth
