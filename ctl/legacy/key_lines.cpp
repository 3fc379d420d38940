#include "ctl/legacy/key_lines.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "domain/email.hpp"
#include "domain/rules.hpp"
#include "runtime/descriptor.hpp"
#include "web/body.hpp"

#include <array>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

const ProviderType& type_of(const web::JsonBody& line) {
    const auto* const type = find_provider_type(line.text("kind").value_or(""));
    if (type == nullptr) throw Error{"there is no provider type of that kind."};
    return *type;
}

std::string address_of(const web::JsonBody& line, const ProviderType& type) {
    const std::string given = trim(line.text("baseUrl").value_or(""));
    if (given.empty()) {
        if (type.default_base_url.empty())
            throw Error{"this kind has no address of its own: give its baseUrl."};
        return {};
    }
    std::string address = stored_base_url(type, BaseUrl::parse(given));
    if (type.owns_base_url && address != type.default_base_url)
        throw Error{"this kind has one address only: leave baseUrl out."};
    return address;
}

crypto::Secret key_of(const web::JsonBody& line) {
    const auto given = line.text_view("key");
    crypto::Secret key{trimmed(given.value_or(""))};
    if (key.empty()) throw Error{"there is no key."};
    rules::check(rules::api_key, key.reveal());
    return key;
}

KeyLine read_line(std::string_view text) {
    const auto line = web::JsonBody::parse(text);
    const auto email = parse_email(line.text("email").value_or(""));
    if (!email) throw Error{"there is no e-mail address."};
    const ProviderType& type = type_of(line);
    std::string label = trim(line.text("label").value_or(""));
    rules::check(rules::account_name, label);
    return {email->normalized, email->shown,           std::string{type.value},
            std::move(label),  address_of(line, type), key_of(line)};
}

} // namespace

KeyFile::KeyFile(std::filesystem::path file) : file_{std::move(file)} {
    const Descriptor in{open(file_.c_str(), O_RDONLY | O_CLOEXEC)};
    std::array<char, 65536> buffer{};
    ssize_t count = -1;
    while (in && (count = read(in.get(), buffer.data(), buffer.size())) > 0)
        text_.append({buffer.data(), static_cast<std::size_t>(count)});
    explicit_bzero(buffer.data(), buffer.size());
    if (count != 0) throw Error{file_.string() + " can't be read."};
}

void KeyFile::each(const std::function<void(KeyLine)>& use) const {
    std::size_t number = 0;
    const auto fail = [&](const std::string& why) {
        throw Error{file_.string() + " line " + std::to_string(number) + ": " + why};
    };
    for_each_piece(text_, '\n', [&](std::string_view line) {
        ++number;
        if (trim_blanks(line).empty()) return;
        try {
            use(read_line(line));
        } catch (const Refusal& refusal) {
            fail(refusal.sentence().english());
        } catch (const Error& error) {
            fail(error.what());
        }
    });
}

void KeyFile::wipe() const {
    const Descriptor out{open(file_.c_str(), O_WRONLY | O_CLOEXEC)};
    const std::string zeros(text_.size(), '\0');
    const bool gone =
        out && write(out.get(), zeros.data(), zeros.size()) == static_cast<ssize_t>(zeros.size()) &&
        fsync(out.get()) == 0 && unlink(file_.c_str()) == 0;
    if (!gone) throw Error{"The keys were imported, but " + file_.string() + " was not wiped."};
}

} // namespace usershell::ctl
