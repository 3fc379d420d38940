"""`usershellctl init` against servers that know people by peer authentication, or, from another machine, by
certificate: from nothing to a first person, again without effect, and without harm to anybody's lines."""

import os
import re
import shutil
import unittest
import unittest.mock

from harness.folders import Folder
from harness.ports import bound
from harness.processes import finished, run
from harness.servers.postgres import Postgres
from harness.stack import programs

PASSWORD = "correct horse battery"
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
OTHERS_ACCESS = "local   all             postgres                                peer\n"
OTHERS_IDENTITY = "# somebody's map\nmymap somebody postgres\n"


def setUpModule():
    """One cluster that nobody has prepared, to copy."""
    global pristine
    pristine = Folder()
    unittest.addModuleCleanup(pristine.remove)
    server = Postgres(pristine.sub("postgres"), pristine.run / "postgres", pristine.log("postgres"))
    server.start()
    server.stop()


class Case(unittest.TestCase):
    """A server that nobody has prepared, and an operator's folder."""

    SETTINGS = {}

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.data = self.folder.sub("postgres")
        run(["cp", "-a", pristine.sub("postgres"), self.data])
        self.prepare()
        where = (self.data, self.folder.run / "postgres", self.folder.log("postgres"))
        self.postgres = Postgres(*where, settings=self.SETTINGS)
        self.postgres.start()
        self.addCleanup(self.postgres.stop, "immediate")
        self.rings = self.folder.sub("rings")

    def prepare(self):
        """Before the server starts."""

    @property
    def connection(self):
        return f"host={self.postgres.host} dbname=usershell"

    def init(self, *words, answer=""):
        return self.ctl("init", *words, answer=answer)

    def ctl(self, *words, answer="", connection=None):
        command = [programs() / "usershellctl", "--config", "/dev/null", "--rings", self.rings]
        command += ["--common-passwords", programs().parent / "share" / "common-passwords"]
        command += ["--database", connection or self.connection, "--password-memlimit", "8388608", *words]
        return finished(command, input=answer)

    def done(self, ended):
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended)
        return ended.stdout

    def refused(self, ended, *words):
        self.assertNotEqual(ended.returncode, 0, ended)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        for word in words:
            self.assertIn(word, ended.stderr)


class Peers(Case):
    """Everybody by the name that the system knows them by."""

    def prepare(self):
        self.access, self.identities = (self.data / name for name in ("pg_hba.conf", "pg_ident.conf"))
        # As Debian's packages have it: peer authentication only.
        self.access.write_text(f"# first the administrator\n{OTHERS_ACCESS}", encoding="ascii")
        self.identities.write_text(OTHERS_IDENTITY, encoding="ascii")

    def files(self):
        return [path.read_text(encoding="ascii") for path in (self.access, self.identities)]

    def copies(self):
        return sorted(self.access.parent.glob("*.before-usershell-*"))

    def ask(self, sql, database="postgres"):
        command = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "psql", "-XqAt"]
        command += ["-v", "ON_ERROR_STOP=1", "-h", self.postgres.host, "-d", database, "-f", "-"]
        return run(command, cwd="/", input=sql).strip()


@unittest.skipUnless(os.geteuid() == 0, "only root may become postgres")
class Local(Peers):
    def test_from_nothing_to_a_person_and_again(self):
        owner = self.access.stat().st_uid
        words = ("--user", "ada@example.org", "--name", "Ada", "--yes")
        said = self.done(self.init(*words, answer=f"{PASSWORD}\n"))
        for word in ("peer map=usershell", "usershell usershell-auth usershell_auth",
                     "usershell usershell-mail usershell_mail", "roles", "schema", "rings", "ada@example.org"):
            self.assertIn(word, said)
        for path in self.copies():
            self.assertIn(str(path), said)
        access, identities = self.files()
        self.assertTrue(access.startswith("# first the administrator\n# usershell: begin"))
        self.assertTrue(access.endswith(OTHERS_ACCESS))
        self.assertTrue(identities.startswith(OTHERS_IDENTITY))
        self.assertEqual(self.access.stat().st_uid, owner)
        kept = [path.read_text(encoding="ascii") for path in self.copies()]
        self.assertEqual(kept, [f"# first the administrator\n{OTHERS_ACCESS}", OTHERS_IDENTITY])
        self.assertIn("ada@example.org", self.done(self.ctl("user", "list")))
        self.assertEqual((self.rings.stat().st_mode & 0o777, len(list(self.rings.iterdir()))), (0o755, 8))
        secrets = [path.stat().st_mode & 0o777 for path in self.rings.glob("*.secret")]
        self.assertEqual(secrets, [0o600] * 4)

        again = self.done(self.init(*words))
        self.assertIn("Nothing to do", again)
        self.assertEqual((self.files(), len(self.copies())), ([access, identities], 2))

    def test_what_a_thief_of_a_role_has_left_is_taken_back(self):
        self.done(self.init("--yes"))
        for way in ("local", "host"):
            self.assertRegex(self.files()[0], rf"(?m)^{way} all usershell_owner,.*,usershell_rewrap( all)? reject$")
        for left in ("PASSWORD 'of the thief'", "SET default_transaction_read_only = on",
                     "IN DATABASE usershell SET row_security = off"):  # fmt: skip
            self.ask(f"SET SESSION AUTHORIZATION usershell_auth; ALTER ROLE usershell_auth {left}")
        self.ask("SELECT lo_create(1); ALTER LARGE OBJECT 1 OWNER TO usershell_auth", "usershell")
        self.assertIn("Take back", self.done(self.init("--yes")))
        self.assertEqual(
            self.ask("SELECT (SELECT count(*) FROM pg_authid WHERE rolpassword IS NOT NULL), "
                     "(SELECT count(*) FROM pg_db_role_setting WHERE setconfig <> ARRAY['temp_file_limit=64MB']), (SELECT count(*) FROM pg_largeobject_metadata)", "usershell"),
            "0|0|0",
        )  # fmt: skip
        self.assertIn("Nothing to do", self.done(self.init()))

    def test_check_finds_that_a_line_of_others_lets_a_role_in(self):
        self.access.write_text(f"{OTHERS_ACCESS}host all all 127.0.0.1/32 scram-sha-256\n", encoding="ascii")  # Debian's
        self.done(self.init("--yes"))
        self.assertNotIn("by TCP", self.ctl("check", "--json").stdout)
        access, _ = self.files()
        self.access.write_text(re.sub("(?m)^host all .* reject$", "", access), encoding="ascii")
        self.assertIn("lets the role usershell_auth in by TCP", self.ctl("check", "--json").stdout)

    def test_says_why_the_administrator_is_not_reached(self):
        self.refused(self.init("--administrator", "host=/nonexistent", "--yes"), "PostgreSQL's administrator: ")
        with unittest.mock.patch.dict(os.environ, PATH="/nonexistent"):
            self.refused(self.init("--yes"), "install the package postgresql-client")

    def test_nothing_happens_without_a_yes(self):
        before = self.files()
        self.refused(self.init(), "--yes")
        self.assertEqual((self.files(), self.copies()), (before, []))
        self.assertFalse(self.rings.exists())
        self.assertEqual(self.ask("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'usershell%'"), "0")

    def test_what_stopped_halfway_goes_on(self):
        self.rings.write_text("a file where the folder should be", encoding="ascii")
        self.refused(self.init("--yes"), "can't be made")
        self.rings.unlink()
        said = self.done(self.init("--yes"))
        self.assertNotIn("schema", said)
        self.assertIn("rings", said)

    def test_a_block_of_before_is_replaced_and_nothing_else(self):
        self.done(self.init("--yes"))
        for path in (self.access, self.identities):
            text = path.read_text(encoding="ascii")
            path.write_text(text.replace("usershell_mail", "usershell_old"), encoding="ascii")
        good = [text.replace("usershell_old", "usershell_mail") for text in self.files()]
        self.done(self.init("--yes"))
        self.assertEqual(self.files(), good)

    def test_the_block_of_another_database_stays(self):
        self.done(self.init("--yes"))
        before = self.files()
        other = self.connection.replace("dbname=usershell", "dbname=other")
        self.refused(self.ctl("init", "--yes", connection=other), "has the lines of the database usershell")
        self.assertEqual(self.files(), before)

    def test_files_with_a_fault_of_others_are_left_alone(self):
        self.access.write_text(f"nonsense\n{OTHERS_ACCESS}", encoding="ascii")
        before = self.files()
        self.refused(self.init("--yes"), "pg_hba.conf line 1", "correct it first")
        self.assertEqual((self.files(), self.copies()), (before, []))

    def test_a_database_of_another_commit_is_refused(self):
        """Before any ring or person is made for it."""
        self.done(self.init("--yes"))
        shutil.rmtree(self.rings)
        for other, said in (("name = '0001_other'", "0001_other, which this program does not know"),
                            ("checksum = ''", "0001_installation has another text than this program's")):
            changed = f"UPDATE usershell.migrations SET {other} WHERE name = '0001_installation'"
            back = "UPDATE usershell.migrations SET (name, checksum) = ('0001_installation', %s) WHERE name LIKE '0001%%'"
            checksum = self.ask("SELECT checksum FROM usershell.migrations WHERE name = '0001_installation'", "usershell")
            self.ask(changed, "usershell")
            self.refused(self.ctl("migrate"), said, "install the version that made it")
            self.refused(self.init("--yes"), said)
            self.ask(back % f"'{checksum}'", "usershell")
        self.assertFalse(self.rings.exists())

    def test_rings_that_are_not_all_there_are_never_made_anew(self):
        self.done(self.init("--yes"))
        kept = self.folder.sub("kept")
        shutil.move(self.rings / "vault.secret", kept)
        self.refused(self.init("--yes"), "Of the vault ring one file", "put it back")
        shutil.move(kept, self.rings / "vault.secret")
        for role in ("vault", "web", "auth", "mail"):
            for half in ("secret", "public"):
                shutil.move(self.rings / f"{role}.{half}", f"{kept}.{half}")
            self.refused(self.init("--yes"), f"The {role} ring is not in", "put its files back")
            for half in ("secret", "public"):
                shutil.move(f"{kept}.{half}", self.rings / f"{role}.{half}")
        shutil.move(self.rings, kept)
        self.refused(self.init("--yes"), "has its key rings already", "put the files back")
        self.assertEqual(list(self.rings.iterdir()), [])
        shutil.rmtree(self.rings)
        shutil.move(kept, self.rings)
        self.assertIn("Nothing to do", self.done(self.init()))


class Remote(Case):
    """Reached by TCP and TLS, everybody by a certificate that has their role's name."""

    def prepare(self):
        self.tls = self.folder.sub("tls")
        self.openssl("req", "-x509", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem", *NEW_KEY)
        for name in ("localhost", "postgres", "usershell_owner", "usershell_mail"):
            self.openssl("req", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", "csr", *NEW_KEY)
            (self.tls / "extensions").write_text(f"subjectAltName=DNS:{name}\n", encoding="ascii")
            sign = ("x509", "-req", "-in", "csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
            self.openssl(*sign, "-extfile", "extensions", "-out", f"{name}.pem")
        for name in ("ca.pem", "localhost.pem", "localhost.key"):  # the server's own copies
            shutil.copy(self.tls / name, self.data / name)
            shutil.chown(self.data / name, self.data.stat().st_uid, self.data.stat().st_gid)
        (self.data / "localhost.key").chmod(0o600)
        self.access = self.data / "pg_hba.conf"
        self.access.write_text("hostssl all postgres all cert\n", encoding="ascii")
        with bound() as free:
            self.port = free.getsockname()[1]
        self.SETTINGS = {"listen_addresses": "127.0.0.1", "port": self.port, "ssl": "on"}
        self.SETTINGS |= {"ssl_cert_file": "localhost.pem", "ssl_key_file": "localhost.key", "ssl_ca_file": "ca.pem"}

    def openssl(self, *words):
        run(["openssl", *words], cwd=self.tls)

    def by_certificate(self, role, database="usershell"):
        return (
            f"host=localhost hostaddr=127.0.0.1 port={self.port} dbname={database} user={role} "
            f"sslmode=verify-full sslrootcert={self.tls}/ca.pem "
            f"sslcert={self.tls}/{role}.pem sslkey={self.tls}/{role}.key"
        )

    @property
    def connection(self):
        return self.by_certificate("usershell_owner")

    def test_says_which_line_the_other_machine_needs_and_does_the_rest(self):
        words = ("--administrator", self.by_certificate("postgres", "postgres"), "--yes")
        line = 'hostssl "usershell" usershell_owner,usershell_auth,usershell_manage'
        refused = self.init(*words)  # that line is not there yet
        self.assertIn(line, refused.stdout)
        self.refused(refused, "can't be reached")

        advised = next(each.strip() for each in refused.stdout.splitlines() if line in each)
        self.access.write_text(f"{advised}\nhostssl all postgres all cert\n", encoding="ascii")
        self.postgres.restart()
        self.done(self.init(*words))
        self.assertIn(advised, self.access.read_text(encoding="ascii"))
        self.assertEqual(self.done(self.ctl("migrate")), "No migration is missing. The rights were granted again.\n")
        # A certificate of one role opens no other.
        as_owner = self.by_certificate("usershell_mail").replace("user=usershell_mail", "user=usershell_owner")
        self.refused(self.ctl("migrate", connection=as_owner), "can't be reached")
