import hashlib
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from slkmodes.datasets.download import download

CONTENT = b"0123456789" * 300_000  # more than one chunk


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/missing":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[: len(CONTENT) // 2] if self.path == "/cut" else CONTENT)

    def log_message(self, *message):
        pass


@pytest.fixture(scope="module")
def address():
    with HTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("algorithm", ["sha256", "md5", None])
def test_a_file_arrives(address, tmp_path, algorithm, capsys):
    checksum = algorithm and f"{algorithm}:{hashlib.new(algorithm, CONTENT).hexdigest()}"
    target = download([f"{address}/file"], tmp_path / "new" / "file", checksum)
    assert target.read_bytes() == CONTENT
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "file: 3.0 of 3.0 MB\n"


def test_progress_is_one_line_on_a_terminal(address, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    download([f"{address}/file"], tmp_path / "file")
    lines = capsys.readouterr().err
    assert lines.startswith("\rfile: 1.0 of 3.0 MB\r")
    assert lines.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "checksum", "reason"),
    [
        ("file", "sha256:" + "0" * 64, "its sha256 must be 0{64}, got [0-9a-f]{64}"),
        ("cut", None, "broke off after 1,500,000 of 3,000,000 bytes"),
        ("missing", None, "404"),
    ],
)
def test_a_failure_leaves_no_file(address, tmp_path, path, checksum, reason):
    with pytest.raises(OSError, match=f"target could not be downloaded.\n  {address}/{path}: .*{reason}"):
        download([f"{address}/{path}"], tmp_path / "target", checksum)
    assert list(tmp_path.iterdir()) == []


def test_the_next_address_is_tried(address, tmp_path):
    checksum = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
    urls = [f"{address}/missing", f"{address}/cut", f"{address}/file"]
    assert download(urls, tmp_path / "target", checksum).read_bytes() == CONTENT


def test_nobody_there(tmp_path):
    with pytest.raises(OSError, match="target could not be downloaded"):
        download(["http://127.0.0.1:9/file", (tmp_path / "none").as_uri()], tmp_path / "target")
