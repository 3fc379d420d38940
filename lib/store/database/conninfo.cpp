#include "store/database/conninfo.hpp"

#include "base/error.hpp"

#include <libpq-fe.h>

#include <initializer_list>
#include <map>
#include <memory>

namespace usershell::store {

namespace {

using Keywords = std::map<std::string, std::string>;
using Defaults = std::initializer_list<Keywords::value_type>;

Keywords parse(const std::string& connection) {
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
        PQconninfoParse(connection.c_str(), nullptr), &PQconninfoFree};
    if (!options) throw Error{"The setting `database` is no libpq connection string."};
    Keywords given;
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val != nullptr) given.emplace(option->keyword, option->val);
    }
    return given;
}

std::string quoted(const std::string& value) {
    std::string text = "'";
    for (const char letter : value) {
        if (letter == '\'' || letter == '\\') text += '\\';
        text += letter;
    }
    return text + "'";
}

std::string joined(const Keywords& keywords) {
    std::string text;
    for (const auto& [name, value] : keywords) text += name + "=" + quoted(value) + " ";
    return text;
}

std::string completed(const std::string& connection, const Defaults& defaults) {
    Keywords keywords = parse(connection);
    for (const auto& preset : defaults) keywords.insert(preset);
    return joined(keywords);
}

// jit: compiling a statement would cost more than any of ours takes.
constexpr const char* server_settings = "-c statement_timeout=5s -c lock_timeout=2s"
                                        " -c idle_in_transaction_session_timeout=10s -c jit=off";

} // namespace

std::string with_default_user(const std::string& connection, const std::string& role) {
    return completed(connection, {{"user", role}});
}

std::string keyword(const std::string& connection, const std::string& name) {
    const Keywords given = parse(connection);
    const auto found = given.find(name);
    return found == given.end() ? std::string{} : found->second;
}

std::string with_keywords(const std::string& connection,
                          const std::map<std::string, std::string>& values) {
    Keywords keywords = parse(connection);
    for (const auto& [name, value] : values) {
        keywords.erase(name);
        if (!value.empty()) keywords.emplace(name, value);
    }
    return joined(keywords);
}

std::string for_operations(const std::string& connection) {
    return completed(connection, {{"connect_timeout", "3"},
                                  {"tcp_user_timeout", "10000"},
                                  {"keepalives_idle", "30"},
                                  {"target_session_attrs", "read-write"},
                                  {"client_encoding", "UTF8"},
                                  {"application_name", "usershell"}});
}

std::string for_requests(const std::string& connection) {
    Keywords keywords = parse(for_operations(connection));
    // The string's own options come last: of two settings of a server variable the later one
    // counts.
    std::string& options = keywords["options"];
    options = options.empty() ? server_settings : server_settings + (" " + options);
    return joined(keywords);
}

} // namespace usershell::store
