// libpq connection strings, completed. Pure but for libpq's parser.
#pragma once

#include <map>
#include <string>

namespace usershell::store {

using Keywords = std::map<std::string, std::string>;

/// `connection` (keywords and values, or a postgresql:// URI) with `user=role` added if it names no
/// user. Throws Error that does not repeat the string when it is malformed.
std::string with_default_user(const std::string& connection, const std::string& role);

/// The value of a keyword such as "host"; empty when the string does not say it.
std::string keyword(const std::string& connection, const std::string& name);

/// `connection` with these values in place of its own; an empty one takes the keyword away.
std::string with_keywords(const std::string& connection, const Keywords& values);

/// Of several hosts this one first, and the others in their order. Unchanged where it is not among
/// them.
std::string with_host_first(const std::string& connection, const std::string& host,
                            const std::string& port);

/// For a worker's connections: time-outs, keep-alives, UTF-8, and of several hosts the one that
/// takes writes. Settings in the string are kept; they win over the defaults of role and database.
std::string for_requests(const std::string& connection);

/// For an operator's: the same without time limits on statements.
std::string for_operations(const std::string& connection);

} // namespace usershell::store
