// Composing mail against golden text; delivering it to a scripted SMTP server.
#include "net/mail.hpp"
#include "tests/unit/net/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

using namespace usershell;
using namespace usershell::net;
using namespace usershell::test;
using namespace std::chrono_literals;

BOOST_TEST_DONT_PRINT_LOG_VALUE(Delivery)

namespace {

Mail plain_mail() {
    Mail mail;
    mail.message_id = "0123-abcd";
    mail.from_address = "noreply@example.org";
    mail.from_name = "User shell";
    mail.to_address = "ann@example.com";
    mail.subject = "Confirm your new address";
    mail.text = "Hello Ann,\n\nhttps://example.org/c?a=1&b=2\n.\nBye \n";
    mail.html = "<p>Hello Ann</p>\n";
    using namespace std::chrono;
    mail.date = sys_days{2026y / 11 / 5} + 9h + 3min + 7s;
    return mail;
}

/// A copy of the plain mail with one thing changed.
template <class Change>
Mail with(Change change) {
    Mail mail = plain_mail();
    change(mail);
    return mail;
}

std::string header_of(const std::string& message, const std::string& name) {
    const auto begin = message.find(name + ": ") + name.size() + 2;
    auto end = message.find("\r\n", begin);
    while (message[end + 2] == ' ') end = message.find("\r\n", end + 2);
    return message.substr(begin, end - begin);
}

} // namespace

BOOST_AUTO_TEST_SUITE(mail_composing)

BOOST_AUTO_TEST_CASE(a_message_reads_as_the_standards_say) {
    BOOST_TEST(compose(plain_mail()) == "From: \"User shell\"\r\n"
                                        " <noreply@example.org>\r\n"
                                        "To: <ann@example.com>\r\n"
                                        "Subject: Confirm your new address\r\n"
                                        "Date: Thu, 05 Nov 2026 09:03:07 +0000\r\n"
                                        "Message-ID: <0123-abcd@example.org>\r\n"
                                        "Auto-Submitted: auto-generated\r\n"
                                        "MIME-Version: 1.0\r\n"
                                        "Content-Type: multipart/alternative;\r\n"
                                        " boundary=\"=_0123-abcd\"\r\n"
                                        "\r\n"
                                        "--=_0123-abcd\r\n"
                                        "Content-Type: text/plain; charset=utf-8\r\n"
                                        "Content-Transfer-Encoding: quoted-printable\r\n"
                                        "\r\n"
                                        "Hello Ann,\r\n"
                                        "\r\n"
                                        "https://example.org/c?a=3D1&b=3D2\r\n"
                                        ".\r\n"
                                        "Bye=20\r\n"
                                        "\r\n"
                                        "--=_0123-abcd\r\n"
                                        "Content-Type: text/html; charset=utf-8\r\n"
                                        "Content-Transfer-Encoding: quoted-printable\r\n"
                                        "\r\n"
                                        "<p>Hello Ann</p>\r\n"
                                        "\r\n"
                                        "--=_0123-abcd--\r\n");
}

BOOST_AUTO_TEST_CASE(no_line_is_too_long_and_no_character_cut) {
    std::string euros;
    for (int i = 0; i < 60; ++i) euros += "\xe2\x82\xac";
    const auto message = compose(with([&](Mail& mail) {
        mail.subject = "a" + euros;
        mail.from_name = euros;
        mail.text = euros + std::string(200, 'x') + "\r\n" + std::string(75, 'y') + "=\n";
    }));
    for (std::size_t begin = 0, end = 0; begin < message.size(); begin = end + 2) {
        end = message.find("\r\n", begin);
        BOOST_TEST(end - begin <= 76u);
        BOOST_TEST(message.substr(begin, end - begin).find_first_of("\r\n") == std::string::npos);
    }
    // 39 bytes a word, cut before a character: "a" and 12 euros, three times 13 and 9.
    const std::string subject = header_of(message, "Subject");
    BOOST_TEST(subject.starts_with(
        "=?UTF-8?B?YeKCrOKCrOKCrOKCrOKCrOKCrOKCrOKCrOKCrOKCrOKCrOKCrA==?=\r\n =?UTF-8?B?4oKs"));
    BOOST_TEST(subject.ends_with("\r\n =?UTF-8?B?4oKs4oKs4oKs4oKs4oKs4oKs4oKs4oKs4oKs?="));
    BOOST_TEST(header_of(message, "From").ends_with("?=\r\n <noreply@example.org>"));
    BOOST_TEST(message.find("=E2=82=AC=E2=82=AC") != std::string::npos);
    BOOST_TEST(message.find("\r\n" + std::string(75, 'y') + "=\r\n=3D\r\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_and_subjects_that_look_like_syntax_stay_text) {
    const auto message = compose(with([](Mail& mail) {
        mail.from_name = R"(Say "hi" \ to)";
        mail.subject = "=?UTF-8?B?eA==?=";
    }));
    BOOST_TEST(header_of(message, "From") ==
               "\"Say \\\"hi\\\" \\\\ to\"\r\n <noreply@example.org>");
    BOOST_TEST(header_of(message, "Subject") == "=?UTF-8?B?PT9VVEYtOD9CP2VBPT0/PQ==?=");
    BOOST_TEST(header_of(compose(with([](Mail& mail) { mail.from_name = ""; })), "From") ==
               "<noreply@example.org>");
}

BOOST_AUTO_TEST_CASE(no_header_can_be_injected) {
    const std::vector<std::string> hostile{"a\r\nBcc: b@example.com",
                                           "a\nb",
                                           "a\rb",
                                           {'a', '\0', 'b'},
                                           "a\x7f",
                                           "\x01",
                                           "\xc2\x85",
                                           "\xff"};
    for (const auto& bad : hostile) {
        BOOST_TEST_CONTEXT(bad) {
            BOOST_CHECK_THROW(compose(with([&](Mail& mail) { mail.subject = bad; })),
                              std::invalid_argument);
            BOOST_CHECK_THROW(compose(with([&](Mail& mail) { mail.from_name = bad; })),
                              std::invalid_argument);
            BOOST_CHECK_THROW(compose(with([&](Mail& mail) { mail.message_id = bad; })),
                              std::invalid_argument);
            BOOST_CHECK_THROW(
                compose(with([&](Mail& mail) { mail.to_address = bad + "@example.com"; })),
                std::invalid_argument);
            BOOST_CHECK_THROW(
                compose(with([&](Mail& mail) { mail.from_address = bad + "@example.com"; })),
                std::invalid_argument);
        }
    }
    for (const char* address : {"", "a", "@b", "a@", "a b@c", "a@b>", "a,b@c", "<a@b>"})
        BOOST_CHECK_THROW(compose(with([&](Mail& mail) { mail.to_address = address; })),
                          std::invalid_argument);
    BOOST_CHECK_THROW(compose(with([](Mail& mail) { mail.text = "\xff"; })), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// What a scripted SMTP server replies to a command, and what it was told.
struct Postman {
    std::string greeting = "220 ready";
    std::string hello = "250-test\r\n250-SMTPUTF8\r\n250 AUTH PLAIN";
    std::string sender = "250 ok";
    std::string recipient = "250 ok";
    std::string data = "354 go on";
    std::string message = "250 queued";
    std::vector<std::string> commands;
    std::string received;

    /// "" as a reply: closes. "-": says nothing and waits for the end.
    bool reply(Connection& peer, const std::string& text) const {
        if (text == "-") peer.wait_for_peer_to_close();
        return !text.empty() && text != "-" && peer.send(text + "\r\n");
    }

    void operator()(Connection& peer) {
        if (!reply(peer, greeting)) return;
        for (std::string command = peer.line(); !command.empty(); command = peer.line()) {
            commands.push_back(command);
            if (!answer(peer, command)) return;
        }
    }

    bool answer(Connection& peer, const std::string& command) {
        if (command.starts_with("EHLO") || command.starts_with("HELO")) return reply(peer, hello);
        if (command == "AUTH PLAIN") {
            peer.send("334 \r\n");
            commands.push_back(peer.line());
            return reply(peer, sign_in);
        }
        if (command.starts_with("MAIL")) return reply(peer, sender);
        if (command.starts_with("RCPT")) return reply(peer, recipient);
        if (command.starts_with("QUIT")) return reply(peer, goodbye);
        if (!command.starts_with("DATA")) return reply(peer, "500 what");
        if (!reply(peer, data) || !data.starts_with("354")) return !data.empty();
        for (std::string line = peer.line(); line != "."; line = peer.line())
            received += line + "\n";
        return reply(peer, message);
    }

    bool was_told(std::string_view command) const {
        return std::find(commands.begin(), commands.end(), command) != commands.end();
    }

    std::string sign_in = "235 welcome";
    std::string goodbye = "221 bye";
};

struct Outcome {
    DeliveryResult result;
    Postman postman;
};

Outcome deliver_to(Postman postman, const std::string& user = {},
                   std::chrono::seconds timeout = 3600s) {
    Outcome outcome{{}, std::move(postman)};
    ScriptedServer server{[&](Connection& peer) { outcome.postman(peer); }};
    MailServer where;
    where.url = "smtp://" + server.authority();
    where.user = user;
    where.password = "s3cret";
    outcome.result =
        deliver(where, "noreply@example.org", "ann@example.com", compose(plain_mail()), timeout);
    server.finish();
    return outcome;
}

} // namespace

BOOST_AUTO_TEST_SUITE(mail_delivering)

BOOST_AUTO_TEST_CASE(a_message_arrives_whole) {
    const auto [result, told] = deliver_to({});
    BOOST_TEST((result.outcome == Delivery::delivered), result.reason);
    BOOST_TEST(told.commands.at(1).starts_with("MAIL FROM:<noreply@example.org>"));
    BOOST_TEST(told.was_told("RCPT TO:<ann@example.com>"));
    BOOST_TEST(told.was_told("QUIT"));
    BOOST_TEST(told.received.find("\n..\nBye=20\n") != std::string::npos); // dot-stuffed on the way
    BOOST_TEST(told.received.starts_with("From: "));
    BOOST_TEST(told.received.ends_with("--=_0123-abcd--\n"));
}

BOOST_AUTO_TEST_CASE(a_user_signs_in) {
    const auto [result, told] = deliver_to({}, "mailer");
    BOOST_TEST((result.outcome == Delivery::delivered), result.reason);
    BOOST_TEST(told.was_told("AG1haWxlcgBzM2NyZXQ=")); // NUL mailer NUL s3cret
}

struct Refusal {
    const char* name;
    Postman postman;
    Delivery outcome;
    const char* reason;
    const char* user = "";
};

template <class Change>
Postman postman(Change change) {
    Postman made;
    change(made);
    return made;
}

BOOST_AUTO_TEST_CASE(each_reply_has_its_consequence) {
    const std::vector<Refusal> rows{
        {"greylisted", postman([](auto& p) { p.recipient = "450 4.7.1 try later"; }),
         Delivery::try_later, "450: the mail server refused the message"},
        {"no such user",
         postman([](auto& p) { p.recipient = "550 5.1.1 <ann@example.com> unknown"; }),
         Delivery::refused, "550: the mail server refused the message"},
        {"sender refused", postman([](auto& p) { p.sender = "553 no"; }), Delivery::refused,
         "553: the mail server refused the message"},
        {"sender later", postman([](auto& p) { p.sender = "451 no"; }), Delivery::try_later,
         "451: the mail server refused the message"},
        {"data refused", postman([](auto& p) { p.data = "554 no"; }), Delivery::refused,
         "554: the mail server refused the message"},
        {"message refused", postman([](auto& p) { p.message = "552 too big"; }), Delivery::refused,
         "552: the mail server refused the message"},
        {"message later", postman([](auto& p) { p.message = "452 full"; }), Delivery::try_later,
         "452: the mail server refused the message"},
        {"we are refused", postman([](auto& p) { p.greeting = "554 go away"; }),
         Delivery::try_later, "554: the mail server refused to talk"},
        {"server busy", postman([](auto& p) { p.greeting = "421 busy"; }), Delivery::try_later,
         "421: the mail server refused to talk"},
        {"TLS wanted",
         postman([](auto& p) { p.sender = "530 Must issue a STARTTLS command first"; }),
         Delivery::try_later, "530: the mail server refused the message"},
        {"sign-in refused", postman([](auto& p) { p.sign_in = "535 no"; }), Delivery::try_later,
         "535: the mail server refused the sign-in", "mailer"},
        {"closes at once", postman([](auto& p) { p.greeting = ""; }), Delivery::try_later,
         "the conversation with the mail server broke off"},
        {"closes after data", postman([](auto& p) { p.data = ""; }), Delivery::try_later,
         "the conversation with the mail server broke off"},
        {"closes instead of a receipt", postman([](auto& p) { p.message = ""; }),
         Delivery::try_later, "the conversation with the mail server broke off"},
    };
    for (const auto& row : rows) {
        BOOST_TEST_MESSAGE(row.name);
        const auto [result, told] = deliver_to(row.postman, row.user);
        BOOST_TEST((result.outcome == row.outcome), row.name << ": " << result.reason);
        BOOST_TEST(result.reason == row.reason, row.name << ": " << result.reason);
    }
}

BOOST_AUTO_TEST_CASE(a_silent_server_is_waited_for_no_longer_than_asked) {
    for (const auto& silent :
         {postman([](auto& p) { p.greeting = "-"; }), postman([](auto& p) { p.recipient = "-"; }),
          postman([](auto& p) { p.message = "-"; })}) {
        const auto [result, told] = deliver_to(silent, {}, 1s);
        BOOST_TEST((result.outcome == Delivery::try_later));
        BOOST_TEST(result.reason == "the mail server did not answer in time");
    }
}

BOOST_AUTO_TEST_CASE(a_delivered_message_does_not_wait_for_the_goodbye) {
    // With an hour to wait, coming back at all is the proof.
    const auto [result, told] = deliver_to(postman([](auto& p) { p.goodbye = "-"; }));
    BOOST_TEST((result.outcome == Delivery::delivered));
}

BOOST_AUTO_TEST_CASE(a_server_that_is_away_is_tried_later) {
    std::string away;
    {
        away = ScriptedServer{[](Connection&) {}}.authority();
    }
    const auto result =
        deliver({.url = "smtp://" + away, .user = {}, .password = {}, .ca_file = {}},
                "a@example.org", "b@example.com", "x", 3600s);
    BOOST_TEST((result.outcome == Delivery::try_later));
    BOOST_TEST(result.reason == "the mail server can't be reached");
}

BOOST_AUTO_TEST_CASE(encryption_is_required_where_it_is_expected) {
    Postman told;
    ScriptedServer server{[&](Connection& peer) { told(peer); }};
    // A file of trusted certificates on a loopback host asks for STARTTLS, which this server does
    // not offer.
    const auto result = deliver({.url = "smtp://" + server.authority(),
                                 .user = "mailer",
                                 .password = "s3cret",
                                 .ca_file = "/nonexistent/ca.pem"},
                                "a@example.org", "b@example.com", "x", 3600s);
    server.finish();
    BOOST_TEST((result.outcome == Delivery::try_later));
    BOOST_TEST(result.reason == "the mail server offers no STARTTLS");
    for (const auto& command : told.commands) BOOST_TEST(!command.starts_with("AUTH"));
}

BOOST_AUTO_TEST_CASE(no_command_can_be_injected) {
    const MailServer server{.url = "smtp://127.0.0.1:1", .user = {}, .password = {}, .ca_file = {}};
    for (const char* bad : {"a@b\r\nRCPT TO:<c@d>", "a b@c", "a@b>", "a", ""}) {
        BOOST_CHECK_THROW(deliver(server, bad, "b@example.com", "x", 1s), std::invalid_argument);
        BOOST_CHECK_THROW(deliver(server, "a@example.org", bad, "x", 1s), std::invalid_argument);
    }
    for (const char* url : {"http://127.0.0.1:1", "file:///etc/passwd", "nonsense"})
        BOOST_CHECK_THROW(
            deliver({.url = url, .user = {}, .password = {}, .ca_file = {}}, "a@b", "c@d", "x", 1s),
            std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
