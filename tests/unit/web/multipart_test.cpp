#include "refusal_check.hpp"
#include "web/body.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace usershell;
using namespace usershell::test;
using namespace usershell::web;

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
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"multipart/form-data; boundary=XX", "served"},
        {"Multipart/Form-Data;BOUNDARY=\"XX\"", "served"},
        {"multipart/form-data ; charset=utf-8; boundary=XX ", "served"},
        {"multipart/form-data", "invalid_field"},
        {"multipart/form-data; boundary=", "invalid_field"},
        {"multipart/form-data; boundary=\"\"", "invalid_field"},
        {"multipart/form-data; boundary=\"XX", "invalid_field"},
        {"multipart/form-data; boundary=XX; boundary=YY", "invalid_field"},
        {"multipart/form-data; boundary=YY", "invalid_field"},
        {"multipart/form-data; boundary=\"X X \"", "invalid_field"},
        {"multipart/form-data; boundary=\"X\r\nX\"", "invalid_field"},
        {"multipart/mixed; boundary=XX", "invalid_field"},
        {"text/plain; boundary=XX", "invalid_field"},
        {"", "invalid_field"},
    };
    for (const auto& [content_type, expected] : rows)
        BOOST_TEST(outcome(content_type, field("a", "1") + "--XX--\r\n") == expected, content_type);
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
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"--XX--", "served"},
        {"--XX--\r\n", "served"},
        {"--XX \t\r\n" + disposition + "\r\n\r\n1\r\n--XX-- \r\n", "served"},
        {"", "invalid_field"},
        {"--XX", "invalid_field"},
        {"--XX\r\n", "invalid_field"},
        {"preamble\r\n--XX--", "invalid_field"},
        {field("a", "1"), "invalid_field"},
        {field("a", "1") + "--XX", "invalid_field"},
        {field("a", "1") + "--XX-", "invalid_field"},
        {field("a", "1") + "--XX--\r\nepilogue", "invalid_field"},
        {field("a", "1") + "--XX--epilogue", "invalid_field"},
        {field("a", "1\r\n--XXY") + "--XX--", "invalid_field"},
        {"--XX\n" + disposition + "\n\n1\n--XX--", "invalid_field"},
        {part("", "1") + "--XX--", "invalid_field"},
        {"--XX\r\n\r\n1\r\n--XX--", "invalid_field"},
        {part("Content-Type: text/plain", "1") + "--XX--", "invalid_field"},
        {part("Content-Disposition: attachment; name=\"a\"", "1") + "--XX--", "invalid_field"},
        {part("Content-Disposition: form-data", "1") + "--XX--", "invalid_field"},
        {part(disposition + "; name=\"b\"", "1") + "--XX--", "invalid_field"},
        {part(disposition + "\r\n" + disposition, "1") + "--XX--", "invalid_field"},
        {part(disposition + "; filename*=utf-8''x", "1") + "--XX--", "invalid_field"},
        {part(disposition + "; filename=\"x", "1") + "--XX--", "invalid_field"},
        {part(disposition + "\r\n folded: yes", "1") + "--XX--", "invalid_field"},
        {part(disposition + "\r\nno colon", "1") + "--XX--", "invalid_field"},
        {part(disposition + "\r\nbare: a\nb", "1") + "--XX--", "invalid_field"},
        {part(std::string{"X: \0\r\n", 6} + disposition, "1") + "--XX--", "invalid_field"},
        {part(disposition + "\r\nContent-Type: Multipart/Mixed; boundary=YY", "1") + "--XX--",
         "invalid_field"},
        {part(disposition + "\r\nContent-Transfer-Encoding: base64", "MQ==") + "--XX--",
         "invalid_field"},
        {part(disposition + "\r\nContent-Transfer-Encoding: BINARY", "1") + "--XX--", "served"},
        {part(disposition + "\r\nX: " + std::string(2048, 'x'), "1") + "--XX--", "invalid_field"},
        {field("a", "\xff") + "--XX--", "invalid_field a"},
        {field("a", std::string{"1\0", 2}) + "--XX--", "invalid_field a"},
    };
    for (const auto& [body, expected] : rows) BOOST_TEST(outcome(type, body) == expected, body);
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
