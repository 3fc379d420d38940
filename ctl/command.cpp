#include "ctl/command.hpp"

#include "store/database/conninfo.hpp"
#include "store/migrations/migrate.hpp"

#include <algorithm>
#include <utility>

namespace usershell::ctl {

Arguments::Arguments(std::vector<std::string> words) : words_{std::move(words)} {}

std::optional<std::string> Arguments::option(std::string_view name) {
    const std::string spelling = "--" + std::string{name};
    std::optional<std::string> value;
    for (auto word = words_.begin(); word != words_.end();) {
        const bool joined = word->starts_with(spelling + "=");
        if (!joined && *word != spelling) {
            ++word;
            continue;
        }
        if (value) throw UsageError{spelling + " is given twice."};
        if (joined) {
            value = word->substr(spelling.size() + 1);
            word = words_.erase(word);
            continue;
        }
        if (word + 1 == words_.end()) throw UsageError{spelling + " needs a value."};
        value = *(word + 1);
        word = words_.erase(word, word + 2);
    }
    return value;
}

bool Arguments::flag(std::string_view name) {
    return std::erase(words_, "--" + std::string{name}) > 0;
}

std::string Arguments::next(std::string_view what) {
    if (words_.empty() || words_.front().starts_with("--")) {
        throw UsageError{std::string{what} + " is required."};
    }
    std::string word = std::move(words_.front());
    words_.erase(words_.begin());
    return word;
}

void Arguments::finish() const {
    if (!words_.empty()) throw UsageError{"\"" + words_.front() + "\" is not expected here."};
}

std::string owner_connection(const Settings& settings) {
    return store::with_default_user(settings.database, "usershell_owner");
}

OperatorStore::OperatorStore(const Settings& settings)
    : database_{owner_connection(settings),
                1,
                {.limit = std::chrono::hours{24}, .for_operator = true}},
      lease_{database_} {
    store::require_schema(database_);
}

} // namespace usershell::ctl
