#include "load_options.hpp"

#include <fstream>
#include <stdexcept>

#include <boost/program_options.hpp>

namespace usershell::bench {
namespace {

/// A line with a number of bytes, then as many, and so on.
std::vector<std::string> read_requests(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    std::vector<std::string> requests;
    for (std::string size; std::getline(file, size);) {
        std::string request(std::stoul(size), '\0');
        file.read(request.data(), static_cast<std::streamsize>(request.size()));
        requests.push_back(std::move(request));
    }
    if (requests.empty()) throw std::runtime_error{"no requests in " + path};
    return requests;
}

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds{static_cast<long long>(seconds * 1000)};
}

} // namespace

LoadOptions read_options(int count, char** words) {
    namespace po = boost::program_options;
    LoadOptions options;
    std::string requests;
    double seconds = 10;
    double warm = 0;
    po::options_description known;
    auto add = known.add_options();
    add("port", po::value(&options.port)->required(), "on 127.0.0.1");
    add("authority", po::value(&options.authority), "PEM file; without it no TLS");
    add("requests", po::value(&requests)->required(), "lines with a size, each before a request");
    add("connections", po::value(&options.connections), "how many");
    add("rate", po::value(&options.rate), "connections begun a second");
    add("once", po::bool_switch(&options.once), "a request a connection");
    add("rotate", po::bool_switch(&options.rotate), "other requests each time");
    add("linger", po::bool_switch(&options.linger), "answers need not end");
    add("seconds", po::value(&seconds), "no request begins later");
    add("warm", po::value(&warm), "seconds whose requests' times don't count");
    add("first", po::value(&options.marks.first), "a first token holds this");
    add("end", po::value(&options.marks.end), "the end of a whole answer holds this");
    po::variables_map given;
    po::store(po::parse_command_line(count, words, known), given);
    po::notify(given);
    options.time = milliseconds(seconds);
    options.warm = milliseconds(warm);
    options.requests = read_requests(requests);
    return options;
}

} // namespace usershell::bench
