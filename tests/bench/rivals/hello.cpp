// The least that a FastCGI program can do: the other end of nginx's own cost of a request. Reads
// from the socket that is its standard input, one request at a time. Says hello, or as many bytes
// as the query says.
#include <fcgi_stdio.h>

#include <cstdlib>
#include <string>

int main() {
    std::string body;
    while (FCGI_Accept() >= 0) {
        const char* const query = std::getenv("QUERY_STRING");
        const auto size = query == nullptr ? 0 : std::strtoul(query, nullptr, 10);
        body.resize(size, '.');
        FCGI_printf("Content-Type: text/plain\r\n\r\n%s\n", size == 0 ? "hello" : body.c_str());
    }
}
