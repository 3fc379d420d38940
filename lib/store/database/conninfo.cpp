#include "store/database/conninfo.hpp"

#include "base/error.hpp"

#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>
#include <libpq-fe.h>

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <memory>
#include <sstream>
#include <vector>

namespace usershell::store {

namespace {

Keywords parse(const std::string& connection) {
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
        PQconninfoParse(connection.c_str(), nullptr), &PQconninfoFree};
    if (!options)
        throw Error{"The setting `database` is no libpq connection string.",
                    Remedy::correct_setting};
    Keywords given;
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val != nullptr) given.emplace(option->keyword, option->val);
    }
    return given;
}

std::string joined(const Keywords& keywords) {
    std::ostringstream text;
    for (const auto& [name, value] : keywords)
        text << name << '=' << std::quoted(value, '\'') << ' ';
    return text.str();
}

std::string completed(const std::string& connection, Keywords defaults) {
    Keywords keywords = parse(connection);
    keywords.merge(defaults);
    return joined(keywords);
}

/// A list with commas, such as libpq's of hosts.
std::vector<std::string> entries(const std::string& list) {
    std::vector<std::string> all;
    boost::split(all, list, [](char letter) { return letter == ','; });
    return all;
}

/// A list that has no such entry is one value for all hosts.
std::string with_entry_first(const std::string& list, std::size_t number) {
    auto all = entries(list);
    if (number >= all.size()) return list;
    const auto chosen = all.begin() + static_cast<std::ptrdiff_t>(number);
    std::rotate(all.begin(), chosen, chosen + 1);
    return boost::join(all, ",");
}

/// A role may set defaults for itself: one that a thief has left must not stop a program or change
/// what it does. These count before the first statement; Connection takes back all others.
constexpr const char* own_settings =
    "-c default_transaction_read_only=off -c default_transaction_isolation=read\\ committed"
    " -c row_security=on -c search_path=pg_catalog -c local_preload_libraries="
    " -c client_min_messages=notice -c exit_on_error=off -c bytea_output=hex"
    " -c standard_conforming_strings=on -c idle_session_timeout=0 -c plpgsql.extra_errors=none";

// jit: compiling a statement would cost more than any of ours takes.
constexpr const char* limits = "-c statement_timeout=5s -c lock_timeout=2s"
                               " -c idle_in_transaction_session_timeout=10s -c jit=off";

/// Before the string's own options: of two settings of a server variable the later one counts.
std::string with_options(const std::string& connection, const std::string& settings) {
    Keywords keywords = parse(connection);
    std::string& options = keywords["options"];
    options = options.empty() ? settings : settings + " " + options;
    return joined(keywords);
}

} // namespace

std::string with_default_user(const std::string& connection, const std::string& role) {
    return completed(connection, {{"user", role}});
}

std::string keyword(const std::string& connection, const std::string& name) {
    const Keywords given = parse(connection);
    const auto found = given.find(name);
    return found == given.end() ? std::string{} : found->second;
}

std::string with_keywords(const std::string& connection, const Keywords& values) {
    Keywords keywords = parse(connection);
    for (const auto& [name, value] : values) {
        keywords.erase(name);
        if (!value.empty()) keywords.emplace(name, value);
    }
    return joined(keywords);
}

std::string with_host_first(const std::string& connection, const std::string& host,
                            const std::string& port) {
    Keywords keywords = parse(connection);
    const auto hosts = entries(keyword(connection, "host"));
    const auto ports = entries(keyword(connection, "port"));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const auto& its_port = ports.size() == hosts.size() ? ports[i] : ports.front();
        if (hosts[i] != host || (!its_port.empty() && its_port != port)) continue;
        for (auto& [name, list] : keywords)
            if (name == "host" || name == "port" || name == "hostaddr")
                list = with_entry_first(list, i);
        return joined(keywords);
    }
    return connection;
}

std::string for_operations(const std::string& connection) {
    return with_options(completed(connection, {{"connect_timeout", "3"},
                                               {"tcp_user_timeout", "10000"},
                                               {"keepalives_idle", "30"},
                                               {"target_session_attrs", "read-write"},
                                               {"client_encoding", "UTF8"},
                                               {"application_name", "usershell"}}),
                        own_settings);
}

std::string for_requests(const std::string& connection) {
    return for_operations(with_options(connection, limits));
}

} // namespace usershell::store
