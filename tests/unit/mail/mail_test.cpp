// How the mail sender turns a queued mail into a message.
#include "crypto/envelope/sealers.hpp"
#include "mail/sender.hpp"
#include "mail/services.hpp"
#include "tests/unit/crypto/support.hpp"
#include <limits>
using namespace usershell::mail;
using std::chrono::seconds;
using Reason = crypto::UnsealError::Reason;
namespace {
struct Queued {
    test::Rings rings = test::new_rings();
    crypto::MailSealer sealer{rings.auth_secret, rings.mail_public};
    MailOpener opener{rings.mail_secret, rings.auth_public};
    std::chrono::sys_seconds until{seconds{1767225600}};
    store::TakenMail mail = queue("content");
    store::TakenMail queue(const std::string& content) const {
        const auto owner = crypto::random_id<UserId>();
        const auto id = crypto::random_id<MailId>();
        return {owner, id, "notice", sealer.seal({owner, id, until}, content), 1};
    }
    std::optional<Reason> outcome(const store::TakenMail& taken) const {
        try {
            const auto opened = opener.open(taken);
            BOOST_TEST((opened.content.reveal() == "content"));
            BOOST_TEST((opened.valid_until == until));
            return std::nullopt;
        } catch (const crypto::UnsealError& error) {
            return error.reason();
        }
    }
    /// Of a record with these fields, signed by that ring and sealed to the mail ring.
    std::optional<Reason> outcome_of(std::initializer_list<std::string_view> fields,
                                     const auto& signer) const {
        auto other = mail;
        other.sealed = crypto::SealedMail{
            crypto::sealer_to(crypto::EnvelopeKind::mail, signer, rings.mail_public)
                .seal(mail.owner, fields)};
        return outcome(other);
    }
    std::optional<Reason> outcome_of(std::initializer_list<std::string_view> fields) const {
        return outcome_of(fields, rings.auth_secret);
    }
};
} // namespace
BOOST_TEST_DONT_PRINT_LOG_VALUE(std::optional<Reason>)

BOOST_FIXTURE_TEST_CASE(mails_of_every_size_come_back, Queued) {
    for (const std::size_t size : {0U, 1U, 127U, 128U, 5000U}) {
        const std::string content(size, 'm');
        const auto opened = opener.open(queue(content));
        BOOST_TEST((opened.content.reveal() == content));
    }
    const test::Vectors vectors;
    const auto golden = vectors.rings();
    const MailOpener reader{golden.mail_secret, golden.auth_public};
    const auto opened =
        reader.open({vectors.id<UserId>("owner"), vectors.id<MailId>("mail"), "notice",
                     crypto::SealedMail{vectors.bytes("sealed mail")}, 1});
    BOOST_TEST((opened.content.reveal() == vectors.text("content")));
    BOOST_TEST((opened.valid_until == until));
}

// Another kind of envelope, another signer: attack/test_database.py.
BOOST_FIXTURE_TEST_CASE(a_mail_opens_in_its_own_row_alone, Queued) {
    BOOST_TEST((outcome(mail) == std::nullopt));
    auto renamed = mail;
    renamed.id = crypto::random_id<MailId>();
    BOOST_TEST((outcome(renamed) == Reason::moved));
    auto given_away = mail;
    given_away.owner = crypto::random_id<UserId>();
    BOOST_TEST((outcome(given_away) == Reason::damaged));
    auto emptied = mail;
    emptied.sealed = crypto::SealedMail{""};
    BOOST_TEST((outcome(emptied) == Reason::damaged));
}

BOOST_FIXTURE_TEST_CASE(a_record_must_have_a_mails_fields_and_the_auth_rings_signature, Queued) {
    const auto& id = mail.id.text();
    BOOST_TEST((outcome_of({id, "1767225600", "content"}) == std::nullopt));
    BOOST_TEST((outcome_of({id, "content"}) == Reason::damaged));
    for (const char* const time : {"", "soon", "1767225600 ", "99999999999999999999"})
        BOOST_TEST((outcome_of({id, time, "content"}) == Reason::damaged), time);
    BOOST_TEST(
        (outcome_of({id, "1767225600", "content"}, rings.web_secret) == Reason::key_unavailable));
}

BOOST_FIXTURE_TEST_CASE(mail_waits_twice_as_long_each_time_up_to_an_hour, Queued) {
    const std::pair<int, int> table[] = {
        {1, 10},      {2, 20},   {3, 40},    {4, 80},
        {8, 1280},    {9, 2560}, {10, 3600}, {11, 3600},
        {1000, 3600}, {0, 10},   {-1, 10},   {std::numeric_limits<int>::max(), 3600},
    };
    for (const auto& [tries, wait] : table)
        BOOST_TEST((delay_after(tries) == seconds{wait}), tries);
}
