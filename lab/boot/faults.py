"""Faults of a machine, planted by a script as root. `usershellctl check` says each in these words, and its remedies, typed
as they are, leave nothing to find. Where a person has to know what is right, a third script stands for that person.
"""

PSQL = "runuser -u postgres -- psql -Xqd postgres -c"
OURS = "runuser -u postgres -- psql -Xqd usershell -c"
SITE = "/etc/nginx/sites-available/usershell"
SNIPPETS = "/usr/share/usershell/nginx/snippets"
OWN = "/etc/systemd/system"
FILES = "/etc/postgresql/*/main"


def drop_in(unit, *lines, reread=True):
    """An operator's, which weakens the unit."""
    text = "\\n".join(("[Service]" if unit.endswith("service") else "[Socket]", *lines))
    made = f"mkdir -p {OWN}/{unit}.d && printf '{text}\\n' > {OWN}/{unit}.d/fault.conf"
    return made + (" && systemctl daemon-reload" if reread else "")


# The planted fault, and the answer of check.
FAULTS = (
    # Files and modes
    ("chmod -R go-rwx /etc/usershell", "usershell-manage does not start in its unit"),
    ("chmod 700 /etc/usershell/rings", "web.public: this key ring can't be read"),
    ("chmod 600 /etc/usershell/auth.conf", "auth.conf can't be read: Permission denied"),
    ("chown root:backup /etc/usershell/rings/vault.secret; chmod 640 /etc/usershell/rings/vault.secret", "Others than its owner may use"),
    ("chmod 666 /run/usershell/auth.sock", "Others on this machine may connect"),
    ("chown root:root /run/usershell/manage.sock", "nginx (www-data) may not connect to /run/usershell/manage.sock"),
    ("chmod 700 /run/usershell", "nginx (www-data) may not connect"),
    ("chmod 700 /usr/share/usershell/templates", "usershell-manage does not start in its unit"),
    # Settings
    ("sed -i '/^api/d' /etc/usershell/manage.conf", "settings api: another has usershell-manage"),
    ("sed -i 's/dbname=usershell/dbname=other/; s/^# *database/database/' /etc/usershell/ctl.conf; "
     "grep -q dbname=other /etc/usershell/ctl.conf || echo 'database = dbname=other' >> /etc/usershell/ctl.conf", "settings database"),
    ("sleep 3; echo 'session-idle = 80000' >> /etc/usershell/auth.conf", "is older than /etc/usershell/auth.conf"),
    ("sed -i 's|//keys|//www.keys|' /etc/usershell/*.conf", "base-url has the name www.keys.example.com, nginx's site keys.example.com"),
    (f"sed -i 's|include usershell/api.conf;|# &|' {SITE}; systemctl reload nginx", "nginx does not pass /v1 on"),
    # Database
    ("sed -i 's/^database = .*/database = host=127.0.0.1 dbname=usershell/' /etc/usershell/ctl.conf", "pg_hba.conf rejects connection",
     "sed -i 's/host=127.0.0.1 //' /etc/usershell/ctl.conf"),
    (f"{PSQL} 'ALTER DATABASE usershell CONNECTION LIMIT 2'", "has a limit of 2 connections"),
    (f"{PSQL} 'ALTER DATABASE usershell SET default_transaction_read_only = on'", "is set to be read only"),
    (f"{PSQL} 'ALTER DATABASE usershell ALLOW_CONNECTIONS false'", "allows no connections"),
    (f"{PSQL} 'ALTER SYSTEM SET default_transaction_read_only = on'; systemctl reload postgresql", "server is set to be read only"),
    (f"{PSQL} 'ALTER ROLE usershell_auth SUPERUSER'", "may do more than connect"),
    (f"{PSQL} 'ALTER ROLE usershell_mail NOLOGIN'", "may not log in"),
    (f"{PSQL} 'GRANT usershell_execute TO usershell_manage'", "is a member of another role"),
    (f"{OURS} 'DROP INDEX usershell.events_happened_at'", "missing in the database"),
    (f"{OURS} 'DELETE FROM usershell.migrations WHERE name = (SELECT max(name) FROM usershell.migrations)'", "makes, and does not know it"),
    ("systemd-run --quiet --collect --uid=postgres psql -Xqd usershell -c 'BEGIN; LOCK usershell.rights; SELECT pg_sleep(600)'; sleep 1", "lock timeout",
     f"{PSQL} \"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%(600)%' AND pid <> pg_backend_pid()\""),
    (f"sed -i 's/^usershell usershell-auth .*/usershell usershell-auth/' {FILES}/pg_ident.conf; systemctl reload postgresql", "can't use this line"),
    (f"echo 'usershell usershell-manage usershell_execute' >> {FILES}/pg_ident.conf; systemctl reload postgresql", "usershell-manage may connect as usershell_execute"),
    (f"sed -i '1i local all all trust' {FILES}/pg_hba.conf; systemctl reload postgresql", "is let in at the socket by trust"),
    (f"echo 'local all' >> {FILES}/pg_hba.conf", "can't use this line"),
    ("touch $(echo /var/lib/postgresql/*/main)/standby.signal; systemctl restart 'postgresql@*'", "in recovery and has no primary"),
    (f"sed -i 's/^port = .*/port = 5433/' {FILES}/postgresql.conf; systemctl restart postgresql", "PostgreSQL listens at port 5433"),
    ("systemctl stop 'postgresql@*'", "PostgreSQL does not run"),
    ("systemctl kill --signal=STOP 'postgresql@*'", "does not answer at its socket"),
    # Units
    ("systemctl disable usershell.target", "usershell.target will be gone after a reboot"),
    ("systemctl stop usershell-execute.socket; systemctl mask --now usershell-execute.socket", "usershell-execute.socket is masked"),
    ("systemctl stop usershell-manage@1.service; systemctl mask usershell-manage@1.service", "No process of usershell-manage runs"),
    (drop_in("usershell-opener@.service", "LimitMEMLOCK=0"), "LimitMEMLOCK=0, not 67108864"),
    (drop_in("usershell-manage@.service", "LoadCredential=vault.secret:/etc/usershell/rings/vault.secret", "PrivateNetwork=no"), "PrivateNetwork=no, not yes"),
    (drop_in("usershell-auth@.service", "User=usershell-manage"), "User=usershell-manage, not usershell-auth"),
    (drop_in("usershell-execute@.service", "IPAddressAllow=any"), "IPAddressAllow="),
    (drop_in("usershell-execute@.service", "LimitCORE=infinity", "SupplementaryGroups=shadow"), "LimitCORE=infinity"),
    (drop_in("usershell-manage.socket", "SocketGroup=root", "SocketMode=0666"), "SocketMode=0666, not 0660"),
    (drop_in("usershell-auth@.service", "MemoryMax=2G", reread=False), "have changed since systemd has read them"),
    ("gpasswd --add usershell-manage usershell-opener", "The user usershell-manage is in the group usershell-opener"),
    ("rm /usr/lib/systemd/system/usershell-.service.d/00-hardening.conf; systemctl daemon-reload", "00-hardening.conf"),
    ("systemctl kill --signal=STOP usershell-auth@1.service", "usershell-auth does not answer"),
    (drop_in("usershell-auth@.service", "ExecStart=/usr/bin/true"), "does not take the files of usershell-auth@1.service",
     f"rm {OWN}/usershell-auth@.service.d/fault.conf; systemctl daemon-reload"),
    # The network, and mail
    ("cd /etc/usershell; echo 'egress-allow = model.example.net:8080' | tee -a manage.conf >> execute.conf; echo '10.20.30.41 model.example.net' >> /etc/hosts; "
     "systemctl reload usershell-manage.service usershell-execute.service", "systemd keeps usershell-execute from 10.20.30.41"),
    (f"systemctl stop usershell-mail.service; usershellctl user invite grace@example.com; {OURS} \"UPDATE usershell.outbox SET attempts = 5, reason = '450: not now'\"",
     "has not taken a mail in 5 attempts"),
    # nginx
    (f"sed -i 's/manage.sock/x.sock/; s/auth.sock/manage.sock/; s/x.sock/auth.sock/' {SNIPPETS}/http.conf; systemctl reload nginx", "nginx asks for usershell_auth at"),
    ("sed -i 's/worker_connections .*/worker_connections 8;/' /etc/nginx/nginx.conf; systemctl reload nginx", "8 connections a worker"),
    (f"sed -i '1i set_real_ip_from 0.0.0.0/0;' {SITE}; systemctl reload nginx", "Every client may say"),
    (f"sed -i 's/listen \\(.*443 ssl\\)/listen \\1 proxy_protocol/' {SITE}; systemctl reload nginx", "no load balancer is named"),
    ("rm /etc/nginx/sites-enabled/usershell; systemctl reload nginx", "nginx has no site of usershell"),
    (f"sleep 3; echo >> {SITE}", "nginx runs with an older"),
    (f"cp -p {SITE} /root/site; sed -i '1i nonsense;' {SITE}", "nginx does not start again: unknown directive",
     f"cat /root/site > {SITE}; systemctl reload nginx"),
    ("cp /etc/hosts /root/hosts; sed -i 's/^127.0.0.1 keys.example.com/127.0.0.9 keys.example.com/' /etc/hosts; "
     f"cp -p {SITE} /root/site; sed -i 's/listen 443/listen 127.0.0.1:443/; /listen .::.:443/d' {SITE}; systemctl restart nginx",
     "the name leads elsewhere", f"cat /root/hosts > /etc/hosts; cat /root/site > {SITE}; systemctl restart nginx"),
    ("cp /etc/hosts /root/hosts; sed -i 's/^127.0.0.1 keys.example.com/127.0.0.9 keys.example.com/' /etc/hosts; "
     f"(echo 'server {{ listen 127.0.0.9:443 ssl; server_name keys.example.com; return 200;'; grep -m 2 ssl_certificate {SITE}; echo '}}') > /etc/nginx/conf.d/other.conf; "
     "systemctl reload nginx",
     "the name leads elsewhere", "cat /root/hosts > /etc/hosts; rm /etc/nginx/conf.d/other.conf; systemctl reload nginx"),
    (f"sed -i '/Strict-Transport/d' {SNIPPETS}/headers-common.conf; systemctl reload nginx", "without good headers"),
)  # fmt: skip
