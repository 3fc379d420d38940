// A JSON body, and what the playground reads of it.
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "execute/playground/playground_request.hpp"
#include "target.hpp"
#include "web/body.hpp"

namespace {

using namespace usershell;

// Each of the values takes up to a hundred bytes: as a member, and as a key that was seen.
constexpr std::size_t memory = rules::max_json_values * 400;

const store::CallProvider& provider() {
    static const store::CallProvider one{*ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002"),
                                         "",
                                         find_provider_type("openai"),
                                         BaseUrl::parse("https://api.example/v1"),
                                         true,
                                         false,
                                         {},
                                         {},
                                         {},
                                         {"m"},
                                         {"m"}};
    return one;
}

void run(std::string_view input) {
    web::JsonBody body;
    if (!fuzz::accepts([&] { body = web::JsonBody::parse(input); })) return;
    fuzz::require(is_utf8(input), "a body is UTF-8");
    for (const char* field : {"name", "modelId", "a"}) {
        fuzz::accepts([&] {
            const auto text = body.text(field).value_or("");
            fuzz::require(text.find('\0') == std::string::npos, "no text has a NUL");
        });
        fuzz::accepts([&] { body.integer(field); });
        fuzz::accepts([&] { body.number(field); });
        fuzz::accepts([&] { body.boolean(field); });
        fuzz::accepts([&] { body.objects(field); });
    }
    fuzz::accepts([&] {
        const auto sees = [](const std::string&) { return true; };
        const auto chat = execute::chat_of(execute::read_playground_request(body, input.size()),
                                           provider(), sees);
        fuzz::require(!chat.messages.empty() && chat.model == "m", "a chat has message and model");
        for (const auto& message : chat.messages)
            for (const auto& image : message.images)
                fuzz::require(image.data.size() % 4 == 0 &&
                                  message.images.size() <= rules::max_images,
                              "images are Base64, and few");
    });
}

const fuzz::Target target{"json_body", run, rules::max_large_json_body, memory};

} // namespace
