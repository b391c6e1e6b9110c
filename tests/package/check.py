"""Installs what `.ci/dist` made into a scratch root, and runs the demo from there.

    python3 tests/package/check.py target/package
"""

import fcntl
import gzip
import hashlib
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios
import time
from pathlib import Path

DEADLINE_SECONDS = 60
# Of any screen of the demo once the team works; and of the question that leaving it asks.
DEMO_SHOWS, LEAVING_ASKS = "DIALOGS", "y quit"
FILES = [
    "share/bash-completion/completions/dominds-tui",
    "share/fish/vendor_completions.d/dominds-tui.fish",
    "share/zsh/vendor-completions/_dominds-tui",
    "share/doc/dominds-tui/LICENSE-MIT",
    "share/doc/dominds-tui/README.md",
    "share/man/man1/dominds-tui.1.gz",
    "share/man/man1/dominds-tui-q4h-answer.1.gz",
    "lib/systemd/user/dominds-tui@.service",
]


def check(condition, what):
    if not condition:
        raise SystemExit(f"FAILED: {what}")


def only(folder, pattern):
    found = list(folder.glob(pattern))
    check(len(found) == 1, f"one {pattern} in {folder}, not {len(found)}")
    return found[0]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_sums(folder):
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    listed = {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}
    made = {path.name for path in folder.iterdir() if path.suffix in (".gz", ".deb")}
    check(set(listed) == made, f"checksums of {made}, not of {set(listed)}")
    for name, digest in listed.items():
        check(sha256(folder / name) == digest, f"the checksum of {name}")


def install(deb, root):
    """With `dpkg` where that is allowed; otherwise its files alone."""
    if os.geteuid() != 0:
        subprocess.run(["dpkg-deb", "--extract", deb, root], check=True)
        return
    database = root / "var/lib/dpkg"
    for folder in ("info", "updates", "triggers"):
        (database / folder).mkdir(parents=True)
    (database / "status").touch()
    # What it depends on is in no scratch root.
    command = ["dpkg", f"--root={root}", "--force-depends", "--install", str(deb)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS)
    check(done.returncode == 0, f"dpkg --install: {done.stderr}")


def check_files(top):
    for name in FILES:
        path = top / name
        check(path.is_file() and path.stat().st_size > 0, f"{name} in {top}")
        check(path.stat().st_mode & 0o777 == 0o644, f"the mode of {name}")
    page = gzip.decompress((top / "share/man/man1/dominds-tui.1.gz").read_bytes()).decode()
    check(".TH dominds-tui 1" in page, "a man page")


def check_unit(root):
    unit = (root / "usr/lib/systemd/user/dominds-tui@.service").read_text()
    program = re.search(r"^ExecStart=(\S+) ", unit, re.MULTILINE).group(1)
    check(os.access(root / program.lstrip("/"), os.X_OK), f"{program} of the unit is installed")


class Terminal:
    """A program in a pseudo-terminal, with an empty HOME."""

    def __init__(self, program, arguments, home):
        self.seen = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(home)
            environment = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color"}
            environment["TMPDIR"] = str(home)
            os.execve(program, [str(program), *arguments], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.deadline = time.monotonic() + DEADLINE_SECONDS

    def read(self):
        """Reads for a moment; false at the end."""
        check(time.monotonic() < self.deadline, f"in time; seen so far: {self.seen[-2000:]!r}")
        if not select.select([self.terminal], [], [], 0.1)[0]:
            return True
        try:
            self.seen += os.read(self.terminal, 65536).decode(errors="replace")
        except OSError:
            return False
        return True

    def wait_for(self, text):
        self.seen = ""
        while text not in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.seen):
            check(self.read(), f"{text!r} before the end: {self.seen[-2000:]!r}")

    def send(self, keys):
        os.write(self.terminal, keys.encode())

    def status(self):
        while self.read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def kill(self):
        try:
            os.kill(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def check_demo(program, home):
    terminal = Terminal(program, ["demo"], home)
    try:
        terminal.wait_for(DEMO_SHOWS)
        terminal.send("q")
        terminal.wait_for(LEAVING_ASKS)
        terminal.send("y")
        status = terminal.status()
        check(status == 0, f"the demo ends with 0, not {status}")
    finally:
        terminal.kill()


def check_version(program, version):
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=DEADLINE_SECONDS)
    check(done.stdout == f"dominds-tui {version}\n", f"--version says {done.stdout!r}")


def main():
    folder = Path(sys.argv[1]).resolve()
    check_sums(folder)
    deb, archive = only(folder, "*.deb"), only(folder, "*.tar.gz")
    version = archive.name.split("-")[2]
    scratch = Path(tempfile.mkdtemp(prefix="package-"))
    try:
        root, home, tree = scratch / "root", scratch / "home", scratch / "tree"
        for path in (root, home, tree):
            path.mkdir()
        install(deb, root)
        check_files(root / "usr")
        check_unit(root)
        program = root / "usr/bin/dominds-tui"
        check_version(program, version)
        check_demo(program, home)
        with tarfile.open(archive) as files:
            files.extractall(tree, filter="data")
        top = only(tree, "*")
        check_files(top)
        check(sha256(top / "bin/dominds-tui") == sha256(program), "one program in both")
    finally:
        shutil.rmtree(scratch)
    print(f"package: {deb.name} and {archive.name} are whole; the demo ran from a scratch root")


main()
