#include "ctl/check/curl.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "ctl/system/child.hpp"

namespace usershell::ctl {

namespace {

constexpr int not_found = 127;
constexpr std::string_view end_mark = "Expire date:";

void read_line(std::string_view line, CurlAnswer& answer) {
    if (line.starts_with("HTTP/")) {
        answer.headers.clear(); // of an answer before this one
        const auto number = line.substr(line.find(' ') + 1, 3);
        answer.status = parse_number<int>(number).value_or(0);
    } else if (line.starts_with(end_mark)) {
        if (answer.certificate_end.empty()) // of the server itself; others follow
            answer.certificate_end = line.substr(end_mark.size());
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
        answer.headers[lower_ascii(line.substr(0, colon))] = trim(line.substr(colon + 1));
    }
}

} // namespace

CurlAnswer ask_by_curl(const std::vector<std::string>& options, const std::string& seconds) {
    std::string input = "silent\nshow-error\nmax-time = " + seconds + "\n";
    for (const auto& option : options) input += option + "\n";
    const auto result = run_child({{"curl", "--config", "-"}, input, {}});
    if (result.status == not_found)
        throw Error{"There is no curl to look with.", Remedy::install_curl};
    CurlAnswer answer{result.status, result.errors.substr(0, result.errors.find('\n')), 0, {}, {}};
    for_each_piece(result.output, '\n', [&answer](std::string_view line) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        read_line(line, answer);
    });
    return answer;
}

std::string curl_option(const std::string& name, const std::string& value) {
    std::string quoted;
    for (const char letter : value) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter;
    }
    return name + " = \"" + quoted + "\"";
}

} // namespace usershell::ctl
