// Connections to PostgreSQL: a bounded pool a process, and the lease of one connection by one
// request.
//
// A connection presents a session: the hash of its token, by the statement that signs a request in
// (sessions.hpp) or by present(). The database looks up whose good session that is, and row-level
// security shows the rows of that user only. So an identity ends with its session, and none can be
// chosen. A lease remembers the hash: when its connection was given back (before a slow upstream
// call) or lost, the next connection presents it first. A lease that presents none sees no rows,
// whichever user its connection served before.
//
// A lost connection is never used again, nor are idle ones of that time. The work is tried once
// more on a fresh connection where that is safe (run.hpp).
//
// All functions of lib/store:
//   * A missing row and another user's row are treated alike. A lookup returns a std::optional or
//     a vector. Functions that change or delete by id throw Refusal `not_found`. Functions that
//     establish a state (end a session, remove an avatar) are idempotent and return void.
//   * A store that can't be reached, that takes too long or that has no connection to spare is
//     Refusal `unavailable`. A text that is not UTF-8 or holds control characters is Refusal
//     `invalid_field`.
//   * Each is one statement or one transaction: done whole or not at all.
//
// Database is thread-safe; a Lease belongs to one thread. A Lease must not outlive its Database.
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace usershell::store {

class Connection; ///< store/database/connection.hpp, inside lib/store only

class Database {
public:
    struct Options {
        std::chrono::milliseconds wait{2000}; ///< for a connection when all are lent
        /// A connection that has been idle for so long is pinged before it is lent.
        std::chrono::milliseconds ping_after{30000};
        /// For all that a lease does until it is released: to wait for a connection, to connect,
        /// its statements and their second tries. A server that never answers costs that.
        std::chrono::milliseconds limit{10000};
        /// Faults say what the server said. For a command at a terminal only.
        bool for_operator = false;
    };

    /// Opens nothing yet. `connection`: a libpq string; time-outs and keep-alives are added where
    /// it names none. `size`: connections open at a time, at most. Throws Error when
    /// the string is malformed.
    Database(const std::string& connection, std::size_t size, Options options);
    Database(const std::string& connection, std::size_t size)
        : Database{connection, size, Options{}} {}
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Connections that have been idle for so long present no session any more: a thief of this
    /// process finds none of earlier callers. Throws no exception.
    void forget_sessions(std::chrono::milliseconds idle) noexcept;

    struct Usage {
        std::size_t lent;
        std::size_t idle;
        std::size_t limit;
    };
    /// Of the connections, at this moment.
    Usage usage() const;

private:
    friend class Lease;
    class Pool;
    std::unique_ptr<Pool> pool_;
};

class Lease {
public:
    /// Takes no connection yet: the first statement does.
    explicit Lease(Database& database);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    /// From now on this lease presents that session, by the hash of its token; empty: none. Does
    /// not ask the server yet.
    void present(std::string token_hash);

    /// Gives the connection back; the next statement takes one again, and has the whole limit of
    /// time again. Before every upstream call.
    void release();

    /// For lib/store: the connection, taken from the pool when there is none yet. It presents the
    /// lease's session.
    Connection& connection();
    /// For lib/store: the connection with whatever it presents, for a statement that presents a
    /// session itself.
    Connection& any_connection();
    /// For lib/store: the connection is broken; forget it.
    void discard();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace usershell::store
