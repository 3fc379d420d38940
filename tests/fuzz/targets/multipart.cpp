// A multipart body: the Content-Type, a NUL, the body.
#include "domain/rules.hpp"
#include "target.hpp"
#include "web/body.hpp"
#include "web/header_value.hpp"

namespace {

using namespace usershell;

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto content_type = from.piece();
    const auto body = from.rest();
    web::Form form;
    if (!fuzz::accepts([&] { form = web::parse_multipart(content_type, body); })) return;
    for (const auto& [name, value] : form.fields)
        fuzz::require(web::is_form_text(name) && web::is_form_text(value), "fields are text");
    for (const auto& [name, bytes] : form.files)
        fuzz::require(bytes.empty() || (bytes.data() >= body.data() &&
                                        bytes.data() + bytes.size() <= body.data() + body.size()),
                      "a file is a part of the body");
}

const fuzz::Target target{"multipart", run, rules::max_multipart_body};

} // namespace
