// Every statement of the program, executed as every role that uses it; and what row-level security
// leaves of it when another person runs it, with its own condition on the owner and without.
#include "store/database/statements.hpp"
#include "store/statement_examples.hpp"

#include <regex>
#include <set>

namespace usershell::store {

namespace {

struct NamedRole {
    Roles role;
    const char* name;
};
constexpr std::array named_roles{NamedRole{by_owner, "usershell_owner"},
                                 NamedRole{by_manage, "usershell_manage"},
                                 NamedRole{by_execute, "usershell_execute"}};

/// Rows that are there whether or not anything is found, and what is in them when nothing is.
const std::map<std::string, std::string, std::less<>> aggregates{
    {"list_providers", R"({"providers":[]}|)"},
    {"count_email_tries", "0|0|"},
};

/// The mail sender's policy shows it everybody's mail: it has no identity.
const std::set<std::string, std::less<>> of_the_courier{"mail_sent", "mail_delayed", "mail_failed"};

std::string execute_text(const std::vector<std::string>& parameters) {
    std::string list;
    for (const std::string& parameter : parameters) list += (list.empty() ? "" : ", ") + parameter;
    return "EXECUTE example" + (list.empty() ? "" : "(" + list + ")");
}

struct Effect {
    std::size_t rows = 0;     ///< returned
    std::size_t affected = 0; ///< inserted, updated, deleted or locked
    std::string text;

    bool none() const { return rows == 0 && affected == 0; }
};

/// Runs a text as `role`, acting as `user`, and rolls it back.
Effect effect_of(const std::string& role, const UserId& user, const std::string& sql,
                 const std::vector<std::string>& parameters) {
    pqxx::connection connection{test_database().as(role)};
    pqxx::work transaction{connection};
    transaction.exec("SELECT set_config('usershell.user_id', " + literal(user.text()) + ", false)");
    transaction.exec("PREPARE example AS " + sql);
    const pqxx::result result = transaction.exec(execute_text(parameters));
    Effect effect{result.columns() == 0 ? 0 : result.size(), result.affected_rows(), {}};
    for (const pqxx::row& row : result) {
        for (const pqxx::field& field : row) effect.text += std::string{field.c_str()} + "|";
    }
    return effect;
}

/// Nothing seen, nothing changed: refused by PostgreSQL, or without effect.
bool shows_nothing(const Statement& statement, const std::string& role, const UserId& stranger,
                   const std::string& sql, const std::vector<std::string>& parameters) {
    try {
        const Effect effect = effect_of(role, stranger, sql, parameters);
        const auto aggregate = aggregates.find(statement.name);
        return aggregate == aggregates.end() ? effect.none() : effect.text == aggregate->second;
    } catch (const pqxx::insufficient_privilege&) {
        return true; // "new row violates row-level security policy"
    }
}

/// None for a statement without example, which a test of its own reports.
std::vector<std::string> parameters_of(const Examples& examples, const Statement& statement) {
    const auto found = examples.find(statement.name);
    return found == examples.end() ? std::vector<std::string>{} : found->second;
}

template <class Use>
void for_each_statement_and_role(Use use) {
    for (const Statement* statement : all_statements()) {
        for (const NamedRole& role : named_roles) {
            if ((statement->roles & role.role) != 0) use(*statement, role);
        }
    }
}

std::string without_owner_condition(const std::string& sql) {
    static const std::regex condition{R"((\b\w+\.)?\b(owner_id|id) = \$1\b)"};
    return std::regex_replace(sql, condition, "($$1::uuid IS NOT NULL)");
}

} // namespace

BOOST_AUTO_TEST_SUITE(statements)

BOOST_AUTO_TEST_CASE(names_are_unique_and_each_has_an_example) {
    Example example;
    const Examples examples = examples_of(example);
    std::set<std::string_view> names;
    for (const Statement* statement : all_statements()) {
        BOOST_TEST(names.insert(statement->name).second, "twice: " << statement->name);
        BOOST_TEST(examples.contains(statement->name), "no example: " << statement->name);
    }
    for (const auto& [name, parameters] : examples) {
        BOOST_TEST(names.contains(name), "no such statement: " << name);
    }
}

BOOST_AUTO_TEST_CASE(every_statement_works_as_every_role_that_uses_it) {
    Example example;
    const Examples examples = examples_of(example);
    for_each_statement_and_role([&](const Statement& statement, const NamedRole& role) {
        BOOST_TEST_CONTEXT(statement.name << " as " << role.name) {
            try {
                const Effect effect = effect_of(role.name, example.owner, statement.text(),
                                                parameters_of(examples, statement));
                BOOST_TEST(!effect.none(), "has no effect: the example proves nothing");
            } catch (const std::exception& error) {
                BOOST_ERROR(error.what());
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(
    without_its_condition_on_the_owner_a_statement_still_shows_a_stranger_nothing) {
    Example example;
    const Examples examples = examples_of(example);
    const auto stranger = crypto::random_id<UserId>();
    int stripped = 0;
    for_each_statement_and_role([&](const Statement& statement, const NamedRole& role) {
        const std::string sql = without_owner_condition(statement.text());
        if (sql == statement.text() || role.role == by_owner ||
            of_the_courier.contains(statement.name)) {
            return;
        }
        ++stripped;
        const auto parameters = parameters_of(examples, statement);
        BOOST_TEST_CONTEXT(statement.name << " as " << role.name) {
            // The same text finds something as the owner of the rows, so that the proof is one.
            BOOST_TEST(!effect_of(role.name, example.owner, sql, parameters).none());
            BOOST_TEST(shows_nothing(statement, role.name, stranger, sql, parameters));
        }
    });
    BOOST_TEST(stripped >= 40);
}

BOOST_AUTO_TEST_CASE(naming_another_person_as_owner_shows_nothing_of_theirs) {
    Example example;
    const Examples examples = examples_of(example);
    const auto stranger = crypto::random_id<UserId>();
    for_each_statement_and_role([&](const Statement& statement, const NamedRole& role) {
        const bool owned = statement.text().find("owner_id") != std::string::npos;
        const auto parameters = parameters_of(examples, statement);
        const bool names_owner =
            !parameters.empty() && parameters[0] == literal(example.owner.text());
        if (!owned || !names_owner || role.role == by_owner ||
            of_the_courier.contains(statement.name)) {
            return;
        }
        BOOST_TEST(shows_nothing(statement, role.name, stranger, statement.text(), parameters),
                   statement.name << " as " << role.name);
    });
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace usershell::store
