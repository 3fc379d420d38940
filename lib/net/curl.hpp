// libcurl's handles as owners, and the few words every use of it needs. For the sources of lib/net
// only.
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

namespace usershell::net {

template <auto destroy>
struct CurlDeleter {
    template <class Handle>
    void operator()(Handle* handle) const {
        destroy(handle);
    }
};

using EasyHandle = std::unique_ptr<CURL, CurlDeleter<curl_easy_cleanup>>;
using MultiHandle = std::unique_ptr<CURLM, CurlDeleter<curl_multi_cleanup>>;
using MimeHandle = std::unique_ptr<curl_mime, CurlDeleter<curl_mime_free>>;
using UrlHandle = std::unique_ptr<CURLU, CurlDeleter<curl_url_cleanup>>;

/// The first of these handles in a process starts libcurl. From then on libcurl overwrites whatever
/// it frees: keys, passwords, links and what was said with them are in its header lists, its copies
/// of strings and its buffers. There is no global end on purpose: connections may outlive any
/// object that could call it.
EasyHandle new_easy();
MultiHandle new_multi();

/// Our options are valid by construction, so that only memory can be wrong: std::bad_alloc.
template <class Value>
void set_option(CURL* easy, CURLoption option, Value value) {
    if ((curl_easy_setopt)(easy, option, value) != CURLE_OK) throw std::bad_alloc{};
}

/// Sets the options of every transfer: no proxy, no .netrc, no signals, TLS 1.2 or newer, verified
/// against the system's certificates and those of `ca_file` (PEM, may be empty), short waits at
/// clean-up.
void set_common_options(CURL* easy, const std::string& ca_file);

/// A URL taken apart by the parser that will also connect; empty `handle` when it can't be used.
struct ParsedUrl {
    UrlHandle handle;
    std::string scheme;
    std::string host; ///< an IPv6 literal without its brackets
    std::uint16_t port = 0;

    /// "https://api.example.org:443"
    std::string origin() const { return scheme + "://" + host + ":" + std::to_string(port); }
};
ParsedUrl parse_url(const std::string& text);

/// A list of header lines or recipients.
class LineList {
public:
    void add(const std::string& line);
    curl_slist* get() const { return first_.get(); }

private:
    std::unique_ptr<curl_slist, CurlDeleter<curl_slist_free_all>> first_;
};

} // namespace usershell::net
