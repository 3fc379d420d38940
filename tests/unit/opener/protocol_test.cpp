// The form of what usershell-execute and usershell-opener send to each other: what one writes the
// other reads, and every other sequence of bytes is refused.
#include "opener/wire/protocol.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::opener;
namespace {
using enum store::CallStatement;
using Values = std::vector<std::optional<std::string>>;
const std::string id = "5f6f1c0e-0000-4000-8000-000000000001";
const std::string hash(32, 'h'), selector(12, 's');
std::vector<Question> questions() {
    return {{begin_call, {hash, id, id, id, "t"}},
            {begin_call, {std::string(32, '\0'), id, std::nullopt, std::nullopt, "f"}},
            {begin_token_call, {selector, hash, id, "chat", "192.0.0.0/16", "7", "8", "m@h"}},
            {begin_token_call, {selector, hash, id, "", "", "0", "999999999999", std::nullopt}},
            {load_provider, {id, id, id, std::string(max_model_name, 'm'), "1", "2"}},
            {next_key, {id, id, id, id, "t"}},
            {next_key, {id, id, id, std::nullopt, "f"}}};
}
std::string bytes_of(const Question& question) {
    return std::string{std::string_view{encoded(question)}};
}
bool is_malformed(const std::function<void()>& act) {
    try {
        act();
        return false;
    } catch (const Malformed&) {
        return true;
    }
}
bool is_no_question(const std::string& bytes) {
    return is_malformed([&] { read_question(bytes); });
}
bool is_no_answer(std::string_view bytes) {
    return is_malformed([&] { Answer{WipedString{bytes}}; });
}
/// Eight bytes.
std::string number(int last) { return std::string(7, '\0') + static_cast<char>(last); }
/// Of two rows, the second with a key that did not open.
std::string an_answer() {
    const store::Texts rows{{"name", "sealed_key"},
                            {{"Mine", "\\x61"}, {std::nullopt, "\\x62"}, {"", std::nullopt}}};
    return std::string{std::string_view{encoded(rows, [](const auto&, const auto& sealed) {
        OpenedKey opened{crypto::Secret{"sk-1"}, std::string(32, 'd')};
        if (sealed.bytes() == "b") opened.key = crypto::UnsealError::Reason::moved;
        return opened;
    })}};
}
} // namespace

BOOST_AUTO_TEST_CASE(a_question_is_read_as_it_is_written) {
    for (const Question& question : questions()) {
        const std::string bytes = bytes_of(question);
        BOOST_TEST(bytes.size() <= max_question);
        const Question read = read_question(bytes);
        BOOST_TEST((read.statement == question.statement));
        BOOST_REQUIRE(read.values.size() == question.values.size());
        for (std::size_t i = 0; i < read.values.size(); ++i)
            if (read.values[i] != question.values[i]) // as the store takes bytes
                BOOST_TEST((read.values[i]->starts_with("\\x") && i < 2));
    }
    BOOST_TEST(read_question(bytes_of(questions()[1])).values[0].value() ==
               "\\x" + std::string(64, '0'));
}

BOOST_AUTO_TEST_CASE(a_part_of_a_message_is_none_nor_is_one_with_more_behind_it) {
    for (const Question& question : questions()) {
        const std::string bytes = bytes_of(question);
        for (std::size_t size = 0; size < bytes.size(); ++size)
            BOOST_TEST(is_no_question(bytes.substr(0, size)));
        for (const std::string& more : {std::string{'\0'}, number(0), number(1)})
            BOOST_TEST(is_no_question(bytes + more));
    }
    const std::string bytes = an_answer();
    for (std::size_t size = 0; size < bytes.size(); ++size)
        BOOST_TEST(is_no_answer(bytes.substr(0, size)));
    BOOST_TEST(is_no_answer(bytes + number(0)));
}

BOOST_AUTO_TEST_CASE(values_of_another_form_are_neither_written_nor_read) {
    BOOST_TEST(is_no_question(number(4)));
    BOOST_TEST(is_no_question(std::string(8, '\xff')));
    const std::string long_id = id + "0", upper = "5F6F1C0E-0000-4000-8000-000000000001",
                      quoted = "5f6f1c0e-0000-4000-8000-00000000000'";
    const std::map<std::size_t, std::vector<std::string>> of_begin{
        {0, {"", std::string(31, 'h'), std::string(33, 'h')}},
        {1, {"", long_id, upper, quoted}},
        {2, {"", long_id, upper}},
        {3, {"", "x"}},
        {4, {"", "true", "T", "1"}},
    };
    const std::map<std::size_t, std::vector<std::string>> of_token{
        {0, {std::string(11, 's'), std::string(13, 's')}},
        {3, {std::string(17, 'r'), "a\nb"}},
        {4, {std::string(65, 'n')}},
        {5, {"", "-1", "+1", "1.0", "1000000000000", " 1", "x"}},
        {7, {std::string(max_model_name + 1, 'm'), std::string("m\0", 2), "\x7f", "\xff"}},
    };
    for (const auto& [number_of_good, wrong] : {std::pair{0U, of_begin}, {2U, of_token}})
        for (const auto& [place, values] : wrong)
            for (const std::string& value : values) {
                Question question = questions()[number_of_good];
                question.values[place] = value;
                BOOST_TEST(is_malformed([&] { encoded(question); }), value);
            }
    for (const Question& question : questions())
        for (std::size_t place = 0; place < question.values.size(); ++place) {
            Question without = question;
            without.values[place].reset();
            const bool may_miss = !is_malformed([&] { encoded(without); });
            const bool is_optional =
                (question.statement == begin_call && (place == 2 || place == 3)) ||
                (question.statement == begin_token_call && place == 7) ||
                (question.statement == next_key && place == 3);
            BOOST_TEST(may_miss == is_optional);
            without.values.pop_back();
            BOOST_TEST(is_malformed([&] { encoded(without); }));
        }
}

// A writer that does not look at forms, as a thief's.
BOOST_AUTO_TEST_CASE(the_reader_looks_itself) {
    const std::string good = bytes_of(questions()[0]);
    const std::size_t hash_at = 8, id_at = hash_at + 8 + 32, flag_at = good.size() - 1;
    const auto with = [&](std::size_t at, const std::string& bytes) {
        std::string changed = good;
        return changed.replace(at, bytes.size(), bytes);
    };
    BOOST_TEST(!is_no_question(good));
    for (const int size : {0, 1, 32, 34, 255}) {
        BOOST_TEST(is_no_question(with(hash_at, number(size))));
        BOOST_TEST(is_no_question(with(id_at, number(size))));
    }
    BOOST_TEST(is_no_question(with(hash_at, std::string(8, '\xff'))));
    BOOST_TEST(is_no_question(with(id_at + 8, "5F6F")));
    BOOST_TEST(is_no_question(with(flag_at, "x")));
    BOOST_TEST(is_no_question(with(0, number(3)))); // fields of another statement
}

BOOST_AUTO_TEST_CASE(rows_are_read_by_column) {
    const Answer answer{WipedString{an_answer()}};
    std::vector<std::string> seen;
    answer.each([&](const Answer::Row& row) {
        const auto opened = row.opened();
        seen.push_back(row.get<std::optional<std::string>>("name").value_or("-") + " " +
                       (!opened                                               ? "none"
                        : std::holds_alternative<crypto::Secret>(opened->key) ? "open"
                                                                              : "closed"));
    });
    BOOST_TEST((seen == std::vector<std::string>{"Mine open", "- closed", " none"}));
    const auto key = answer.front().opened();
    BOOST_TEST(std::get<crypto::Secret>(key->key).reveal() == "sk-1");
    BOOST_TEST(key->digest == std::string(32, 'd'));
    BOOST_CHECK_THROW(answer.front().text_of("email"), Malformed);
    BOOST_TEST(Answer{encoded(store::Texts{{"name"}, {}}, [](const auto&, const auto&) {
                   return OpenedKey{};
               })}.empty());
}

BOOST_AUTO_TEST_CASE(trouble_is_thrown) {
    BOOST_CHECK_EXCEPTION(Answer{encoded(Trouble::unavailable)}, Refusal, [](const Refusal& busy) {
        return busy.code() == ErrorCode::unavailable && busy.retry_after() == 1s;
    });
    BOOST_CHECK_THROW(Answer{encoded(Trouble::failed)}, Error);
    BOOST_TEST(is_no_answer(number(3)));
}
