#include "script.hpp"

#include "base/text.hpp"
#include "expected.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::test {

namespace {

constexpr const char* session = "__Host-usershell-session";
constexpr const char* token_field = "__RequestVerificationToken";
constexpr const char* form_type = "application/x-www-form-urlencoded";

/// Every run has its own: people and requests of all cases share one store.
std::string fresh_number() {
    static std::atomic<int> last{0};
    return std::to_string(++last);
}

/// A client's, of a /64 of its own.
std::string fresh_address() {
    static std::atomic<int> last{0};
    return "2001:db8:" + std::to_string(++last) + "::1";
}

std::pair<std::string, std::string> split_at(const std::string& text, std::string_view mark) {
    const auto at = text.find(mark);
    if (at == std::string::npos) return {text, {}};
    return {text.substr(0, at), text.substr(at + mark.size())};
}

std::string capitalised(std::string name) {
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return name;
}

/// The body of a `given`, with the case's own members over it.
std::string with_members(const Place& place, boost::json::object body, const std::string& members) {
    if (!members.empty()) {
        boost::json::error_code failure;
        const auto own = boost::json::parse(members, failure);
        if (failure || !own.is_object())
            fail(place, "What is given after the name must be a JSON object.");
        for (const auto& [name, value] : own.get_object()) body[name] = value;
    }
    return boost::json::serialize(body);
}

/// The token as the first member of a JSON body.
std::string with_json_token(std::string_view body, const std::string& token) {
    const std::string member = std::string{"{\""} + token_field + "\": \"" + token + "\"";
    const auto open = body.find('{');
    if (open == std::string_view::npos) return member + "}";
    const bool bare = trim(body.substr(open + 1)).starts_with('}');
    return member + (bare ? "" : ", ") + std::string{body.substr(open + 1)};
}

std::string joined(std::string_view before, const std::string& token) {
    return std::string{before} + (before.empty() ? "" : "&") + token_field + "=" + token;
}

std::string usual_type(std::string_view body) {
    if (body.empty()) return {};
    return body.starts_with('{') || body.starts_with('[') ? "application/json" : form_type;
}

/// Keys that the body carries: no answer may ever hold them.
void note_keys(std::string_view body, Secrets& secrets) {
    boost::json::error_code failure;
    const auto document = boost::json::parse(body, failure);
    if (failure || !document.is_object()) return;
    const auto key = value_at(document, "apiKey");
    if (key) secrets.keys_and_passwords.insert(trim(*key));
}

} // namespace

Script::Script(Site& site) : site_{site}, client_address_{fresh_address()} {
    variables_.set("origin", site.origin());
    variables_.set("closed", site.closed_address());
}

void Script::run(const Case& steps) {
    for (const auto& step : steps.steps) {
        std::visit([this](const auto& each) { run(each); }, step);
    }
}

void Script::run(const Command& command) {
    const std::string rest = variables_.fill(command.place, command.rest);
    const auto [first, second] = split_at(rest, " ");
    if (command.verb == "as") become(command.place, rest);
    if (command.verb == "given") give(command.place, rest);
    if (command.verb == "sql") site_.sql(rest);
    if (command.verb == "hold") {
        const auto known = users_.find(split_at(current_, "/").first);
        if (known == users_.end() || second != "calls")
            fail(command.place, "`hold N calls`, as somebody");
        site_.hold_calls(known->second.email, std::stoi(first));
    }
    if (command.verb == "differ" || command.verb == "same") {
        const bool alike = variables_.fill(command.place, "${" + first + "}") ==
                           variables_.fill(command.place, "${" + second + "}");
        if (alike != (command.verb == "same"))
            fail(command.place, rest + (alike ? " do not differ." : " differ."));
    }
}

void Script::run(const Exchange& exchange) {
    if (!exchange.table) return exchange_once(exchange);
    const Table& table = *exchange.table;
    for (const auto& row : table.rows) {
        std::string told;
        for (std::size_t i = 0; i < row.size(); ++i) {
            variables_.set(table.columns[i], variables_.fill(exchange.send.place, row[i]));
            told += (told.empty() ? "" : ", ") + table.columns[i] + " = " + row[i];
        }
        try {
            exchange_once(exchange);
        } catch (const CaseFailure& failure) {
            throw CaseFailure{std::string{failure.what()} + " (with " + told + ")"};
        }
    }
}

void Script::exchange_once(const Exchange& exchange) {
    const web::Request request = request_of(exchange.send);
    const web::Response response = ask(exchange.expect.place, request);
    check_answer(exchange.expect, request, response, variables_);
    for (const Saving& saving : exchange.expect.savings)
        variables_.set(saving.variable, saved_value(saving, response, variables_));
}

void Script::become(const Place& place, const std::string& name) {
    const std::string who = split_at(name, "/").first;
    if (who.empty()) fail(place, "As whom?");
    const bool is_new = !browsers_.contains(name);
    current_ = name;
    browsers_[name]; // nobody has one, too
    if (is_new && who != "nobody") sign_in(place, user(who));
}

Script::User& Script::user(const std::string& name) {
    if (const auto known = users_.find(name); known != users_.end()) return known->second;
    const std::string number = fresh_number();
    const User made{name + "-" + number + "@example.com", "pass-" + number + "-of-" + name};
    site_.add_user(made.email, capitalised(name), made.password);
    secrets_.keys_and_passwords.insert(made.password);
    variables_.set(name + ".email", made.email);
    variables_.set(name + ".password", made.password);
    return users_.emplace(name, made).first->second;
}

void Script::sign_in(const Place& place, const User& user) {
    const web::Response answer =
        ask(place, "POST", "/auth/login", "email=" + user.email + "&password=" + user.password);
    if (answer.status != 302)
        fail(place, "Signing in is answered " + std::to_string(answer.status) + ".");
}

void Script::give(const Place& place, const std::string& words) {
    const auto [kind, rest] = split_at(words, " ");
    const auto [sentence, members] = split_at(rest, " {");
    const auto [name, provider] = split_at(trim(sentence), " in ");
    const std::string own = members.empty() ? "" : "{" + members;
    const std::string key = "sk-given-" + fresh_number() + "-0123456789abcdef";
    const std::string providers = "/user/providers/";
    const std::string below = provider.empty()
                                  ? std::string{}
                                  : providers + variables_.fill(place, "${" + provider + "}");
    std::string target;
    boost::json::object body;
    if (kind == "provider") {
        target = providers + "create";
        body = {{"name", name}, {"baseUrl", "https://api.example.com/v1"}, {"apiKey", key}};
    } else if (kind == "model" && !below.empty()) {
        target = below + "/models";
        body = {{"modelId", name}};
    } else if (kind == "account" && !below.empty()) {
        target = below + "/accounts";
        body = {{"name", name}, {"apiKey", key}};
    } else {
        fail(place, "Give a provider, a model in a provider or an account in a provider.");
    }
    const web::Response answer = ask(place, "POST", target, with_members(place, body, own));
    if (answer.status != 200)
        fail(place, "This is answered " + std::to_string(answer.status) + ": " + answer.body);
    if (kind != "model") variables_.set(name, *value_at(boost::json::parse(answer.body), "id"));
}

web::Request Script::request_of(const Sending& send) {
    web::Request request;
    request.method = web::parse_method(variables_.fill(send.place, send.method));
    std::tie(request.path, request.query) = split_at(variables_.fill(send.place, send.target), "?");
    request.body = variables_.fill(send.place, send.body);
    request.id = "request-" + fresh_number();
    request.client_address =
        send.from.empty() ? client_address_ : variables_.fill(send.place, send.from);
    for (const auto& [name, value] : send.headers)
        request.headers.emplace(lower_ascii(variables_.fill(send.place, name)),
                                variables_.fill(send.place, value));

    const auto set = [&](const std::string& name, const std::string& value) {
        const bool left_out = std::ranges::any_of(
            send.without, [&](const std::string& each) { return lower_ascii(each) == name; });
        if (!value.empty() && !left_out && !request.headers.contains(name))
            request.headers.emplace(name, value);
    };
    const bool changes = request.method == web::Method::post ||
                         request.method == web::Method::put ||
                         request.method == web::Method::delete_;
    if (changes && send.token.spot != "none") {
        const bool own = send.token.value.empty();
        put_token(request, send,
                  own ? own_token(send.place) : variables_.fill(send.place, send.token.value));
    }
    set("content-type", usual_type(request.body));
    set("cookie", browsers_[current_].cookie_header());
    request.body_size = request.body.size();
    note_keys(request.body, secrets_);
    return request;
}

/// Forms carry it in a field, everything else in a header.
std::string Script::token_spot(const web::Request& request, const Sending& send) const {
    if (!send.token.spot.empty()) return variables_.fill(send.place, send.token.spot);
    const auto type = request.headers.find("content-type");
    const std::string given =
        type == request.headers.end() ? usual_type(request.body) : std::string{type->second};
    return given == form_type ? "form" : "header";
}

void Script::put_token(web::Request& request, const Sending& send, const std::string& token) {
    const std::string spot = token_spot(request, send);
    if (spot == "header") request.headers.emplace("requestverificationtoken", token);
    if (spot == "header2") request.headers.emplace(lower_ascii(token_field), token);
    if (spot == "json") request.body = with_json_token(request.body, token);
    if (spot == "form") request.body = joined(request.body, token);
    if (spot == "query") request.query = joined(request.query, token);
}

std::string Script::own_token(const Place& place) {
    Browser& browser = browsers_[current_];
    if (!browser.token.empty()) return browser.token;
    const char* const page = browser.cookie(session) ? "/user/providers" : "/auth/login";
    const auto token = page_token(ask(place, "GET", page, "").body);
    if (!token) fail(place, std::string{page} + " has no anti-forgery token.");
    return browsers_[current_].token = *token;
}

web::Response Script::ask(const Place& place, const web::Request& request) {
    web::Response response = site_.serve(request);
    Browser& browser = browsers_[current_];
    const auto before = browser.cookie(session);
    browser.keep(response);
    const auto after = browser.cookie(session);
    if (after != before) browser.token.clear();
    if (after) secrets_.session_tokens.insert(*after);
    check_manners(place, response, secrets_);
    return response;
}

web::Response Script::ask(const Place& place, const std::string& method, const std::string& target,
                          const std::string& body) {
    Sending send;
    send.place = place;
    send.method = method;
    send.target = target;
    send.body = body;
    return ask(place, request_of(send));
}

} // namespace usershell::test
