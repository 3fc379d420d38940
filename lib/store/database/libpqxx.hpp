// The differences between libpqxx 6 (Debian 12) and 7 (Debian 13). Inside lib/store only.
#pragma once

#include <pqxx/pqxx>

#include <string>

namespace usershell::store::libpqxx {

#if PQXX_VERSION_MAJOR < 7

/// Errors without DETAIL, which repeats values. A lost connection stays lost: libpqxx 6 reopens it
/// otherwise, also in the middle of a transaction, which then goes on in autocommit. Version 7
/// never reopens.
inline void set_up(pqxx::connection& link) {
    link.set_verbosity(pqxx::connection_base::terse);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    link.inhibit_reactivation(true);
#pragma GCC diagnostic pop
}

class NoticeHandler final : public pqxx::errorhandler {
public:
    NoticeHandler(pqxx::connection& link, bool& seen) : pqxx::errorhandler{link}, seen_{seen} {}
    bool operator()(const char*) noexcept override {
        seen_ = true;
        return false;
    }

private:
    bool& seen_;
};

template <class... Values>
pqxx::result execute(pqxx::transaction_base& transaction, const std::string& name,
                     const Values&... values) {
    return transaction.exec_prepared(name, values...);
}

#else

inline void set_up(pqxx::connection& link) { link.set_verbosity(pqxx::error_verbosity::terse); }

template <class... Values>
pqxx::result execute(pqxx::transaction_base& transaction, const std::string& name,
                     const Values&... values) {
    return transaction.exec(pqxx::prepped{name}, pqxx::params{values...});
}

#endif

/// The server's notices go to no log and not to standard error. Lives as long as the connection.
class Notices {
public:
#if PQXX_VERSION_MAJOR < 7
    explicit Notices(pqxx::connection& link) : handler_{link, seen} {}
#else
    explicit Notices(pqxx::connection& link) {
        link.set_notice_handler([this](pqxx::zview) { seen = true; });
    }
#endif
    Notices(const Notices&) = delete;
    Notices& operator=(const Notices&) = delete;

    bool seen = false; ///< there was one since it was set to false

#if PQXX_VERSION_MAJOR < 7
private:
    NoticeHandler handler_;
#endif
};

} // namespace usershell::store::libpqxx
