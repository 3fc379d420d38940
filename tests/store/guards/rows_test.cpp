// How answers are read: by column name, a NULL only where one is expected.
#include "store/store_fixture.hpp"
namespace usershell::store {
namespace {
Rows select(const std::string& sql) {
    pqxx::connection connection{test_database().as_manage()};
    return Rows{pqxx::nontransaction{connection}.exec(sql)};
}

BOOST_AUTO_TEST_CASE(values_are_read_by_name_in_any_order_and_of_many_rows_each) {
    Rows rows = select(R"sql(
        SELECT 'Zoë' AS name, -7 AS number, true AS flag, NULL::integer AS nothing, '\x00ff'::bytea AS bytes,
               usershell.microseconds('2026-01-02 03:04:05.678901+00') AS moment)sql");
    const Row row = rows.front();
    BOOST_TEST(row.get<bool>("flag"));
    BOOST_TEST(row.get<int>("number") == -7);
    for (int i = 0; i < 2; ++i) BOOST_TEST(row.get<std::string>("name") == "Zoë");
    BOOST_TEST(row.get<std::optional<int>>("number").value() == -7);
    BOOST_TEST(!row.get<std::optional<int>>("nothing"));
    BOOST_TEST(row.is_null("nothing"));
    BOOST_TEST((row.bytes("bytes") == std::string{"\0\xff", 2}));
    BOOST_TEST(rfc3339(row.get<Timestamp>("moment")) == "2026-01-02T03:04:05.678Z");
    BOOST_CHECK_THROW(row.get<int>("nothing"), Error);
    BOOST_CHECK_THROW(row.get<int>("name"), Error);
    BOOST_CHECK_THROW(row.get<int>("missing"), Error);
    const auto number = [](const Row& each) { return each.get<int>("n"); };
    BOOST_TEST(select("SELECT n FROM generate_series(1, 3) n").all(number) ==
                   (std::vector<int>{1, 2, 3}),
               boost::test_tools::per_element());
    BOOST_TEST(select("SELECT 5 AS n").first(number).value() == 5);
    BOOST_TEST(!select("SELECT 5 AS n WHERE false").first(number));
}
} // namespace
} // namespace usershell::store
