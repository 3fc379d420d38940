#include "net/curl.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <malloc.h>

namespace usershell::net {

namespace {

// The allocator's own word on a block's size covers all that was ever written to it, also what a
// shorter string has left behind.
void wipe_and_free(void* block) {
    if (block) ::explicit_bzero(block, ::malloc_usable_size(block));
    std::free(block); // NOLINT(cppcoreguidelines-no-malloc)
}

// The system's realloc() would leave the old block behind as it was when it moves it.
void* wiping_realloc(void* block, std::size_t size) {
    const std::size_t old_size = block ? ::malloc_usable_size(block) : 0;
    if (block && size <= old_size) return block;
    void* const larger = std::malloc(size); // NOLINT(cppcoreguidelines-no-malloc)
    if (!larger || !block) return larger;
    std::memcpy(larger, block, old_size);
    wipe_and_free(block);
    return larger;
}

void start_curl() {
    static const bool started =
        curl_global_init_mem(CURL_GLOBAL_DEFAULT, std::malloc, wipe_and_free, wiping_realloc,
                             ::strdup, std::calloc) == CURLE_OK;
    if (!started) throw std::bad_alloc{};
}

// A folder of hashed certificates is looked into as needed; the one big file would be parsed for
// every connection, which costs milliseconds and more than a megabyte each.
void trust(CURL* easy, const std::string& ca_file) {
    const char* folder = nullptr;
    curl_easy_getinfo(easy, CURLINFO_CAPATH, &folder);
    if (!ca_file.empty())
        set_option(easy, CURLOPT_CAINFO, ca_file.c_str());
    else if (folder)
        set_option(easy, CURLOPT_CAINFO, static_cast<const char*>(nullptr));
}

std::string url_part(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
    const std::unique_ptr<char, CurlDeleter<curl_free>> owner{text};
    return text;
}

} // namespace

EasyHandle new_easy() {
    start_curl();
    EasyHandle easy{curl_easy_init()};
    if (!easy) throw std::bad_alloc{};
    return easy;
}

MultiHandle new_multi() {
    start_curl();
    MultiHandle multi{curl_multi_init()};
    if (!multi) throw std::bad_alloc{};
    return multi;
}

void set_common_options(CURL* easy, const std::string& ca_file) {
    set_option(easy, CURLOPT_NOSIGNAL, 1L);
    set_option(easy, CURLOPT_PROXY, "");
    set_option(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    set_option(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set_option(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    set_option(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    // A name server that hangs must not hold up the end of a call, so libcurl does not wait for the
    // thread that asks it.
    set_option(easy, CURLOPT_QUICK_EXIT, 1L);
    trust(easy, ca_file);
}

ParsedUrl parse_url(const std::string& text) {
    ParsedUrl url;
    url.handle.reset(curl_url());
    if (!url.handle) throw std::bad_alloc{};
    CURLU* const parts = url.handle.get();
    const bool valid =
        curl_url_set(parts, CURLUPART_URL, text.c_str(), CURLU_DISALLOW_USER) == CURLUE_OK;
    const std::string port = url_part(parts, CURLUPART_PORT);
    if (!valid || port.empty() || !url_part(parts, CURLUPART_ZONEID).empty()) {
        url.handle.reset();
        return url;
    }
    url.scheme = url_part(parts, CURLUPART_SCHEME);
    url.host = url_part(parts, CURLUPART_HOST);
    if (url.host.starts_with('[')) url.host = url.host.substr(1, url.host.size() - 2);
    url.port = static_cast<std::uint16_t>(std::stoul(port));
    return url;
}

void LineList::add(const std::string& line) {
    curl_slist* const list = curl_slist_append(first_.get(), line.c_str());
    if (!list) throw std::bad_alloc{};
    static_cast<void>(first_.release()); // the same list, or its first element
    first_.reset(list);
}

} // namespace usershell::net
