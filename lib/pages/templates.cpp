#include "pages/templates.hpp"

#include <array>
#include <cstddef>

namespace usershell::pages {
namespace {

/// In the order of Page.
constexpr auto pages =
    std::to_array<std::string_view>({"access", "confirm", "error", "forgot", "login", "playground",
                                     "profile", "providers", "reset", "security"});
static_assert(pages.size() == static_cast<std::size_t>(Page::security) + 1);

constexpr auto mails = std::to_array<MailTemplate>({
    {Mail::confirm_email, "confirm_email", "email-change", "Confirm your new address"_en},
    {Mail::email_changed, "email_changed", "email-changed", "Your address has been changed"_en},
    {Mail::password_reset, "password_reset", "password-reset", "Set a new password"_en},
    {Mail::invitation, "invitation", "invitation", "Choose your password"_en},
    {Mail::token_made, "token_made", "token-made", "An access token was made"_en},
    {Mail::security_event, "security_event", "security-event", "A change to your account"_en},
});

constexpr bool mails_stand_in_order() {
    for (std::size_t i = 0; i < mails.size(); ++i)
        if (static_cast<std::size_t>(mails.at(i).mail) != i) return false;
    return true;
}
static_assert(mails_stand_in_order());

} // namespace

std::string template_of(Page page) { return std::string{pages.at(static_cast<std::size_t>(page))}; }

std::string MailTemplate::text() const { return "mail/" + std::string{name} + ".text"; }
std::string MailTemplate::html() const { return "mail/" + std::string{name} + ".html"; }

const MailTemplate& template_of(Mail mail) { return mails.at(static_cast<std::size_t>(mail)); }

std::vector<std::string> template_names() {
    std::vector<std::string> names{pages.begin(), pages.end()};
    for (const MailTemplate& mail : mails) {
        names.push_back(mail.text());
        names.push_back(mail.html());
    }
    return names;
}

} // namespace usershell::pages
