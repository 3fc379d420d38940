// The form of what usershell-execute and usershell-opener send to each other: what one writes the
// other reads, and every other sequence of bytes is refused.
#include "opener/wire/protocol.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::opener;
namespace {
const std::string uuid = "5f6f1c0e-0000-4000-8000-000000000001";
const auto user = *UserId::parse(uuid);
const auto provider_id = *ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002");
const auto account_id = *AccountId::parse("5f6f1c0e-0000-4000-8000-000000000003");
const store::CallId call_id{user, "5f6f1c0e-0000-4000-8000-000000000004"};
std::vector<Request> requests() {
    return {BeginCall{std::string(32, 'h'), uuid, provider_id, account_id, store::TakesTurn::yes},
            BeginCall{std::string(32, '\0'), uuid},
            BeginTokenCall{uuid,
                           {.proof = {std::string(12, 's'), std::string(32, 'v')},
                            .route = "chat",
                            .network = "192.0.0.0/16",
                            .need = {7, 8},
                            .model = "m@h"}},
            BeginTokenCall{uuid, {.proof = {std::string(12, 's'), std::string(32, 'v')}}},
            LoadProvider{call_id, provider_id, std::string(max_model_name, 'm'), {1, 2}},
            NextKey{call_id, provider_id, account_id, true},
            NextKey{call_id, provider_id}};
}
OpenedProvider some_provider() {
    OpenedProvider provider{
        store::CallProvider{.id = provider_id,
                            .name = "Mine",
                            .type = find_provider_type("openai"),
                            .base_url = "https://a.example/v1",
                            .is_active = true,
                            .round_robin_accounts = true,
                            .own_key = store::CallKey{.account = {}, .name = {}},
                            .accounts = {{account_id, "Work", true, true, true}},
                            .headers = {"x-tenant", "x-other"},
                            .enabled_models = {"a"},
                            .all_models = {"a", "b"}}};
    provider.first_key = {crypto::Secret{"sk-1"}, std::string(32, 'd')};
    provider.header_values.emplace();
    provider.header_values->emplace_back(crypto::Secret{"acme"});
    provider.header_values->emplace_back(crypto::UnsealError::Reason::moved);
    return provider;
}
std::vector<Answer> answers() {
    std::vector<Answer> all;
    all.emplace_back(Trouble::failed);
    all.emplace_back(std::optional<CallStart>{});
    CallStart start{.caller = {.user = user,
                               .session = *SessionId::parse(uuid),
                               .antiforgery_key = std::string("\0key", 4)},
                    .call = call_id};
    start.providers.push_back(some_provider());
    all.emplace_back(std::optional{std::move(start)});
    all.emplace_back(std::optional{TokenCallStart{
        .user = user,
        .outcome = store::TokenOutcome::too_many_requests,
        .wait = 42s,
        .limits = {true, false, true},
        .providers = {{provider_id, "h", find_provider_type("openai"), true, {"a"}, {"b"}}},
        .loaded = some_provider()}});
    all.emplace_back(std::optional{LoadedProvider{store::TokenOutcome::begun, some_provider()}});
    FoundKey found{.type = "openai", .base_url = "https://a.example/v1"};
    found.key = {crypto::UnsealError::Reason::address_changed, std::string(32, 'd')};
    found.headers.push_back({"x-tenant", crypto::Secret{"acme"}});
    all.emplace_back(std::optional{std::move(found)});
    return all;
}
template <class Value>
std::string bytes_of(Value value) {
    return std::string{std::string_view{encoded(std::move(value))}};
}
template <class Read>
bool is_malformed(Read read, std::string_view bytes) {
    try {
        read(bytes);
        return false;
    } catch (const Malformed&) {
        return true;
    }
}
} // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
    for (const Request& request : requests()) {
        const std::string bytes = bytes_of(request);
        BOOST_TEST(bytes.size() <= max_request);
        const Request read = read_request(bytes);
        BOOST_TEST(read.index() == request.index());
        BOOST_TEST((bytes_of(read) == bytes));
    }
    for (Answer& answer : answers()) {
        const auto index = answer.index();
        const std::string bytes = bytes_of(std::move(answer));
        Answer read = read_answer(bytes);
        BOOST_TEST(read.index() == index);
        BOOST_TEST((bytes_of(std::move(read)) == bytes));
    }
}

BOOST_AUTO_TEST_CASE(every_field_of_a_request_arrives) {
    const auto begin = std::get<BeginCall>(read_request(bytes_of(requests()[0])));
    BOOST_TEST(begin.calls_token_hash == std::string(32, 'h'));
    BOOST_TEST((begin.provider == provider_id && begin.only == account_id));
    BOOST_TEST((begin.turn == store::TakesTurn::yes));
    const auto token = std::get<BeginTokenCall>(read_request(bytes_of(requests()[2]))).request;
    BOOST_TEST((token.proof.selector == std::string(12, 's') && token.route == "chat"));
    BOOST_TEST((token.network == "192.0.0.0/16" && token.model == "m@h"));
    BOOST_TEST((token.need.input == 7 && token.need.output == 8));
    const auto next = std::get<NextKey>(read_request(bytes_of(requests()[5])));
    BOOST_TEST((next.call.id == call_id.id && next.account == account_id && next.with_headers));
}

BOOST_AUTO_TEST_CASE(a_part_of_a_message_is_none_nor_is_one_with_more_behind_it) {
    for (const Request& request : requests()) {
        const std::string bytes = bytes_of(request);
        for (std::size_t size = 0; size < bytes.size(); ++size)
            BOOST_TEST(is_malformed(read_request, std::string_view{bytes}.substr(0, size)));
        BOOST_TEST(is_malformed(read_request, bytes + '\0'));
    }
    for (Answer& answer : answers()) {
        const std::string bytes = bytes_of(std::move(answer));
        for (std::size_t size = 0; size < bytes.size(); ++size)
            BOOST_TEST(is_malformed(read_answer, std::string_view{bytes}.substr(0, size)));
        BOOST_TEST(is_malformed(read_answer, bytes + '\0'));
    }
    BOOST_TEST(is_malformed(read_request, std::string(max_request + 1, '\0')));
}

/// Eight bytes.
std::string number(int last) { return std::string(7, '\0') + static_cast<char>(last); }

BOOST_AUTO_TEST_CASE(kinds_lengths_and_booleans_are_as_defined) {
    const std::string good = bytes_of(requests()[1]); // kind, hash, id, no provider, no account
    BOOST_TEST(!is_malformed(read_request, good));
    const std::size_t hash_at = 8, id_at = hash_at + 8 + 32, flags_at = id_at + 8 + 36;
    const auto with = [&](std::size_t at, const std::string& bytes) {
        std::string changed = good;
        return changed.replace(at, bytes.size(), bytes);
    };
    BOOST_TEST(is_malformed(read_request, with(0, number(4)))); // no such kind
    BOOST_TEST(is_malformed(read_request, with(0, std::string(8, '\xff'))));
    for (const int size : {0, 31, 33, 255}) {
        BOOST_TEST(is_malformed(read_request, with(hash_at, number(size))));
        BOOST_TEST(is_malformed(read_request, with(id_at, number(size))));
    }
    BOOST_TEST(is_malformed(read_request, with(hash_at, std::string(8, '\xff'))));
    for (const char* id :
         {"5F6F1C0E-0000-4000-8000-000000000001", "5f6f1c0e_0000-4000-8000-000000000001",
          "5f6f1c0e-0000-4000-8000-00000000000'"})
        BOOST_TEST(is_malformed(read_request, with(id_at + 8, id)));
    for (const std::size_t flag : {0U, 1U, 2U}) // provider, account, turn
        BOOST_TEST(is_malformed(read_request, with(flags_at + 8 * flag, number(2))));
}

BOOST_AUTO_TEST_CASE(nothing_too_long_is_written) {
    const auto refused = [](const Request& request) {
        return is_malformed([&](std::string_view) { encoded(request); }, "");
    };
    BOOST_TEST(refused(BeginCall{std::string(31, 'h'), uuid}));
    BOOST_TEST(refused(BeginCall{std::string(32, 'h'), "a call"}));
    BOOST_TEST(refused(LoadProvider{call_id, provider_id, std::string(max_model_name + 1, 'm')}));
    BOOST_TEST(refused(LoadProvider{call_id, provider_id, "m", {-1, 0}}));
    for (const auto& proof : {crypto::TokenProof{std::string(11, 's'), std::string(32, 'v')},
                              crypto::TokenProof{std::string(12, 's'), std::string(33, 'v')}})
        BOOST_TEST(refused(BeginTokenCall{uuid, {.proof = proof}}));
}
