#include "opener/answers.hpp"

#include "base/error.hpp"
#include "base/ids.hpp"
#include "crypto/envelope/envelope.hpp"
#include "crypto/envelope/sealers.hpp"
#include "store/call_rows.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::opener {

namespace {

using Cells = std::vector<std::optional<std::string>>;

/// The row of an envelope: what its key is bound to.
class KeyRow : public store::RowOf<KeyRow> {
public:
    KeyRow(const std::vector<std::string>& columns, const Cells& cells)
        : columns_{columns},
          cells_{cells} {}

    std::optional<std::string_view> text_of(std::string_view column) const {
        const auto found = std::ranges::find(columns_, column);
        if (found == columns_.end()) throw Error{"The answer has no column of that name."};
        return cells_.at(static_cast<std::size_t>(found - columns_.begin()));
    }

    crypto::KeyBinding binding() const {
        const auto account = get<std::optional<AccountId>>("account");
        return {.owner = get<UserId>("user_id"),
                .provider = get<ProviderId>("provider"),
                .account = account,
                .type = get<std::string>("type"),
                .base_url = get<std::string>("base_url"),
                .header = account ? std::string{} : get<std::string>("key_name")};
    }

private:
    const std::vector<std::string>& columns_;
    const Cells& cells_;
};

Opened opened(const crypto::Unsealer& unsealer, const crypto::KeyBinding& row,
              const crypto::SealedKey& sealed) {
    try {
        return unsealer.open(row, sealed);
    } catch (const crypto::UnsealError& error) {
        return error.reason();
    } catch (const Refusal&) { // of an address that is good no more
        return crypto::UnsealError::Reason::address_changed;
    }
}

store::Texts rows_of(store::Database& database, const Question& question) {
    store::Lease lease{database};
    return store::call_rows(lease, question.statement, question.values);
}

} // namespace

WipedString with_keys(const store::Texts& rows, const crypto::Unsealer& unsealer) {
    return encoded(rows, [&](const Cells& cells, const crypto::SealedKey& sealed) {
        const KeyRow row{rows.columns, cells};
        return OpenedKey{opened(unsealer, row.binding(), sealed), digest_of(sealed)};
    });
}

Answered answer(store::Database& database, const crypto::Unsealer& unsealer,
                const Question& question) {
    const store::Texts rows = rows_of(database, question);
    return {with_keys(rows, unsealer), !rows.rows.empty()};
}

} // namespace usershell::opener
