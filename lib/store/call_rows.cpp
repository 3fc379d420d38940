#include "store/call_rows.hpp"

#include "store/database/run.hpp"

#include <cstddef>
#include <utility>

namespace usershell::store {

namespace {

const Statement begin{
    "begin_call", by_opener, {"SELECT * FROM usershell.begin_call($1, $2, $3, $4, $5)"}};

const Statement begin_by_token{
    "begin_token_call",
    by_opener,
    {"SELECT * FROM usershell.begin_token_call($1, $2, $3, $4, $5, $6, $7, $8)"}};

const Statement load{
    "load_provider", by_opener, {"SELECT * FROM usershell.load_provider($1, $2, $3, $4, $5, $6)"}};

const Statement next{
    "next_key", by_opener, {"SELECT * FROM usershell.next_key($1, $2, $3, $4, $5)"}};

using Values = std::vector<std::optional<std::string>>;

template <std::size_t count>
Texts run_with(Lease& lease, const Statement& statement, const Values& values) {
    return [&]<std::size_t... place>(std::index_sequence<place...> /*places*/) {
        return run(lease, statement, values.at(place)...).texts();
    }
    (std::make_index_sequence<count>{});
}

} // namespace

Texts call_rows(Lease& lease, CallStatement statement, const Values& values) {
    switch (statement) {
    case CallStatement::begin_call:
        return run_with<5>(lease, begin, values);
    case CallStatement::begin_token_call:
        return run_with<8>(lease, begin_by_token, values);
    case CallStatement::load_provider:
        return run_with<6>(lease, load, values);
    case CallStatement::next_key:
        return run_with<5>(lease, next, values);
    }
    return {};
}

} // namespace usershell::store
