"""An HTTPS server on a free loopback port, for connection_test.cpp:

    tls_server.py CERTIFICATE KEY [goodbye | extra]

Prints its process id and its port, then a line for each request: the number of its connection, and whether the TLS
session was resumed. With "goodbye", each answer is followed by TLS's close_notify; with "extra", by
an answer that nobody has asked for. Either is sent together with the answer and in a record of its
own."""

import os
import socket
import ssl
import sys
import threading

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
EXTRA = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nextra"


class Connection:
    def __init__(self, context, plain, number):
        self.plain, self.number = plain, number
        self.received, self.sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.received, self.sent, server_side=True)

    def do(self, step):
        """Until the step has what it needs from the client; None at the end."""
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                self.flush()
                piece = self.plain.recv(65536)
                if not piece:
                    return None
                self.received.write(piece)
            except ssl.SSLError:  # the client does not like our certificate
                return None

    def flush(self):
        self.plain.sendall(self.sent.read())

    def serve(self, after):
        self.do(self.tls.do_handshake)
        while self.do(lambda: self.tls.read(65536)):
            print(self.number, self.tls.session_reused, flush=True)
            self.tls.write(OK)
            if after == "extra":
                self.tls.write(EXTRA)
            if after == "goodbye":
                self.do_not_wait(self.tls.unwrap)
            self.flush()
        self.plain.close()

    @staticmethod
    def do_not_wait(step):
        try:
            step()
        except ssl.SSLWantReadError:
            pass


def main(certificate, key, after=""):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"{os.getpid()}\n{listener.getsockname()[1]}", flush=True)
    for number in range(1, 1000):
        connection = Connection(context, listener.accept()[0], number)
        threading.Thread(target=connection.serve, args=(after,), daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
