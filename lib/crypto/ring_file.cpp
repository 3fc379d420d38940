#include "crypto/ring_file.hpp"

#include "crypto/base64.hpp"
#include "crypto/file.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sodium.h>
#include <sys/stat.h>

namespace usershell::crypto {

namespace {

constexpr std::size_t size_limit = 65536;

bool all_of(std::string_view text, std::string_view allowed) {
    return text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_ring_key_id(std::string_view text) {
    return text.size() == ring_key_id_size && all_of(text, "0123456789abcdef");
}

/// YYYY-MM-DDTHH:MM:SSZ, a day that exists.
bool is_utc_time(std::string_view text) {
    constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
    const auto fits = [](char c, char f) { return f == 'd' ? c >= '0' && c <= '9' : c == f; };
    if (!std::equal(text.begin(), text.end(), form.begin(), form.end(), fits)) return false;
    const auto number = [text](std::size_t at, std::size_t digits) {
        unsigned value = 0;
        for (const char c : text.substr(at, digits)) value = 10 * value + unsigned(c - '0');
        return value;
    };
    using namespace std::chrono;
    const year_month_day day{year(int(number(0, 4))), month(number(5, 2)),
                             std::chrono::day(number(8, 2))};
    return day.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60;
}

std::optional<Secret> decode_key(std::string_view text) {
    auto key = Secret::of_size(ring_key_size);
    if (decode_base64(text, key.writable(), sodium_base64_VARIANT_ORIGINAL) != ring_key_size)
        return std::nullopt;
    return key;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

class RingReader {
public:
    RingReader(std::string file, RingFormat format) : file_{std::move(file)}, format_{format} {}

    RingEntries read(std::string_view text) {
        for (const auto line : split(text, '\n')) {
            ++line_;
            if (!line.empty() && line.front() != '#') add(split(line, ' '));
        }
        if (ring_.active.empty()) throw RingError{file_ + ": no key is active."};
        return std::move(ring_);
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw RingError{file_ + " line " + std::to_string(line_) + ": " + why};
    }

    void add(const std::vector<std::string_view>& words) {
        if (words.size() != (format_.dated ? 4U : 2U))
            refuse(format_.dated ? "a line is ID KEY CREATED active|kept, with one space between."
                                 : "a line is ID KEY, with one space between.");
        if (!is_ring_key_id(words[0])) refuse("the id is not 16 lower-case hexadecimal digits.");
        auto key = decode_key(words[1]);
        if (!key) refuse("the key is not 32 bytes in Base64.");
        if (format_.dated && !is_utc_time(words[2]))
            refuse("the time is not of the form YYYY-MM-DDTHH:MM:SSZ.");
        if (is_active(words)) activate(words[0]);
        if (!ring_.keys.emplace(words[0], std::move(*key)).second) refuse("the id appears twice.");
    }

    bool is_active(const std::vector<std::string_view>& words) const {
        if (!format_.dated || words[3] == "active") return true;
        if (words[3] != "kept") refuse("the status is neither active nor kept.");
        return false;
    }

    void activate(std::string_view id) {
        if (!ring_.active.empty()) refuse("a second key is active.");
        ring_.active = id;
    }

    std::string file_;
    RingFormat format_;
    RingEntries ring_;
    std::size_t line_ = 0;
};

void check_mode(const std::string& name, mode_t mode, RingFormat format) {
    if (format.secret && (mode & S_IRWXO) != 0)
        throw RingError{name + ": everybody may read or write this secret file; take that away."};
    if ((mode & S_IWOTH) != 0)
        throw RingError{name + ": everybody may write this file; take that away."};
}

FileContent content_of(const std::filesystem::path& file) {
    try {
        return read_file(file, size_limit);
    } catch (const std::system_error& error) {
        throw RingError{file.string() + ": this key ring can't be read (" + error.code().message() +
                        ")."};
    }
}

} // namespace

RingEntries read_ring(const std::filesystem::path& file, RingFormat format) {
    const auto content = content_of(file);
    check_mode(file.string(), content.mode, format);
    return RingReader{file.string(), format}.read(content.bytes.reveal());
}

} // namespace usershell::crypto
