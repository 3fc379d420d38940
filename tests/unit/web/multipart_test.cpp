#include "refusal_check.hpp"
#include "web/body.hpp"

#include <string>
#include <vector>

using namespace usershell;
using namespace usershell::test;
using namespace usershell::web;
using namespace std::string_literals;

namespace {

const std::string type = "multipart/form-data; boundary=XX";

std::string part(const std::string& headers, const std::string& content) {
    return "--XX\r\n" + headers + "\r\n\r\n" + content + "\r\n";
}

std::string field(const std::string& name, const std::string& content) {
    return part("Content-Disposition: form-data; name=\"" + name + "\"", content);
}

std::string outcome(const std::string& content_type, const std::string& body) {
    return outcome_of([&] { parse_multipart(content_type, body); });
}

void all_are(const std::string& expected, const std::vector<std::string>& bodies) {
    for (const auto& body : bodies) BOOST_TEST(outcome(type, body) == expected, body);
}

const std::string disposition = "Content-Disposition: form-data; name=\"a\"";

} // namespace

BOOST_AUTO_TEST_SUITE(multipart)

BOOST_AUTO_TEST_CASE(a_browsers_form_is_read) {
    const std::string image{"\x89PNG\r\n\x1a\n\0--XX\r\r\n--X\n\xff", 21};
    const std::string body = field("token", "t\xc3\xa9xt") +
                             part("Content-Disposition: form-data; name=\"Avatar\"; "
                                  "filename=\"../caf\xc3\xa9 %22x%22.png\"\r\n"
                                  "Content-Type: image/png",
                                  image) +
                             field("token", "second") + "--XX--\r\n";
    const Form form = parse_multipart(type, body);
    BOOST_TEST(form.fields.size() == 1U);
    BOOST_TEST((form.fields.at("token") == "t\xc3\xa9xt"));
    BOOST_REQUIRE(form.files.size() == 1U);
    BOOST_TEST(form.files.at("Avatar") == image);
}

BOOST_AUTO_TEST_CASE(an_empty_file_input_is_an_empty_file) {
    const std::string body =
        part(disposition + "; filename=\"\"\r\nContent-Type: application/octet-stream", "") +
        "--XX--";
    BOOST_TEST(parse_multipart(type, body).files.at("a").empty());
}

BOOST_AUTO_TEST_CASE(content_types_carry_the_boundary) {
    const std::string body = field("a", "1") + "--XX--\r\n";
    for (const std::string good :
         {"multipart/form-data; boundary=XX", "Multipart/Form-Data;BOUNDARY=\"XX\"",
          "multipart/form-data ; charset=utf-8; boundary=XX "})
        BOOST_TEST(outcome(good, body) == "served", good);
    for (const std::string bad :
         {"multipart/form-data", "multipart/form-data; boundary=",
          "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"XX",
          "multipart/form-data; boundary=XX; boundary=YY", "multipart/form-data; boundary=YY",
          "multipart/form-data; boundary=\"X X \"", "multipart/form-data; boundary=\"X\r\nX\"",
          "multipart/mixed; boundary=XX", "text/plain; boundary=XX", ""})
        BOOST_TEST(outcome(bad, body) == "invalid_field", bad);
}

BOOST_AUTO_TEST_CASE(a_boundary_has_70_bytes_at_most) {
    const auto outcome_with = [](const std::string& boundary) {
        return outcome("multipart/form-data; boundary=" + boundary,
                       "--" + boundary + "\r\n" + disposition + "\r\n\r\n1\r\n--" + boundary +
                           "--");
    };
    BOOST_TEST(outcome_with(std::string(70, '-')) == "served");
    BOOST_TEST(outcome_with(std::string(71, '-')) == "invalid_field");
}

BOOST_AUTO_TEST_CASE(bodies_that_are_no_form_are_refused) {
    const std::string one = field("a", "1");
    all_are("served",
            {"--XX--", "--XX--\r\n", "--XX \t\r\n" + disposition + "\r\n\r\n1\r\n--XX-- \r\n"});
    all_are("invalid_field", {"", "--XX", "--XX\r\n", "preamble\r\n--XX--", one, one + "--XX",
                              one + "--XX-", one + "--XX--\r\nepilogue", one + "--XX--epilogue",
                              field("a", "1\r\n--XXY") + "--XX--",
                              "--XX\n" + disposition + "\n\n1\n--XX--", "--XX\r\n\r\n1\r\n--XX--"});
    all_are("invalid_field a", {field("a", "\xff") + "--XX--", field("a", "1\0"s) + "--XX--"});
}

BOOST_AUTO_TEST_CASE(a_part_has_one_disposition_and_nothing_nested_or_encoded) {
    const std::string all_refused[] = {
        "",
        "Content-Type: text/plain",
        R"(Content-Disposition: attachment; name="a")",
        "Content-Disposition: form-data",
        disposition + "; name=\"b\"",
        disposition + "\r\n" + disposition,
        disposition + "; filename*=utf-8''x",
        disposition + "; filename=\"x",
        disposition + "\r\n folded: yes",
        disposition + "\r\nno colon",
        disposition + "\r\nbare: a\nb",
        "X: \0\r\n"s + disposition,
        disposition + "\r\nContent-Type: Multipart/Mixed; boundary=YY",
        disposition + "\r\nContent-Transfer-Encoding: base64",
        disposition + "\r\nX: " + std::string(2048, 'x'),
    };
    for (const std::string& headers : all_refused)
        BOOST_TEST(outcome(type, part(headers, "MQ==") + "--XX--") == "invalid_field", headers);
    const std::string binary = disposition + "\r\nContent-Transfer-Encoding: BINARY";
    BOOST_TEST(outcome(type, part(binary, "1") + "--XX--") == "served");
}

BOOST_AUTO_TEST_CASE(sixteen_parts_are_enough) {
    std::string body;
    for (int i = 0; i < 16; ++i) body += field("f" + std::to_string(i), "x");
    BOOST_TEST(parse_multipart(type, body + "--XX--").fields.size() == 16U);
    BOOST_TEST(outcome(type, body + field("more", "x") + "--XX--") == "invalid_field");
}

/// Every cut and every changed byte is either read or refused, never more.
BOOST_AUTO_TEST_CASE(broken_bodies_are_refused_cleanly) {
    const std::string whole =
        field("a", "1") + part(disposition + "; filename=\"f\"", "\r\n--X") + "--XX--";
    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(outcome(type, whole.substr(0, length)) == "invalid_field");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char byte : {'\0', '\r', '-', '"', ';', '\xff'}) {
            std::string changed = whole;
            changed[at] = byte;
            const std::string result = outcome(type, changed);
            BOOST_TEST((result == "served" || result.starts_with("invalid_field")), result);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
