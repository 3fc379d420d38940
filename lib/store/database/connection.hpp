// A connection to PostgreSQL, which waits for no frozen server. Inside lib/store only.
#pragma once

#include "runtime/descriptor.hpp"
#include "runtime/stall_watch.hpp"
#include "store/database/conninfo.hpp"
#include "store/database/fault.hpp"
#include "store/database/libpqxx.hpp"
#include "store/database/statement.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>

namespace usershell::store {

// Ends a wait for a server that no longer answers. libpq waits for an answer without a limit of its
// own, and a frozen server keeps its connections open. When the time of a statement is over, a
// thread shuts the connection's socket, and the statement fails as on a lost connection. Never by a
// cancel request, which a frozen server obeys when it is awake again. Thread-safe.

class SocketWatch {
public:
    using Clock = std::chrono::steady_clock;

    SocketWatch();
    ~SocketWatch();
    SocketWatch(const SocketWatch&) = delete;
    SocketWatch& operator=(const SocketWatch&) = delete;

    /// Shuts that socket unless end() comes in time, at most `precision` later. The socket stays
    /// open until end().
    void begin(int socket, Clock::time_point until);
    void end(int socket);

    static constexpr std::chrono::milliseconds precision{250};

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<int, Clock::time_point> waits_;
    bool idle_ = true; ///< the thread sleeps until there is a wait
    bool over_ = false;
    std::thread thread_;
};

// One connection to PostgreSQL, with its prepared statements and the session that it presents; and
// a transaction on it. libpqxx's exceptions end here, as StoreFault. One thread at a
// time.

/// The statement under way, for the fault that may come of it.
struct Running {
    std::string_view name;
    English conflict{};
};

/// The reader of a fault. An operator at a terminal sees the server's own sentence, which may quote
/// values; a log and a page never contain it.
enum class Audience { others, an_operator };

/// Throws what a pqxx exception means. `open`: the connection still is.
[[noreturn]] void throw_fault(const std::exception& error, const Running& running, bool open,
                              Audience audience);

class Connection {
public:
    /// Opens it. `conninfo`: complete (conninfo.hpp). `watch` ends waits at the deadline; null:
    /// there is none. Throws StoreFault `connection_lost`.
    explicit Connection(const std::string& conninfo, SocketWatch* watch = nullptr,
                        Audience audience = Audience::others);

    /// Of every statement from now on: later than that it fails with `connection_lost`.
    void set_deadline(SocketWatch::Clock::time_point deadline) { deadline_ = deadline; }

    /// One statement in autocommit. When it throws StoreFault `connection_lost`, it may have
    /// been committed or not.
    template <class... Values>
    Rows run(const Statement& statement, const Values&... values) {
        return guarded({statement.name(), statement.conflict()}, [&] {
            pqxx::nontransaction single{link_};
            return execute(single, statement, values...);
        });
    }

    /// Runs `work`, its pqxx exceptions turned into StoreFault.
    template <class Work>
    auto guarded(const Running& running, Work work) {
        assert_may_wait(running.name);
        const Wait wait{*this};
        try {
            return work();
        } catch (const pqxx::failure& error) {
            throw_fault(error, running, link_.is_open(), audience_);
        }
    }

    /// Takes back what the role has set for itself by ALTER ROLE: a thief of it may have.
    /// PostgreSQL's own defaults count instead. Once, when it is fresh.
    void forget_role_defaults();

    /// Presents that hash of a session's token; an empty one presents none. Asks the server only
    /// when that changes.
    void present(const std::string& token_hash);
    /// For a statement that presents a session itself: to be called before it. Pass the hash that
    /// it presents to presents().
    void forget_presented() { presented_.reset(); }
    void presents(const std::string& token_hash) { presented_ = token_hash; }
    bool may_present_one() const { return presented_ != std::string{}; }

    /// False behind a pooler, whose connections to the server serve others in between.
    bool is_direct();

    bool is_open() const { return link_.is_open(); }

    /// `conninfo` with the server first that this connection has reached. A dark server then costs
    /// the next connections no time.
    std::string with_this_server_first(const std::string& conninfo) {
        return with_host_first(conninfo, link_.hostname(), link_.port());
    }
    /// True when the server answers.
    bool ping() noexcept;

private:
    friend class Transaction;

    /// From here to the end of the scope the server is waited for.
    class Wait {
    public:
        explicit Wait(Connection& connection) : connection_{connection} {
            if (connection.watch_ == nullptr) return;
            connection.watch_->begin(connection.socket_.get(), connection.deadline_);
        }
        ~Wait() {
            if (connection_.watch_ != nullptr) connection_.watch_->end(connection_.socket_.get());
        }
        Wait(const Wait&) = delete;
        Wait& operator=(const Wait&) = delete;

    private:
        Connection& connection_;
    };

    template <class... Values>
    Rows execute(pqxx::transaction_base& transaction, const Statement& statement,
                 const Values&... values) {
        prepare(statement);
        return Rows{
            libpqxx::execute(transaction, std::string{statement.name()}, parameter(values)...)};
    }
    /// When it is first used on this connection.
    void prepare(const Statement& statement);

    pqxx::connection link_;
    libpqxx::Notices notices_;
    SocketWatch* const watch_;
    const Audience audience_;
    /// The same socket under a number of our own: libpq may close its number while it is watched.
    const Descriptor socket_;
    SocketWatch::Clock::time_point deadline_ = SocketWatch::Clock::time_point::max();
    std::unordered_set<const Statement*> prepared_;
    std::optional<std::string> presented_; ///< null: not known, so set at the next present()
};

/// A transaction; rolled back when it goes out of scope uncommitted.
class Transaction {
public:
    /// `in_doubt`: the same work was tried before, and may have been committed.
    Transaction(Connection& connection, bool in_doubt);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    template <class... Values>
    Rows run(const Statement& statement, const Values&... values) {
        return connection_.guarded({statement.name(), statement.conflict()}, [&] {
            return connection_.execute(*work_, statement, values...);
        });
    }
    /// Text without parameters, maybe several statements: migrations. `name`: for the fault.
    void script(std::string_view name, const std::string& text);
    /// Not sent when little time is left, so that `unavailable` means that nothing was written.
    /// Throws StoreFault `commit_in_doubt` when the answer is lost, and when the server warns that
    /// it no longer waits for a standby. Once this returns, a change that was in doubt is on the
    /// standby.
    void commit();

    /// True: the work may have been committed before, so look for its rows before writing them.
    bool in_doubt() const { return in_doubt_; }
    /// The rows of an earlier request were found, whose COMMIT may have been lost.
    void doubt() { in_doubt_ = true; }

private:
    Connection& connection_;
    std::unique_ptr<pqxx::work> work_;
    bool in_doubt_;
};

} // namespace usershell::store
