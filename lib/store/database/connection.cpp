#include "store/database/connection.hpp"

#include "base/ascii.hpp"

#include <fcntl.h>
#include <sys/socket.h>

namespace usershell::store {

SocketWatch::SocketWatch() : thread_{[this] { run(); }} {}

SocketWatch::~SocketWatch() {
    {
        const std::scoped_lock lock{mutex_};
        over_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void SocketWatch::begin(int socket, Clock::time_point until) {
    const std::scoped_lock lock{mutex_};
    waits_.insert_or_assign(socket, until);
    if (idle_) changed_.notify_one();
}

void SocketWatch::end(int socket) {
    const std::scoped_lock lock{mutex_};
    waits_.erase(socket);
}

// It looks at fixed intervals, and only while there are waits: no statement wakes it.
void SocketWatch::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        idle_ = waits_.empty();
        if (idle_) {
            changed_.wait(lock, [this] { return over_ || !waits_.empty(); });
            idle_ = false;
        }
        if (changed_.wait_for(lock, precision, [this] { return over_; })) return;
        const auto now = Clock::now();
        std::erase_if(waits_, [now](const auto& wait) {
            if (wait.second > now) return false;
            ::shutdown(wait.first, SHUT_RDWR);
            return true;
        });
    }
}

namespace {

const Statement present_session{
    "present_session", by_all, {"SELECT set_config('usershell.session', $1, false)"}};
const Statement backend{"backend", by_all, {"SELECT pg_backend_pid() AS pid"}};
const Statement ping_server{"ping", by_all, {"SELECT pg_is_in_recovery() AS is_standby"}};
/// Hidden rows of pg_settings do not matter: a placeholder of ours is set when a session is
/// presented.
const Statement forget_defaults{"forget_role_defaults", by_all, {R"sql(
SELECT count(set_config(s.name, coalesce(s.boot_val, ''), false)) AS forgotten FROM pg_settings s
WHERE s.source IN ('user', 'database user') AND s.context = 'user' AND EXISTS (
      SELECT FROM pg_db_role_setting d JOIN pg_roles r ON r.oid = d.setrole WHERE r.rolname = session_user))sql"}};
/// A row that an earlier COMMIT has left may be on this server alone. To commit a message waits for
/// the standby as the row's own COMMIT does; to commit what was only read does not.
const Statement reach_standby{"reach_standby", by_all, {"SELECT usershell.reach_standby()"}};

constexpr std::chrono::seconds time_to_commit{2};

template <class Type>
bool is(const std::exception& error) {
    return dynamic_cast<const Type*>(&error) != nullptr;
}

/// libpqxx keeps the SQLSTATE of most errors, and of these only the type (6 of more than 7).
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

/// The first line: "ERROR:  relation "x" already exists".
std::string sentence_of(const std::exception& error) {
    const std::string message = error.what();
    return message.substr(0, message.find('\n'));
}

/// The sentence, if it is one on connecting: it then names host, port, role or database. Others may
/// repeat a piece of the connection string.
std::string reason_of(const std::exception& error) {
    std::string sentence = sentence_of(error);
    return sentence.starts_with("connection to server") ? sentence : std::string{};
}

/// libpq has no SQLSTATE of a connection that failed, only words. The first that fits counts.
Remedy remedy_of_words(std::string_view words) {
    using enum Remedy;
    constexpr std::pair<std::string_view, Remedy> rows[] = {
        {"authentication failed", write_access_lines},
        {"no pg_hba.conf entry", write_access_lines},
        {"pg_hba.conf rejects connection", correct_setting}, // by TCP, or another database
        {"no password supplied", correct_setting},
        {"not permitted to log in", init},
        {"does not exist", init},
        {"too many clients", more_connections},
        {"too many connections for role", more_connections},
        {"remaining connection slots", more_connections},
        {"could not translate host name", correct_host},
        {"connection to server", start_server},
    };
    for (const auto& [piece, remedy] : rows)
        if (words.find(piece) != std::string_view::npos) return remedy;
    return unknown;
}

} // namespace

void throw_fault(const std::exception& error, const Running& running, bool open,
                 Audience audience) {
    std::string sqlstate = sqlstate_of(error);
    StoreFault::Kind kind = kind_of_sqlstate(sqlstate);
    if (!open && kind != StoreFault::Kind::commit_in_doubt) {
        kind = StoreFault::Kind::connection_lost;
    }
    throw StoreFault{kind, running.name, std::move(sqlstate), running.conflict,
                     audience == Audience::an_operator ? sentence_of(error) : std::string{}};
}

Connection::Connection(const std::string& conninfo, SocketWatch* watch, Audience audience) try
    : link_{conninfo},
      notices_{link_},
      watch_{watch},
      audience_{audience},
      socket_{::fcntl(link_.sock(), F_DUPFD_CLOEXEC, 0)} {
    libpqxx::set_up(link_);
} catch (const pqxx::failure& error) {
    throw StoreFault{reason_of(error), remedy_of_words(error.what())};
}

void Connection::prepare(const Statement& statement) {
    if (prepared_.contains(&statement)) return;
    link_.prepare(std::string{statement.name()}, statement.text());
    prepared_.insert(&statement);
}

void Connection::present(const std::string& token_hash) {
    if (presented_ == token_hash) return;
    forget_presented();
    run(present_session, hex(token_hash));
    presents(token_hash);
}

void Connection::forget_role_defaults() { run(forget_defaults); }

bool Connection::is_direct() { return run(backend).front().get<int>("pid") == link_.backendpid(); }

bool Connection::ping() noexcept {
    try {
        return !run(ping_server).front().get<bool>("is_standby");
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

// It rolls back what is not committed, which waits for the server.
Transaction::~Transaction() {
    const Connection::Wait wait{connection_};
    work_.reset();
}

void Transaction::commit() {
    if (in_doubt_) run(reach_standby);
    if (connection_.deadline_ - SocketWatch::Clock::now() < time_to_commit) throw not_reached();
    connection_.notices_.seen = false;
    connection_.guarded({"commit"}, [this] { work_->commit(); });
    if (connection_.notices_.seen)
        throw StoreFault{StoreFault::Kind::commit_in_doubt, "commit", "01000"};
}

} // namespace usershell::store
