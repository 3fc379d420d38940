#include "tests/unit/pipeline/support.hpp"
#include <cstdio>
namespace usershell::test {
web::Request request(web::Method method, std::string_view target, Headers headers,
                     const std::string& body) {
    web::Request made;
    made.method = method;
    const auto question = target.find('?');
    made.path = target.substr(0, question);
    if (question != std::string_view::npos) made.query = target.substr(question + 1);
    for (const auto& [name, value] : headers) made.headers.emplace(name, value);
    made.body = body;
    made.client_address = "192.0.2.7";
    made.id = "request-1";
    return made;
}
std::vector<std::string> header(const web::Response& response, std::string_view name) {
    std::vector<std::string> values;
    for (const auto& [found, value] : response.headers)
        if (lower_ascii(found) == lower_ascii(name)) values.push_back(value);
    return values;
}
std::string only_header(const web::Response& response, std::string_view name) {
    const auto values = header(response, name);
    if (values.empty()) return "";
    return values.size() == 1 ? values.front() : "(several)";
}
void Recorder::begin(const web::Response& head) {
    web::Response& copy = heads.emplace_back();
    copy.status = head.status;
    copy.headers = head.headers;
}
bool Recorder::write(std::string_view bytes) {
    if (pieces_ == 0) return false;
    --pieces_;
    sent += bytes;
    return true;
}
CapturedLog::CapturedLog() {
    std::string name = (std::filesystem::temp_directory_path() / "usershell-log-XXXXXX").string();
    file_ = ::mkstemp(name.data());
    BOOST_REQUIRE(file_ >= 0);
    ::unlink(name.c_str());
    before_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    BOOST_REQUIRE(before_ >= 0);
    ::dup2(file_, STDERR_FILENO);
}
CapturedLog::~CapturedLog() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    ::close(file_);
}
std::string CapturedLog::text() const {
    return content_of("/proc/self/fd/" + std::to_string(file_));
}
} // namespace usershell::test
