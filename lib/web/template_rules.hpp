// The rules of a template's text, checked before it is loaded: ctemplate escapes nothing without
// its pragma, and knows nothing of attributes younger than HTML 4. Pure; any thread may call it.
#pragma once

#include <string>
#include <string_view>

namespace usershell::web {

/// "mail/confirm_email.text": plain text, where nothing is escaped.
bool is_text_template(std::string_view name);

/// Throws Error with a sentence that names the template.
/// HTML: begins with `{{%AUTOESCAPE context="HTML"}}`; no other pragma, no change of delimiters, no
/// modifier
/// (`{{X:none}}`), no include but `{{>CONTENT}}` of "layout", no value inside formaction, srcdoc or
/// xlink:href (ctemplate would let `javascript:` pass there). Text: no pragma, no change of
/// delimiters, no include, no HTML tags.
void check_template(const std::string& name, std::string_view text);

} // namespace usershell::web
