#include "verdict.hpp"

#include "base/text.hpp"
#include "browser.hpp"
#include "expected.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace usershell::test {

namespace {

constexpr std::size_t shortest_secret = 6; ///< a shorter one may stand in a text by chance
constexpr std::size_t shown = 600;

/// The values of the header, one a line that has it.
std::vector<std::string> header_values(const web::Response& response, const std::string& name) {
    std::vector<std::string> values;
    for (const auto& [found, value] : response.headers) {
        if (lower_ascii(found) == lower_ascii(name)) values.push_back(value);
    }
    return values;
}

std::string header_value(const web::Response& response, const std::string& name) {
    const auto values = header_values(response, name);
    return values.empty() ? std::string{} : values.front();
}

std::string told(const web::Response& response) {
    std::string text = std::to_string(response.status);
    if (const auto location = header_value(response, "Location"); !location.empty())
        text += " to " + location;
    return response.body.empty() ? text : text + ": " + response.body.substr(0, shown);
}

bool holds_secret(std::string_view text, const std::set<std::string>& secrets) {
    return std::ranges::any_of(secrets, [&](const std::string& secret) {
        return secret.size() >= shortest_secret && text.find(secret) != std::string_view::npos;
    });
}

struct Kind {
    std::string_view begins;
    std::string_view type;
};

constexpr std::array<Kind, 4> kinds{{{"{", "application/json; charset=utf-8"},
                                     {"<!doctype html>", "text/html; charset=utf-8"},
                                     {"data: ", "text/event-stream; charset=utf-8"},
                                     {": ", "text/event-stream; charset=utf-8"}}};

void check_type(const Place& place, const web::Response& response) {
    const std::string body = trim(response.body);
    const std::string type = header_value(response, "Content-Type");
    if (body.empty() && type.empty()) return;
    const auto* const kind = std::ranges::find_if(
        kinds, [&](const Kind& each) { return body.starts_with(each.begins); });
    if (kind == kinds.end()) fail(place, "The body is of no known kind: " + told(response));
    if (type != kind->type) fail(place, "The Content-Type is \"" + type + "\": " + told(response));
}

boost::json::value parsed(const Place& place, const web::Response& response) {
    boost::json::error_code failure;
    auto value = boost::json::parse(response.body, failure);
    if (failure) fail(place, "The answer is not JSON: " + told(response));
    return value;
}

void check_json(const Place& place, const boost::json::value& expected,
                const web::Response& response) {
    if (const auto found = difference(expected, parsed(place, response)))
        fail(place, *found + ". The answer: " + told(response));
}

void check_error(const Place& place, const std::string& words, const web::Request& request,
                 const web::Response& response) {
    const auto space = std::min(words.find(' '), words.size());
    boost::json::object expected{
        {"error", "<text>"}, {"code", words.substr(0, space)}, {"requestId", request.id}};
    if (space < words.size()) expected["field"] = trim(words.substr(space));
    check_json(place, expected, response);
}

void check_error_page(const Place& place, const web::Request& request,
                      const web::Response& response) {
    for (const std::string& text : {request.id, std::to_string(response.status)}) {
        if (response.body.find(text) == std::string::npos)
            fail(place, "The error page does not say " + text + ": " + told(response));
    }
    if (!trim(response.body).starts_with("<!doctype html>"))
        fail(place, "This is no page: " + told(response));
}

void check_words(const Place& place, const std::string& words, const web::Request& request,
                 const web::Response& response) {
    if (words.empty()) return;
    if (words.starts_with('/')) {
        if (!glob(words, header_value(response, "Location")))
            fail(place, "The redirect leads elsewhere: " + told(response));
    } else if (words == "page") {
        check_error_page(place, request, response);
    } else {
        check_error(place, words, request, response);
    }
}

void check_headers(const Expecting& expect, const web::Response& response,
                   const Variables& variables) {
    for (const Text& line : expect.headers) {
        const std::string text = variables.fill(line.place, line.text);
        const auto colon = text.find(':');
        if (colon == std::string::npos) fail(line.place, "A header is NAME: VALUE.");
        const std::string pattern = trim(text.substr(colon + 1));
        const auto values = header_values(response, text.substr(0, colon));
        const bool found = std::ranges::any_of(
            values, [&](const std::string& value) { return glob(pattern, value); });
        if (!found) {
            std::string seen;
            for (const auto& value : values) seen += " \"" + value + "\"";
            fail(line.place,
                 "No header like \"" + text + "\" but" + (seen.empty() ? " none" : seen) + ".");
        }
    }
    for (const Text& line : expect.absent) {
        if (!header_values(response, line.text).empty())
            fail(line.place, "The header " + line.text + " is there.");
    }
}

void check_texts(const Expecting& expect, const web::Response& response,
                 const Variables& variables) {
    for (const Text& line : expect.contains) {
        if (response.body.find(variables.fill(line.place, line.text)) == std::string::npos)
            fail(line.place, "This is missing in the answer: " + told(response));
    }
    for (const Text& line : expect.lacks) {
        if (response.body.find(variables.fill(line.place, line.text)) != std::string::npos)
            fail(line.place, "This stands in the answer: " + told(response));
    }
    if (expect.empty && !response.body.empty())
        fail(expect.place, "The body is not empty: " + told(response));
}

boost::json::value expected_json(const Text& json, const Variables& variables) {
    try {
        return parse_expected(variables.fill(json.place, json.text));
    } catch (const std::invalid_argument& error) {
        fail(json.place, error.what());
    }
}

} // namespace

void check_manners(const Place& place, const web::Response& response, const Secrets& secrets) {
    bool leaks = holds_secret(response.body, secrets.keys_and_passwords) ||
                 holds_secret(response.body, secrets.session_tokens);
    for (const auto& [name, value] : response.headers) {
        leaks = leaks || holds_secret(value, secrets.keys_and_passwords) ||
                (name != "Set-Cookie" && holds_secret(value, secrets.session_tokens));
    }
    if (leaks) fail(place, "A key, a password or a session's token stands in the answer.");
    if (header_values(response, "Cache-Control") != std::vector<std::string>{"no-store"})
        fail(place, "The answer may be cached: " + told(response));
    const bool bodiless = response.status == 204 || response.status / 100 == 3;
    if (bodiless && !response.body.empty())
        fail(place, "This should have no body: " + told(response));
    check_type(place, response);
}

void check_answer(const Expecting& expect, const web::Request& request,
                  const web::Response& response, const Variables& variables) {
    if (response.status != expect.status) {
        fail(expect.place,
             "The status is not " + std::to_string(expect.status) + " but " + told(response));
    }
    check_words(expect.place, variables.fill(expect.place, expect.words), request, response);
    check_headers(expect, response, variables);
    if (expect.json)
        check_json(expect.json->place, expected_json(*expect.json, variables), response);
    check_texts(expect, response, variables);
}

std::string saved_value(const Saving& saving, const web::Response& response,
                        const Variables& variables) {
    const std::string what = variables.fill(saving.place, saving.what);
    std::optional<std::string> value;
    if (saving.source == "json") value = value_at(parsed(saving.place, response), what);
    if (saving.source == "token") value = page_token(response.body);
    if (saving.source == "cookie") value = set_cookie_value(response, what);
    if (!value) fail(saving.place, "There is nothing to save in the answer: " + told(response));
    return *value;
}

} // namespace usershell::test
