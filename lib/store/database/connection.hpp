// One connection to PostgreSQL, with its prepared statements and the session that it presents; and
// a transaction on it. libpqxx's exceptions end here, as StoreFault. Inside lib/store only; one
// thread at a time.
//
// libpqxx 6.4.5 reopens a lost connection, also in the middle of a transaction, which then goes on
// in autocommit. inhibit_reactivation prevents that: a lost connection stays lost. (Each loss in
// the middle of a statement leaks some 200 bytes inside libpqxx.)
#pragma once

#include "base/loop/stall_watch.hpp"
#include "store/database/fault.hpp"
#include "store/database/parameter.hpp"
#include "store/database/row.hpp"
#include "store/database/statement.hpp"

#include <pqxx/pqxx>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::store {

/// The statement under way, for the fault that may come of it.
struct Running {
    std::string_view name;
    std::string_view conflict{};
};

/// Throws what a pqxx exception means. `open`: the connection still is.
[[noreturn]] void throw_fault(const std::exception& error, const Running& running, bool open);

class Connection {
public:
    /// Opens it. `conninfo`: complete (conninfo.hpp). Throws StoreFault `connection_lost`.
    explicit Connection(const std::string& conninfo);

    /// One statement in autocommit. When it throws StoreFault `connection_lost`, it may have
    /// been committed or not.
    template <class... Values>
    Rows run(const Statement& statement, const Values&... values) {
        return guarded({statement.name(), statement.conflict()}, [&] {
            pqxx::nontransaction single{link_};
            return Rows{single.exec_prepared(std::string{statement.name()}, parameter(values)...)};
        });
    }

    /// Runs `work`, its pqxx exceptions turned into StoreFault.
    template <class Work>
    auto guarded(const Running& running, Work work) {
        assert_may_wait(running.name);
        try {
            return work();
        } catch (const pqxx::pqxx_exception& error) {
            throw_fault(error.base(), running, link_.is_open());
        }
    }

    /// Presents that hash of a session's token, or none when empty. Asks the server only when that
    /// changes.
    void present(const std::string& token_hash);
    /// For a statement that presents a session itself: to be called before it. Pass the hash that
    /// it presents to presents().
    void forget_presented() { presented_.reset(); }
    void presents(const std::string& token_hash) { presented_ = token_hash; }
    bool may_present_one() const { return presented_ != std::string{}; }

    /// False behind a pooler, whose connections to the server serve others in between.
    bool is_direct();

    bool is_open() const { return link_.is_open(); }
    /// True when the server answers.
    bool ping() noexcept;

private:
    friend class Transaction;

    pqxx::connection link_;
    pqxx::quiet_errorhandler quiet_; ///< the server's notices go nowhere, not to standard error
    std::optional<std::string> presented_; ///< null: not known, so set at the next present()
};

/// A transaction; rolled back when it goes out of scope uncommitted.
class Transaction {
public:
    /// `in_doubt`: the same work was tried before, and may have been committed.
    Transaction(Connection& connection, bool in_doubt);

    template <class... Values>
    Rows run(const Statement& statement, const Values&... values) {
        return connection_.guarded({statement.name(), statement.conflict()}, [&] {
            return Rows{work_->exec_prepared(std::string{statement.name()}, parameter(values)...)};
        });
    }
    /// Text without parameters, maybe several statements: migrations. `name`: for the fault.
    void script(std::string_view name, const std::string& text);
    void commit();

    /// True: the work may have been committed before, so look for its rows before writing them.
    bool in_doubt() const { return in_doubt_; }

private:
    Connection& connection_;
    std::unique_ptr<pqxx::work> work_;
    bool in_doubt_;
};

} // namespace usershell::store
