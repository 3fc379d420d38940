// Reads the remaining credit from the answers of each type that reports it.
#include "adapters/credit.hpp"
#include "tests/unit/test.hpp"
#include <boost/json/parse.hpp>
using namespace usershell::adapters;
BOOST_AUTO_TEST_CASE(a_credit_is_a_number_and_a_currency) {
    const struct {
        const char *type, *host, *answer, *credit; ///< empty: none
    } table[] = {
        {"openrouter", "openrouter.ai", R"({"data":{"limit":20,"limit_remaining":12.345}})",
         "12.35 USD"},
        {"openrouter", "openrouter.ai", R"({"data":{"limit":null,"limit_remaining":null}})", ""},
        {"deepseek", "api.deepseek.com",
         R"({"balance_infos":[{"currency":"CNY","total_balance":"110.00"}]})", "110.00 CNY"},
        {"deepseek", "api.deepseek.com",
         R"({"balance_infos":[{"currency":"sk-1","total_balance":"110.00"}]})", ""},
        {"deepseek", "api.deepseek.com",
         R"({"balance_infos":[{"currency":"USD","total_balance":"1 key"}]})", ""},
        {"deepseek", "api.deepseek.com", R"({"balance_infos":[]})", ""},
        {"moonshot", "api.moonshot.ai", R"({"code":0,"data":{"available_balance":-1}})",
         "-1.00 USD"},
        {"moonshot", "api.moonshot.cn", R"({"code":0,"data":{"available_balance":49.58}})",
         "49.58 CNY"},
        {"siliconflow", "api.siliconflow.com", R"({"data":{"totalBalance":"88.00"}})", "88.00 USD"},
        {"siliconflow", "api.siliconflow.com", R"({"data":{"totalBalance":"1e300"}})", ""},
        {"siliconflow", "api.siliconflow.com", R"({"data":{"totalBalance":"nan"}})", ""},
        {"siliconflow", "api.siliconflow.com", R"({"data":{"totalBalance":true}})", ""},
    };
    for (const auto& [type, host, answer, credit] : table) BOOST_TEST_CONTEXT(answer) {
            const auto base = BaseUrl::parse(std::string{"https://"} + host + "/v1");
            const auto read =
                read_credit(*find_credit_source(type), base, boost::json::parse(answer));
            BOOST_TEST((read ? read->amount + " " + read->currency : "") == credit);
        }
    BOOST_TEST(find_credit_source("openai") == nullptr);
}
