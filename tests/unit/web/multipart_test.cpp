#include "tests/unit/web/refusal_check.hpp"
#include "web/body.hpp"
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
void all_are(const std::string& expected, const std::vector<std::string>& bodies) {
    for (const auto& body : bodies) BOOST_TEST(outcome(type, body) == expected, body);
}
const std::string disposition = "Content-Disposition: form-data; name=\"a\"";

BOOST_AUTO_TEST_CASE(a_browsers_form_is_read) {
    const std::string image{"\x89PNG\r\n\x1a\n\0--XX\r\r\n--X\n\xff", 21};
    const std::string body =
        part(disposition + "; filename=\"\"\r\nContent-Type: application/octet-stream", "") +
        field("token", "t\xc3\xa9xt") +
        part("Content-Disposition: form-data; name=\"Avatar\"; "
             "filename=\"../caf\xc3\xa9 %22x%22.png\"\r\n"
             "Content-Type: image/png",
             image) +
        field("token", "second") + "--XX--\r\n";
    const Form form = parse_multipart(type, body);
    BOOST_TEST(form.fields.size() == 1U);
    BOOST_TEST((form.fields.at("token") == "t\xc3\xa9xt"));
    BOOST_REQUIRE(form.files.size() == 2U);
    BOOST_TEST(form.files.at("a").empty());
    BOOST_TEST(form.files.at("Avatar") == image);
}

BOOST_AUTO_TEST_CASE(content_types_carry_the_boundary) {
    const std::string body = field("a", "1") + "--XX--\r\n";
    for (const auto* const good :
         {"multipart/form-data; boundary=XX", "Multipart/Form-Data;BOUNDARY=\"XX\"",
          "multipart/form-data ; charset=utf-8; boundary=XX "})
        BOOST_TEST(outcome(good, body) == "served", good);
    for (const auto* const bad :
         {"multipart/form-data", "multipart/form-data; boundary=",
          "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"XX",
          "multipart/form-data; boundary=XX; boundary=YY", "multipart/form-data; boundary=YY",
          "multipart/form-data; boundary=\"X X \"", "multipart/form-data; boundary=\"X\r\nX\"",
          "multipart/mixed; boundary=XX", "text/plain; boundary=XX", ""})
        BOOST_TEST(outcome(bad, body) == "invalid_field", bad);
    for (const std::size_t size : {70U, 71U}) {
        const std::string boundary(size, '-');
        const std::string delimiter = "--" + boundary;
        std::string bounded = delimiter;
        bounded.append("\r\n").append(disposition).append("\r\n\r\n1\r\n");
        bounded.append(delimiter).append("--");
        BOOST_TEST(outcome("multipart/form-data; boundary=" + boundary, bounded) ==
                   (size == 70U ? "served" : "invalid_field"));
    }
}

BOOST_AUTO_TEST_CASE(bodies_that_are_no_form_are_refused) {
    const std::string one = field("a", "1");
    const std::string sixteen = repeated(one, 16);
    all_are("served", {sixteen + "--XX--", "--XX--", "--XX--\r\n",
                       "--XX \t\r\n" + disposition + "\r\n\r\n1\r\n--XX-- \r\n"});
    all_are("invalid_field",
            {sixteen + one + "--XX--", "", "--XX", "--XX\r\n", "preamble\r\n--XX--", one,
             one + "--XX", one + "--XX-", one + "--XX--\r\nepilogue", one + "--XX--epilogue",
             field("a", "1\r\n--XXY") + "--XX--", "--XX\n" + disposition + "\n\n1\n--XX--",
             "--XX\r\n\r\n1\r\n--XX--"});
    all_are("invalid_field a", {field("a", "\xff") + "--XX--", field("a", "1\0"s) + "--XX--"});
    // Changed bytes: the fuzz target `multipart`.
    const std::string whole =
        field("a", "1") + part(disposition + "; filename=\"f\"", "\r\n--X") + "--XX--";
    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(outcome(type, whole.substr(0, length)) == "invalid_field");
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
} // namespace
