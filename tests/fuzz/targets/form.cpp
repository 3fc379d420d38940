// A URL-encoded body.
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "target.hpp"
#include "web/body.hpp"
#include "web/header_value.hpp"

namespace {

using namespace usershell;

void run(std::string_view input) {
    web::FormFields fields;
    if (!fuzz::accepts([&] { fields = web::parse_form(input); })) return;
    std::size_t size = 0;
    for (const auto& [name, value] : fields) {
        size += name.size() + value.size();
        fuzz::require(web::is_form_text(name) && web::is_form_text(value), "fields are text");
    }
    fuzz::require(size <= input.size(), "fields are no longer than the body");
}

const fuzz::Target target{"form", run, rules::max_form_body};

} // namespace
