// A worker's socket: records, parameters, and the request that they become. After a first byte of 0
// the input is sent as it is; else it is the parameters of proper records.
#include "domain/rules.hpp"
#include "fcgi/libfcgi.hpp"
#include "fcgi/response.hpp"
#include "runtime/descriptor.hpp"
#include "target.hpp"

#include <array>
#include <string>

#include <sys/socket.h>

namespace {

using namespace usershell;

constexpr fcgi::RecordLimits limits{.max_body = rules::max_form_body,
                                    .timeout = std::chrono::seconds{20}};
constexpr std::size_t largest = 96UL * 1024; // more does not fit into a socket at once
// A parameter of four bytes is kept as a view of 32, and a header in a node of its own. nginx sends
// a thousand at most.
constexpr std::size_t memory = std::size_t{4} * 1024 * 1024;
constexpr std::size_t max_record = 65'528;

void add_record(std::string& records, char type, std::string_view content) {
    const auto size = content.size();
    records +=
        {'\1', type, '\0', '\1', static_cast<char>(size >> 8U), static_cast<char>(size & 0xffU),
         '\0', '\0'};
    records += content;
}

std::string records_of(std::string_view params) {
    std::string records;
    add_record(records, 1, {"\0\1\0\0\0\0\0\0", 8});
    for (; !params.empty(); params.remove_prefix(std::min(params.size(), max_record)))
        add_record(records, 4, params.substr(0, max_record));
    add_record(records, 4, {});
    add_record(records, 5, {});
    return records;
}

std::optional<fcgi::RequestRecords> received(std::string_view bytes, bool may_be_late) {
    std::array<int, 2> ends{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "there is a socket");
    const Descriptor receiver{ends[0]};
    Descriptor sender{ends[1]};
    const auto sent = ::send(sender.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    fuzz::require(sent == static_cast<ssize_t>(bytes.size()), "the socket takes the input");
    sender.reset();
    std::optional<fcgi::RequestRecords> records;
    fuzz::accepts([&] {
        records =
            fcgi::read_request(receiver.get(), limits, [&](auto, auto) { return may_be_late; });
    });
    return records;
}

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto mode = from.byte();
    const bool is_raw = mode % 2 == 0;
    auto records = received(is_raw ? std::string{from.rest()} : records_of(from.rest()), mode > 1);
    if (!records) return;
    std::size_t of_params = 0;
    for (const auto& [name, value] : records->params) {
        if (name != "FCGI_ROLE") of_params += name.size() + value.size(); // libfcgi adds that one
        fuzz::require(!name.empty(), "a parameter has a name");
        fuzz::require((name.find('\0') & value.find('\0')) == std::string_view::npos,
                      "no parameter has a NUL");
    }
    fuzz::require(of_params <= input.size(), "parameters are parts of what came");
    web::Request request;
    if (!fuzz::accepts([&] { fcgi::fill_request(request, *records); })) return;
    fuzz::require(request.path.starts_with('/'), "a path begins with a slash");
    fuzz::require(request.path.find('?') == std::string::npos, "a path ends before the query");
    fuzz::require(!request.header("x-request-id"), "a client does not choose the request's id");
}

const fuzz::Target target{"fastcgi", run, largest, memory};

} // namespace
