#include "store/database/connection.hpp"

#include "base/ascii.hpp"

namespace usershell::store {

namespace {

const Statement present_session{
    "present_session", by_all, {"SELECT set_config('usershell.session', $1, false)"}};
const Statement backend{"backend", by_all, {"SELECT pg_backend_pid() AS pid"}};
const Statement ping_server{"ping", by_all, {"SELECT 1"}};

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

} // namespace

void throw_fault(const std::exception& error, const Running& running, bool open) {
    std::string sqlstate = sqlstate_of(error);
    StoreFault::Kind kind = kind_of_sqlstate(sqlstate);
    if (!open && kind != StoreFault::Kind::commit_in_doubt) {
        kind = StoreFault::Kind::connection_lost;
    }
    throw StoreFault{kind, running.name, std::move(sqlstate), running.conflict};
}

Connection::Connection(const std::string& conninfo) try : link_{conninfo}, quiet_{link_} {
    link_.set_verbosity(pqxx::connection_base::terse);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    link_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
    // libpqxx sends each to the server when it is first used.
    for (const Statement* statement : Statement::all()) {
        link_.prepare(std::string{statement->name()}, statement->text());
    }
} catch (const pqxx::pqxx_exception& error) {
    throw StoreFault{reason_of(error.base())};
}

void Connection::present(const std::string& token_hash) {
    if (presented_ == token_hash) return;
    forget_presented();
    run(present_session, hex(token_hash));
    presents(token_hash);
}

bool Connection::is_direct() { return run(backend).front().get<int>("pid") == link_.backendpid(); }

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
          {"begin"}, [&connection] { return std::make_unique<pqxx::work>(connection.link_); })},
      in_doubt_{in_doubt} {}

void Transaction::script(std::string_view name, const std::string& text) {
    connection_.guarded({name}, [&] { work_->exec(text); });
}

void Transaction::commit() {
    connection_.guarded({"commit"}, [this] { work_->commit(); });
}

} // namespace usershell::store
