#include "app/pages/frame.hpp"

#include "app/pages/templates.hpp"
#include "crypto/token.hpp"

namespace usershell::app {

web::PageData frame(const std::optional<store::Caller>& caller, const std::string& title) {
    web::PageData data;
    data.say("TITLE", title);
    if (caller) {
        data.set("ANTIFORGERY", crypto::issue_antiforgery(caller->antiforgery_key));
        data.show("SIGNED_IN")
            .set("DISPLAY_NAME", caller->display_name)
            .set("EMAIL", caller->email)
            .set("USER_ID", caller->user.text());
    }
    return data;
}

} // namespace usershell::app
