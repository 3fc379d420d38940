// Mail as a scripted SMTP server receives it, and what each of its replies means.
#include "net/smtp/mail.hpp"
#include "tests/unit/net/scripted_server.hpp"
using namespace usershell::net;
BOOST_TEST_DONT_PRINT_LOG_VALUE(Delivery)
namespace {
Mail plain_mail() {
    Mail mail;
    mail.message_id = "0123-abcd";
    mail.from_address = "noreply@example.org";
    mail.from_name = "User shell";
    mail.to_address = "ann@example.com";
    mail.subject = "Confirm your new address";
    mail.text = "Hello Ann,\n\nhttps://example.org/c?a=1&b=2\r\n.\nBye \n";
    mail.html = "<p>Hello \xc3\x84nn</p>\n";
    using namespace std::chrono;
    mail.date = sys_days{2026y / 11 / 5} + 9h + 3min + 7s;
    return mail;
}
/// Replies to commands, and what was received. An empty reply closes; "-" waits for the end.
struct SmtpScript {
    std::string greeting = "220 ready";
    std::string hello = "250-test\r\n250-SMTPUTF8\r\n250 AUTH PLAIN";
    std::string sign_in = "235 welcome";
    std::string sender = "250 ok";
    std::string recipient = "250 ok";
    std::string data = "354 go on";
    std::string message = "250 queued";
    std::string goodbye = "221 bye";
    std::vector<std::string> commands{};
    std::string received{};
    static bool reply(Connection& peer, const std::string& text) {
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
        return std::ranges::find(commands, command) != commands.end();
    }
};
std::pair<DeliveryResult, SmtpScript> deliver_to(SmtpScript script, const Mail& mail = plain_mail(),
                                                 const std::string& user = {},
                                                 std::chrono::seconds timeout = 3600s,
                                                 const std::string& ca_file = {}) {
    ScriptedServer server{[&](Connection& peer) { script(peer); }};
    const auto result = deliver({.url = "smtp://" + server.authority(),
                                 .user = user,
                                 .password = "s3cret",
                                 .ca_file = ca_file},
                                mail, timeout);
    server.finish();
    return {result, std::move(script)};
}
/// The message that arrives, LF line ends, its random boundary written as BOUNDARY.
std::string received(const Mail& mail) {
    std::string text = deliver_to({}, mail).second.received;
    const auto begin = text.find("boundary=") + 9;
    const std::string boundary = text.substr(begin, text.find('\n', begin) - begin);
    BOOST_TEST(boundary.size() > 30u);
    for (auto at = text.find(boundary); at != std::string::npos; at = text.find(boundary))
        text.replace(at, boundary.size(), "BOUNDARY");
    return text;
}
std::string header_of(const std::string& message, const std::string& name) {
    const auto begin = message.find("\n" + name + ": ") + name.size() + 3;
    auto end = message.find('\n', begin);
    while (message[end + 1] == ' ') end = message.find('\n', end + 1);
    return message.substr(begin, end - begin);
}

BOOST_AUTO_TEST_CASE(reads_as_the_standards_say) {
    BOOST_TEST(received(plain_mail()) ==
               "Content-Type: multipart/alternative; boundary=BOUNDARY\n"
               "From: \"User shell\"\n <noreply@example.org>\n"
               "To: <ann@example.com>\n"
               "Subject: Confirm your new address\n"
               "Date: Thu, 05 Nov 2026 09:03:07 +0000\n"
               "Message-ID: <0123-abcd@example.org>\n"
               "Auto-Submitted: auto-generated\n"
               "MIME-Version: 1.0\n"
               "\n"
               "--BOUNDARY\n"
               "Content-Type: text/plain; charset=utf-8\n"
               "Content-Transfer-Encoding: quoted-printable\n"
               "\n"
               "Hello Ann,\n\nhttps://example.org/c?a=3D1&b=3D2\n..\nBye=20\n\n" // a dot stuffed
               "--BOUNDARY\n"
               "Content-Type: text/html; charset=utf-8\n"
               "Content-Transfer-Encoding: quoted-printable\n"
               "\n"
               "<p>Hello =C3=84nn</p>\n\n"
               "--BOUNDARY--\n");
}

BOOST_AUTO_TEST_CASE(headers_are_encoded_where_they_must_be) {
    const std::string euro = "\xe2\x82\xac";
    const std::string coded = "=E2=82=AC";
    const auto euros = [](std::string_view one, int count) {
        std::string text;
        for (int i = 0; i < count; ++i) text += one;
        return text;
    };
    const std::string address = "\n <noreply@example.org>";
    const std::string special = "=?UTF-8?Q?a=5Fb=20=3D=3FUTF=2D8=3FQ=3Fx=3F=3D?=";
    const std::string thirteen = "=?UTF-8?Q?a" + euros(coded, 6) + "?=\n =?UTF-8?Q?" +
                                 euros(coded, 6) + "?=\n =?UTF-8?Q?" + coded + "?=";
    const std::string long_one =
        "=?UTF-8?Q?" + std::string(55, 'x') + "?=\n =?UTF-8?Q?" + std::string(6, 'x') + "?=";
    const std::tuple<std::string, std::string, std::string> table[] = {
        {"", "", ""},
        {R"(Say "hi" \ to)", R"(Say "hi" \ to)", R"("Say \"hi\" \\ to")"},
        {"a_b =?UTF-8?Q?x?=", special, special},
        {"a" + euros(euro, 13), thirteen, thirteen}, // 55 characters a word, none cut
        {std::string(61, 'x'), long_one, long_one},
    };
    for (const auto& [text, subject, name] : table) BOOST_TEST_CONTEXT(text) {
            Mail mail = plain_mail();
            mail.from_name = mail.subject = text;
            const std::string message = received(mail);
            BOOST_TEST(header_of(message, "Subject") == subject);
            BOOST_TEST(header_of(message, "From") ==
                       (name.empty() ? address.substr(2) : name + address));
        }
}

// No connection is made: nothing listens on the port.
BOOST_AUTO_TEST_CASE(nothing_can_be_injected) {
    const auto refused = [](std::string Mail::*field, const std::string& value,
                            const char* url = "smtp://127.0.0.1:1") {
        Mail mail = plain_mail();
        mail.*field = value;
        BOOST_TEST_CONTEXT(value)
        BOOST_CHECK_THROW(
            deliver({.url = url, .user = {}, .password = {}, .ca_file = {}}, mail, 1s), MailError);
    };
    const std::string hostile[] = {"a\r\nBcc: b@example.com",
                                   "a\nb",
                                   "a\rb",
                                   {'a', '\0', 'b'},
                                   "a\x7f",
                                   "\x01",
                                   "\xc2\x85",
                                   "\xff"};
    for (const auto& bad : hostile) {
        for (const auto field : {&Mail::subject, &Mail::from_name, &Mail::message_id})
            refused(field, bad);
        for (const auto field : {&Mail::to_address, &Mail::from_address})
            refused(field, bad + "@example.com");
    }
    for (const char* bad :
         {"", "a", "@b", "a@", "a b@c", "a@b>", "a,b@c", "<a@b>", "a@b\r\nRCPT TO:<c@d>"})
        for (const auto field : {&Mail::to_address, &Mail::from_address}) refused(field, bad);
    for (const auto field : {&Mail::text, &Mail::html}) refused(field, "\xff");
    for (const char* url : {"http://127.0.0.1:1", "file:///etc/passwd", "nonsense"})
        refused(&Mail::subject, "good", url);
}

BOOST_AUTO_TEST_CASE(a_user_signs_in_and_a_message_arrives) {
    const auto [result, told] = deliver_to({}, plain_mail(), "mailer");
    BOOST_TEST((result.outcome == Delivery::delivered), result.reason);
    BOOST_TEST(told.was_told("AG1haWxlcgBzM2NyZXQ=")); // NUL mailer NUL s3cret
    BOOST_TEST(told.was_told("MAIL FROM:<noreply@example.org>"));
    BOOST_TEST(told.was_told("RCPT TO:<ann@example.com>"));
    BOOST_TEST(told.was_told("QUIT"));
}

BOOST_AUTO_TEST_CASE(each_reply_has_its_consequence) {
    const std::string message = ": the mail server refused the message";
    const std::string talk = ": the mail server refused to talk";
    const std::string broken = "the conversation with the mail server broke off";
    const std::tuple<const char*, SmtpScript, Delivery, std::string> rows[] = {
        {"greylisted", {.recipient = "450 4.7.1 later"}, Delivery::try_later, "450" + message},
        {"unknown", {.recipient = "550 5.1.1 <ann@x> no"}, Delivery::refused, "550" + message},
        {"sender refused", {.sender = "553 no"}, Delivery::refused, "553" + message},
        {"TLS wanted", {.sender = "530 STARTTLS first"}, Delivery::try_later, "530" + message},
        {"data refused", {.data = "554 no"}, Delivery::refused, "554" + message},
        {"message refused", {.message = "552 too big"}, Delivery::refused, "552" + message},
        {"we are refused", {.greeting = "554 go away"}, Delivery::try_later, "554" + talk},
        {"server busy", {.greeting = "421 busy"}, Delivery::try_later, "421" + talk},
        {"sign-in refused",
         {.sign_in = "535 no"},
         Delivery::try_later,
         "535: the mail server refused the sign-in"},
        {"closes at once", {.greeting = ""}, Delivery::try_later, broken},
        {"closes instead of a receipt", {.message = ""}, Delivery::try_later, broken},
    };
    for (const auto& [name, script, outcome, reason] : rows) BOOST_TEST_CONTEXT(name) {
            const auto [result, told] = deliver_to(script, plain_mail(), "mailer");
            BOOST_TEST((result.outcome == outcome));
            BOOST_TEST(result.reason == reason);
        }
}

BOOST_AUTO_TEST_CASE(a_silent_server_is_waited_for_as_asked_and_one_that_is_away_is_tried_later) {
    for (const SmtpScript& silent :
         {SmtpScript{.greeting = "-"}, SmtpScript{.recipient = "-"}, SmtpScript{.message = "-"}}) {
        const auto [result, told] = deliver_to(silent, plain_mail(), {}, 1s);
        BOOST_TEST((result.outcome == Delivery::try_later));
        BOOST_TEST(result.reason == "the mail server did not answer in time");
    }
    // The time-out is an hour: the return shows that the goodbye is not awaited.
    BOOST_TEST((deliver_to({.goodbye = "-"}).first.outcome == Delivery::delivered));
    const std::string away = ScriptedServer{[](Connection&) {}}.authority();
    const auto result = deliver(
        {.url = "smtp://" + away, .user = {}, .password = {}, .ca_file = {}}, plain_mail(), 3600s);
    BOOST_TEST((result.outcome == Delivery::try_later));
    BOOST_TEST(result.reason == "the mail server can't be reached");
}

// A file of trusted certificates asks for STARTTLS on a loopback host, too.
BOOST_AUTO_TEST_CASE(no_password_goes_out_unencrypted) {
    const auto [result, told] =
        deliver_to({}, plain_mail(), "mailer", 3600s, "/nonexistent/ca.pem");
    BOOST_TEST((result.outcome == Delivery::try_later));
    BOOST_TEST(result.reason == "the mail server offers no STARTTLS");
    for (const auto& command : told.commands) BOOST_TEST(!command.starts_with("AUTH"));
}
} // namespace
