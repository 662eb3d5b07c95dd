"""The programs that scripts/scale runs: a PostgreSQL of its own, and the server under measurement."""
import glob
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys

LOADING = """fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = '1GB'
checkpoint_timeout = '30min'
maintenance_work_mem = '1GB'
max_parallel_maintenance_workers = 0
autovacuum = off
jit = off
shared_buffers = '1GB'
"""
# Durable, as in production; what is measured is logged in JSON.
MEASURING = """shared_buffers = '2GB'
effective_cache_size = '8GB'
random_page_cost = 1.1
autovacuum = off
session_preload_libraries = 'auto_explain'
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_timing = off
auto_explain.log_format = json
logging_collector = on
log_destination = jsonlog
log_directory = 'log'
log_filename = 'statements'
"""


def say(text):
    print(f"scale: {text}", file=sys.stderr, flush=True)


class Postgres:
    """A server in a directory of its own."""

    def __init__(self, directory):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
        initdb = found[-1] if found else shutil.which("initdb")
        if not initdb:
            sys.exit("scale: PostgreSQL is not installed: run scripts/install postgresql")
        self.programs = os.path.dirname(os.path.realpath(initdb))
        self.data = os.path.join(directory, "postgres")
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.user:
            os.chown(directory, self.user.pw_uid, self.user.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres?sslmode=disable"
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        self.run("initdb", f"--pgdata={self.data}", *options)

    def run(self, program, *args):
        become = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        command = [os.path.join(self.programs, program), *args]
        done = subprocess.run(command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **become)
        if done.returncode:
            sys.exit(f"scale: {program} failed: {done.stderr}")

    def start(self, settings):
        with open(os.path.join(self.data, "postgresql.auto.conf"), "w", encoding="utf-8") as out:
            out.write(f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = ''\n{settings}")
        log = os.path.join(self.data, "server.log")
        self.run("pg_ctl", f"--pgdata={self.data}", f"--log={log}", "--wait", "--timeout=600", "start")

    def stop(self):
        self.run("pg_ctl", f"--pgdata={self.data}", "--mode=fast", "--wait", "--timeout=600", "stop")

    def sql(self, text, rows=None):
        """The rows of a statement, as lists of strings."""
        connect = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", "postgres"]
        command = [os.path.join(self.programs, "psql"), "-qAtX", "-F\t", "-v", "ON_ERROR_STOP=1", *connect, "-c", text]
        done = subprocess.run(command, input=rows, capture_output=True, text=True, cwd="/")
        if done.returncode:
            raise RuntimeError(f"{text[:200]}: {done.stderr}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def statements(self, offset):
        """The plans that were logged from an offset of the log on, and where the log ends."""
        path = os.path.join(self.data, "log", "statements.json")
        with open(path, encoding="utf-8") as log:
            log.seek(offset)
            lines, end = log.readlines(), log.tell()
        plans = []
        for line in lines:
            message = json.loads(line).get("message", "")
            found = re.match(r"duration: ([0-9.]+) ms\s+plan:\n(.*)", message, re.S)
            if found:
                plans.append((float(found[1]), json.loads(found[2])))
        return plans, end


class Program:
    """The program under measurement, on a database."""

    def __init__(self, binary, url, directory):
        self.binary, self.url, self.directory = os.path.abspath(binary), url, directory
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("FRONTDESK_")}
        self.child = None

    def command(self, *args):
        command = [self.binary, *args, "--json", "--database", self.url]
        done = subprocess.run(command, cwd=self.directory, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"scale: {args} failed: {done.stderr}")
        return json.loads(done.stdout)

    def account(self, name, is_first):
        made = self.command(*(["init", "--account", name] if is_first else ["account", "create", "--name", name]))
        account = made["account_id"]
        self.command("account", "set", account, "--rate-limit", "1000000000")
        key = self.command("key", "create", "--account", account, "--name", "Scale", "--all-scopes")["key"]
        connected = self.command("channel", "connect", "--account", account, "--channel", "whatsapp", "--sandbox")
        return {"id": account, "key": key, "connection": connected["connection_id"]}

    def serve(self):
        command = [self.binary, "serve", "--listen", "127.0.0.1:0", "--no-demo", "--database", self.url]
        environment = {**self.environment, "FRONTDESK_LOG": "warn"}
        log = open(os.path.join(self.directory, "server.log"), "w", encoding="utf-8")
        self.child = subprocess.Popen(
            command, cwd=self.directory, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
        )
        for line in self.child.stdout:
            if "listening on http://" in line:
                return line.split("listening on http://")[1].strip()
        sys.exit(f"scale: the server ended: see {log.name}")

    def stop(self):
        if self.child and self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            self.child.wait(60)
