// The form that makes or changes an access token: as it was typed, the limits that it says, and how
// it is shown. Pure but for the clock and random bytes; any thread may call.
#pragma once

#include "base/ids.hpp"
#include "base/sentence.hpp"
#include "store/tokens/access_tokens.hpp"
#include "web/body.hpp"
#include "web/pages.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::auth {

/// Shown again after a refusal, with what was typed.
struct TokenForm {
    /// A new form, with the defaults and a new id.
    TokenForm();
    /// As it was sent.
    explicit TokenForm(const web::FormFields& fields);
    /// Of a token as it is, to be changed.
    explicit TokenForm(const store::AccessToken& token);

    AccessTokenId id; ///< of the token that the form makes, so that it makes one alone
    std::string name{};
    std::string life = "90"; ///< in days; "own" or empty: `days`; "keep": the end that there is
    std::string days = "90";
    std::string requests_a_minute = "60";
    std::string tokens_a_day{};
    std::set<std::string> providers{}; ///< ids; none: all that there are now
    bool later_providers = false;      ///< all that there will be, too
    std::string models{};              ///< a line each: handle, slash, id
    std::set<std::string> routes{};
    bool stored_objects = false;
    std::map<std::string, Sentence> errors{}; ///< by the template's section: "LABEL_ERROR"
};

/// The limits that the form asks for; null, with `errors`, when a field breaks a rule, or names a
/// provider or model that is not among the choices. `changed`: the token that the form changes. Its
/// limits may stay; without a tick it gets no provider more.
std::optional<store::TokenLimits> limits_of(TokenForm& form,
                                            const std::vector<store::TokenChoice>& choices,
                                            const store::AccessToken* changed = nullptr);

/// The limits of a token now, without its end.
store::TokenLimits limits_of(const store::AccessToken& token);

/// The form in the part templates/limits.tpl. `changed`: as above.
void show_form(web::PageData& data, const TokenForm& form,
               const std::vector<store::TokenChoice>& choices,
               const store::AccessToken* changed = nullptr);

/// That the secret before the last renewal is still good, if it is.
void show_old_secret(web::PageData& data, const store::AccessToken& token);

/// "2026-01-02", in UTC.
std::string day_of(Timestamp moment);

/// The boxes of a group that are ticked: "a" of the field "Providers.a", of the group "Providers".
std::set<std::string> ticked(const web::FormFields& fields, std::string_view group);

// Which of a person's models the ready settings for tools name. Pure; any thread may call.

/// The first model that a new token with these limits may use by that route ("chat", "responses",
/// "messages"), as tools name it; empty when there is none. One of a compatible endpoint, which may
/// lack the route, is named when there is no other. A model whose id has characters
/// that mean something to a shell or in a settings file is never named: a provider chooses the ids.
std::string model_for_tools(const std::vector<store::TokenChoice>& choices,
                            const store::TokenLimits& limits, std::string_view route);

} // namespace usershell::auth
