// What clients send: records of FastCGI, query, cookies and headers, bodies of each form.
#include "auth/cookies.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "execute/playground/playground_request.hpp"
#include "execute/relay/relay_body.hpp"
#include "fcgi/libfcgi.hpp"
#include "fcgi/response.hpp"
#include "manage/conditional.hpp"
#include "net/http_head.hpp"
#include "opener/wire/protocol.hpp"
#include "runtime/descriptor.hpp"
#include "target.hpp"
#include "web/body.hpp"
#include "web/header_value.hpp"
#include "web/language.hpp"
#include "web/router.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include <boost/json/parse.hpp>
#include <sys/socket.h>

namespace {

using namespace usershell;

// A worker's socket: records, parameters, and the request that they become. After a first byte of 0
// the input is sent as it is; else it is the parameters of proper records.
namespace fastcgi {

constexpr fcgi::RecordLimits limits{.max_body = rules::max_form_body,
                                    .timeout = std::chrono::seconds{20}};
constexpr std::size_t largest = 96UL * 1024; // more does not fit into a socket at once
// A parameter of four bytes is kept as a view of 32, and a header in a node of its own. nginx sends
// a thousand at most.
constexpr std::size_t memory = std::size_t{4} * 1024 * 1024;
constexpr std::size_t max_record = 65'528;

void add_record(std::string& records, char type, std::string_view content) {
    const auto size = content.size();
    records +=
        {'\1', type, '\0', '\1', static_cast<char>(size >> 8U), static_cast<char>(size & 0xffU),
         '\0', '\0'};
    records += content;
}

std::string records_of(std::string_view params) {
    std::string records;
    add_record(records, 1, {"\0\1\0\0\0\0\0\0", 8});
    for (; !params.empty(); params.remove_prefix(std::min(params.size(), max_record)))
        add_record(records, 4, params.substr(0, max_record));
    add_record(records, 4, {});
    add_record(records, 5, {});
    return records;
}

std::optional<fcgi::RequestRecords> received(std::string_view bytes, bool may_be_late) {
    std::array<int, 2> ends{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "there is a socket");
    const Descriptor receiver{ends[0]};
    Descriptor sender{ends[1]};
    const auto sent = ::send(sender.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    fuzz::require(sent == static_cast<ssize_t>(bytes.size()), "the socket takes the input");
    sender.reset();
    std::optional<fcgi::RequestRecords> records;
    fuzz::accepts([&] {
        records =
            fcgi::read_request(receiver.get(), limits, [&](auto, auto) { return may_be_late; });
    });
    return records;
}

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto mode = from.byte();
    const bool is_raw = mode % 2 == 0;
    auto records = received(is_raw ? std::string{from.rest()} : records_of(from.rest()), mode > 1);
    if (!records) return;
    std::size_t of_params = 0;
    for (const auto& [name, value] : records->params) {
        if (name != "FCGI_ROLE") of_params += name.size() + value.size(); // libfcgi adds that one
        fuzz::require(!name.empty(), "a parameter has a name");
        fuzz::require((name.find('\0') & value.find('\0')) == std::string_view::npos,
                      "no parameter has a NUL");
    }
    fuzz::require(of_params <= input.size(), "parameters are parts of what came");
    web::Request request;
    if (!fuzz::accepts([&] { fcgi::fill_request(request, *records); })) return;
    fuzz::require(request.path.starts_with('/'), "a path begins with a slash");
    fuzz::require(request.path.find('?') == std::string::npos, "a path ends before the query");
    fuzz::require(!request.header("x-request-id"), "a client does not choose the request's id");
}

const fuzz::Target target{"fastcgi", run, largest, memory};

} // namespace fastcgi

// Query, cookies and headers of a request. Pieces parted by a NUL: path, query, Cookie, Accept,
// Accept-Language, Content-Type, If-None-Match.
namespace request {

const std::vector<web::Language>& languages() {
    static const std::vector<web::Language> all = [] {
        std::vector<web::Language> two(1);
        two.emplace_back(USERSHELL_SOURCE_DIR "/templates/languages/de.json");
        return two;
    }();
    return all;
}

web::Request request_of(std::string_view input) {
    fuzz::Input from{input};
    web::Request request;
    request.path = from.piece();
    request.query = from.piece();
    for (const char* name : {"cookie", "accept", "accept-language", "content-type"})
        request.headers.emplace(name, from.piece());
    request.headers.emplace("if-none-match", from.rest());
    return request;
}

void check_cookies(const web::Request& request) {
    const auto value = request.cookie("language");
    fuzz::require(!value || value->find(';') == std::string_view::npos, "a cookie ends at its end");
    const auto code = web::preferred_language(request, languages());
    fuzz::require(code == "en" || code == "de", "a page has a language that there is");
    const store::StampedUser who{*UserId::parse("5f6f1c0e-0000-4000-8000-000000000001"), "stamp"};
    auth::visitor_antiforgery_key(fuzz::rings().auth_secret, request);
    fuzz::require(!auth::known_device(fuzz::rings().auth_secret, request, who),
                  "nobody makes a device's cookie");
}

void check_header(std::string_view text) {
    const auto value = web::parse_header_value(text);
    if (!value) return;
    fuzz::require(web::main_value(value->main) == value->main, "a media type is canonical");
}

void run(std::string_view input) {
    const auto request = request_of(input);
    for (const char* name : {"token", "a"}) {
        const auto value = request.query_value(name);
        fuzz::require(!value || web::is_form_text(*value), "a query's value is text");
    }
    check_cookies(request);
    check_header(request.header("content-type").value_or(""));
    check_header(request.header("accept").value_or(""));
    request.asks_for("application/json");
    manage::names_tag(request, "\"tag\"");
    web::PathParameters parameters;
    if (web::match_path("/user/{id}/models/{model}", request.path, parameters))
        fuzz::require(parameters.size() == 2 && request.path == "/user/" + parameters["id"] +
                                                                    "/models/" +
                                                                    parameters["model"],
                      "a path is its pattern with its parameters");
}

// nginx takes four header lines of 8 KiB each.
const fuzz::Target target{"request", run, std::size_t{32} * 1024};

} // namespace request

// A URL-encoded body.
namespace form {

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

} // namespace form

// A multipart body: the Content-Type, a NUL, the body.
namespace multipart {

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

} // namespace multipart

// A JSON body, and what the playground reads of it.
namespace json_body {

// Each of the values takes up to a hundred bytes: as a member, and as a key that was seen.
constexpr std::size_t memory = rules::max_json_values * 400;

const opener::CallProvider& provider() {
    static const opener::CallProvider one{
        *ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002"),
        "",
        find_provider_type("openai"),
        "https://api.example/v1",
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

} // namespace json_body

// A tool's request: wherever Boost.JSON finds one model, the scanner finds the same, or refuses.
namespace relay_body {

namespace json = boost::json;
/// How many members of the top are called so, in this very spelling.
std::ptrdiff_t count_of(const json::object& object, std::string_view name) {
    return std::ranges::count_if(object, [&](const auto& member) { return member.key() == name; });
}

/// Does that member refer to nothing?
bool is_empty(const json::value& value) {
    return value.is_null() || value == json::value{false} || value == json::value{""} ||
           (value.is_array() && value.get_array().empty());
}

void run(std::string_view input) {
    for (const auto route : {RelayRoute::chat, RelayRoute::responses})
        for (const bool is_limited : {false, true}) {
            const opener::BodyLimits token{.may_use_stored_objects = !is_limited,
                                           .has_model_limit = is_limited};
            execute::RelayBody read;
            if (!fuzz::accepts([&] {
                    read = execute::read_relay_body(input, route);
                    execute::require_allowed(read, token);
                }))
                continue;
            json::error_code failure;
            json::parse_options options;
            options.max_depth = rules::max_relay_depth + 1;
            const auto name =
                json::parse(input.substr(read.model_at, read.model_size), failure, {}, options);
            fuzz::require(!failure && name.is_string() &&
                              std::string_view{name.get_string()} == read.model,
                          "the place of the model has its JSON string");
            const auto body = json::parse(input, failure, {}, options);
            if (failure || !body.is_object()) continue; // a provider refuses it
            const auto& object = body.get_object();
            if (const auto* const model = object.if_contains("model"))
                fuzz::require(*model == name && count_of(object, "model") == 1,
                              "another parser finds the same model");
            for (const char* const member : {"models", "fallbacks", "previous_response_id"})
                fuzz::require(!is_limited || !object.contains(member) ||
                                  is_empty(object.at(member)),
                              "a limited token has no such member");
        }
}

const fuzz::Target target{"relay_body", run, rules::max_large_json_body,
                          std::size_t{16} * 1024 * 1024};

} // namespace relay_body

// A body of a tool that was pressed, and an answer in pieces. The first byte chooses the coding.
namespace content_coding {

constexpr std::size_t most = std::size_t{256} * 1024;

void run_in_pieces(fuzz::Input from) {
    const std::size_t step = from.byte() + 1;
    const auto decoder = net::ContentDecoder::of("br");
    std::size_t given = 0;
    const auto count = [&](std::string_view part) {
        given += part.size();
        return given <= most;
    };
    for (auto rest = from.rest(); !rest.empty(); rest.remove_prefix(std::min(step, rest.size())))
        if (!decoder->take(rest.substr(0, step), count)) break;
    fuzz::require(given <= most + std::size_t{16} * 1024, "nothing follows a refusal");
}

void run_whole(std::size_t chosen, fuzz::Input from) {
    constexpr execute::ContentCoding codings[] = {execute::ContentCoding::gzip,
                                                  execute::ContentCoding::deflate,
                                                  execute::ContentCoding::zstd};
    const auto coding = codings[chosen % std::size(codings)];
    std::size_t asked = 0;
    std::string text;
    const auto decode = [&] {
        text = execute::decoded(from.rest(), coding, most, [&](std::size_t bytes) {
            asked = std::max(asked, bytes);
            return true;
        });
    };
    if (!fuzz::accepts(decode)) return;
    fuzz::require(text.size() <= most && text.size() <= asked, "it is within its bounds");
}

void run(std::string_view input) {
    fuzz::Input from{input};
    const std::size_t chosen = from.byte();
    if (chosen == 0xff)
        run_in_pieces(from);
    else
        run_whole(chosen, from);
}

// The windows of zlib, zstd and br have 32 KiB, 8 MiB and 16 MiB, and there is some output besides.
const fuzz::Target target{"content_coding", run, std::size_t{64} * 1024,
                          std::size_t{18} * 1024 * 1024};

} // namespace content_coding

// What usershell-opener reads of usershell-execute: whatever is taken is written as the same bytes,
// so no two of them mean one question.
namespace opener_question {

void run(std::string_view input) {
    std::optional<opener::Question> question;
    if (!fuzz::accepts([&] { question = opener::read_question(input); })) return;
    std::size_t bytes = 0; // the values that are as the store takes bytes
    if (question->statement == store::CallStatement::begin_call) bytes = 1;
    if (question->statement == store::CallStatement::begin_token_call) bytes = 2;
    for (auto& value : std::span{question->values}.first(bytes)) value = store::bytes_of(*value);
    fuzz::require(input == std::string_view{opener::encoded(*question)}, "a question has one form");
}

const fuzz::Target target{"opener_question", run, opener::max_question};

} // namespace opener_question

} // namespace
