#include "pages/templates.hpp"

#include "base/ascii.hpp"
#include "domain/catalogue.hpp"
#include "domain/relay_routes.hpp"
#include "domain/rules.hpp"

#include <array>
#include <cstddef>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::pages {

namespace {

/// In the order of Page.
constexpr auto pages = std::to_array<std::string_view>(
    {"access", "app", "confirm", "error", "factor", "forgot", "login", "passkey", "playground",
     "profile", "providers", "recovery", "reset", "security", "token"});
static_assert(pages.size() == static_cast<std::size_t>(Page::token) + 1);

constexpr auto mails = std::to_array<MailTemplate>({
    {Mail::confirm_email, "confirm_email", "email-change", "Confirm your new address"_en},
    {Mail::email_changed, "email_changed", "email-changed", "Your address has been changed"_en},
    {Mail::password_reset, "password_reset", "password-reset", "Set a new password"_en},
    {Mail::invitation, "invitation", "invitation", "Choose your password"_en},
    {Mail::token_made, "token_made", "token-made", "An access token was made"_en},
    {Mail::token_ends, "token_ends", "token-ends", "An access token ends soon"_en},
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

namespace {

std::string search_types() {
    std::vector<std::string_view> words;
    for (const ProviderType& type : provider_types())
        if (type.is_search) words.push_back(type.value);
    return rules::joined(words, " ");
}

/// Those whose route tools may call.
std::string types_with(RelayRoute route) {
    std::vector<std::string_view> words;
    for (const ProviderType& type : provider_types())
        if (has_route(type, route)) words.push_back(type.value);
    return rules::joined(words, " ");
}

std::map<std::string, std::string> fixed_values() {
    std::map<std::string, std::string> values{
        {"ASSETS", asset_folder()},
        {"ENDINGS", rules::joined(pasted_endings(), " ")},
        {"DEFAULT_CAPABILITIES", std::string{rules::default_capabilities}},
        {"SEARCH_TYPES", search_types()},
        {"CHAT_TYPES", types_with(RelayRoute::chat)},
        {"MESSAGES_TYPES", types_with(RelayRoute::messages)}};
    for (const auto& [name, number] : rules::shared_rules().numbers)
        values.emplace(upper_ascii(name), std::to_string(number));
    for (const auto& [name, words] : rules::shared_rules().words)
        values.emplace(upper_ascii(name) + "_WORDS", rules::joined(words, ","));
    return values;
}

/// As the page adds them (section 4 of docs/contract.md).
std::string default_models_of(const ProviderType& type) {
    boost::json::array models;
    for (const DefaultModel& model : type.default_models)
        models.push_back(boost::json::object{{"modelId", model.id},
                                             {"displayName", model.name},
                                             {"capabilities", model.capabilities}});
    return boost::json::serialize(models);
}

web::PageData type_rows(const std::vector<std::string>& catalogue_base_urls) {
    web::PageData data;
    for (const ProviderType& type : provider_types()) {
        web::PageData& row = data.show("TYPE");
        row.set("VALUE", std::string{type.value});
        row.set("LABEL", std::string{type.label});
        row.set("BASE_URL", default_base_url(type, catalogue_base_urls));
        row.set("KEY_URL", std::string{type.key_url});
        row.set("DEFAULT_MODELS", default_models_of(type));
        if (type.owns_base_url) row.show("BASE_URL_OWNED");
        if (type.is_search) row.show("SEARCH");
        if (type.lists_models) row.show("LISTS_MODELS");
        if (type.streams) row.show("STREAMS");
        if (type.key_optional) row.set("NO_KEY", std::string{no_key});
    }
    return data;
}

} // namespace

web::Pages load_pages(const std::filesystem::path& folder,
                      const std::vector<std::string>& catalogue_base_urls, bool api) {
    const std::string types = "provider_types";
    web::FixedData fixed{.values = fixed_values(),
                         .parts = {{"PROVIDER_TYPES", {types, type_rows(catalogue_base_urls)}}}};
    if (api) fixed.shown.insert("ACCESS");
    return {folder, template_names(), std::move(fixed)};
}

} // namespace usershell::pages
