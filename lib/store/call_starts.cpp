#include "store/call_starts.hpp"

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

template <std::size_t... place>
Texts run_with(Lease& lease, const Statement& statement, const Values& values,
               std::index_sequence<place...> /*places*/) {
    return run(lease, statement, values.at(place)...).texts();
}

} // namespace

Texts call_rows(Lease& lease, CallStatement statement, const Values& values) {
    const auto run_of = [&]<std::size_t count>(const Statement& its) {
        return run_with(lease, its, values, std::make_index_sequence<count>{});
    };
    switch (statement) {
    case CallStatement::begin_call:
        return run_of.operator()<5>(begin);
    case CallStatement::begin_token_call:
        return run_of.operator()<8>(begin_by_token);
    case CallStatement::load_provider:
        return run_of.operator()<6>(load);
    case CallStatement::next_key:
        return run_of.operator()<5>(next);
    }
    return {};
}

} // namespace usershell::store
