// The least that a FastCGI program can do: the other end of nginx's own cost of a request. Reads
// from the socket that is its standard input, one request at a time.
#include <fcgi_stdio.h>

int main() {
    while (FCGI_Accept() >= 0) {
        printf("Content-Type: text/plain\r\n\r\nhello\n");
    }
}
