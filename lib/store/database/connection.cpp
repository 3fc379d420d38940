#include "store/database/connection.hpp"

#include "base/text.hpp"
#include "store/database/statements.hpp"

#include <algorithm>

namespace usershell::store {

namespace {

constexpr Statement identify_connection{
    "identify", by_all, {"SELECT set_config('usershell.user_id', $1, false)"}};
constexpr Statement ping_server{"ping", by_all, {"SELECT 1"}};

// Names for faults; never prepared.
constexpr Statement beginning{"begin", by_all, {}};
constexpr Statement committing{"commit", by_all, {}};

template <class Type>
bool is(const std::exception& error) {
    return dynamic_cast<const Type*>(&error) != nullptr;
}

/// libpqxx 6 keeps the SQLSTATE of most errors, and of these only the type.
std::string sqlstate_of(const std::exception& error) {
    if (is<pqxx::insufficient_privilege>(error)) return "42501";
    if (is<pqxx::too_many_connections>(error)) return "53300";
    if (is<pqxx::deadlock_detected>(error)) return "40P01";
    if (is<pqxx::statement_completion_unknown>(error)) return "40003";
    if (is<pqxx::transaction_rollback>(error)) return "40001";
    if (is<pqxx::broken_connection>(error)) return "08006";
    if (is<pqxx::in_doubt_error>(error)) return "08007";
    const auto* sql = dynamic_cast<const pqxx::sql_error*>(&error);
    return sql == nullptr ? std::string{} : sql->sqlstate();
}

/// The first line of libpq's message, if it is one on connecting: it then names host, port, role or
/// database. Others may repeat a piece of the connection string.
std::string reason_of(const std::exception& error) {
    const std::string message = error.what();
    if (!message.starts_with("connection to server")) return {};
    return message.substr(0, message.find('\n'));
}

bool is_control(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f;
}

} // namespace

StatementList connection_statements() {
    static constexpr std::array list{&identify_connection, &ping_server};
    return list;
}

std::string bytes_of(const pqxx::field& field) { return pqxx::binarystring{field}.str(); }

bool is_storable(const std::string& text) {
    return std::none_of(text.begin(), text.end(), is_control) && is_utf8(text);
}

const std::string& parameter(const std::string& text) {
    if (!is_storable(text)) throw not_text();
    return text;
}

void throw_fault(const std::exception& error, const Statement& statement, bool open) {
    std::string sqlstate = sqlstate_of(error);
    StoreFault::Kind kind = kind_of_sqlstate(sqlstate);
    if (!open && kind != StoreFault::Kind::in_doubt) kind = StoreFault::Kind::lost;
    throw StoreFault{kind, statement, std::move(sqlstate)};
}

Connection::Connection(const std::string& conninfo) try : link_{conninfo}, quiet_{link_} {
    link_.set_verbosity(pqxx::connection_base::terse);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    link_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
    for (const Statement* statement : all_statements()) {
        link_.prepare(std::string{statement->name}, statement->text());
    }
} catch (const pqxx::pqxx_exception& error) {
    throw StoreFault{reason_of(error.base())};
}

void Connection::identify(const std::optional<UserId>& user) {
    if (identity_known_ && identity_ == user) return;
    forget_identity();
    run(identify_connection, user ? user->text() : std::string{});
    identity_is(user);
}

void Connection::identity_is(const std::optional<UserId>& user) {
    identity_ = user;
    identity_known_ = true;
}

bool Connection::ping() noexcept {
    try {
        run(ping_server);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

Transaction::Transaction(Connection& connection, bool in_doubt)
    : connection_{connection},
      work_{connection.guarded(
          beginning, [&connection] { return std::make_unique<pqxx::work>(connection.link_); })},
      in_doubt_{in_doubt} {}

void Transaction::script(std::string_view name, const std::string& text) {
    connection_.guarded(Statement{name, by_owner, {}}, [&] { return work_->exec(text); });
}

void Transaction::commit() {
    connection_.guarded(committing, [this] { work_->commit(); });
}

} // namespace usershell::store
