"""ClickHouse's HTTP interface, as far as @clickhouse/client uses it, over chDB: the engine of ClickHouse in this process.
Usage: clickhouse-over-chdb.py FOLDER. Writes its port to standard output. One query runs at a time."""
import json
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb.session import Session

session = Session(sys.argv[1])
lock = threading.Lock()
# Of the protocol, not of a query.
OF_HTTP = {"query", "query_id", "database", "default_format", "session_id", "role", "client_protocol_version"}


def with_settings(sql, parameters):
    for name, value in parameters.items():
        if name.startswith("param_"):
            text = "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
            sql = re.sub(r"\{\s*" + name[6:] + r"\s*:\s*([^}]+)\}", lambda found: f"cast({text} as {found.group(1)})", sql)
    return sql


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = self.headers.get("content-length")
        body = self.rfile.read(int(length)) if length is not None else self.chunks()
        parameters = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query, keep_blank_values=True).items()}
        settings = {name: value for name, value in parameters.items() if name not in OF_HTTP and not name.startswith("param_")}
        try:
            status, answer = 200, self.run(parameters, settings, body)
        except Exception as fault:  # what the engine refuses is an answer
            status, answer = 500, str(fault).encode()
        code = re.search(rb"Code: (\d+)", answer) if status == 500 else None
        self.send_response(status)
        if code:
            self.send_header("X-ClickHouse-Exception-Code", code.group(1).decode())
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST

    def chunks(self):
        if self.headers.get("transfer-encoding") != "chunked":
            return b""
        read = b""
        while size := int(self.rfile.readline(), 16):
            read += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return read

    def run(self, parameters, settings, body):
        query = parameters.get("query")
        with lock:
            for name, value in settings.items():
                if not name.startswith(("async_insert", "wait_for", "wait_end", "send_progress", "http_")):
                    session.query(f"set {name} = {value if value.isdigit() else json.dumps(value).replace(chr(34), chr(39))}")
            if query is None:
                return session.query(with_settings(body.decode(), parameters), self.format(body)).bytes() or b""
            with tempfile.NamedTemporaryFile(suffix=".jsonl") as rows:
                rows.write(body)
                rows.flush()
                into = re.match(r"\s*insert into (\S+)(?: \(([^)]*)\))? format JSONEachRow", query, re.I)
                if not into:
                    raise ValueError("this front takes inserts of JSONEachRow only: " + query[:80])
                return session.query(f"insert into {into.group(1)} from infile '{rows.name}' format JSONEachRow", "JSONEachRow").bytes() or b""

    def format(self, body):
        found = re.search(rb"format (\w+)\s*;?\s*$", body, re.I)
        return found.group(1).decode() if found else "JSONEachRow"

    def log_message(self, *_):
        pass


session.query("create database if not exists ads")
session.query("use ads")
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
