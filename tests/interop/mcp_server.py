"""A small server of the Model Context Protocol over standard input and output, for tests.

Arguments are names of its tools. What happens to it is written to `journal` in its folder, a line each.
"""

import json
import os
import signal
import subprocess
import sys
import threading

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
lock = threading.Lock()
tools = sys.argv[1:]
calls = 0


def note(line):
    with open("journal", "a", encoding="utf-8") as journal:
        journal.write(line + "\n")


def send(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def text(words, error=False):
    return {"content": [{"type": "text", "text": words}], "isError": error}


def call(name, arguments, number):
    """The answer of a tool; None for one that never answers."""
    global calls
    calls += 1
    if name == "echo":
        return text(json.dumps(arguments, sort_keys=True))
    if name == "count":
        return text(f"call {calls} of {os.getpid()}")
    if name == "environ":
        return text(" ".join(sorted(os.environ)))
    if name == "fail":
        return text("the disk is full", error=True)
    if name == "picture":
        return {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}
    if name == "grow":
        tools.append("grown")
        send({"method": "notifications/tools/list_changed"})
        return text("grown")
    if name == "child":
        child = subprocess.Popen(["sleep", "600"])
        return text(str(child.pid))
    if name == "crash":
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(3)
    if name == "large":
        return text("x" * (17 * 1024 * 1024))
    if name == "deep":
        return {"content": [], "structuredContent": json.loads("[" * 200 + "]" * 200)}
    if name == "endless":
        with lock:
            sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "result": "' % number)
            sys.stdout.write("x" * (17 * 1024 * 1024))
            sys.stdout.flush()
            threading.Event().wait()
    if name == "hang":
        note("hangs")
        return None
    raise KeyError(name)


def answer(message):
    method, number = message.get("method"), message.get("id")
    params = message.get("params") or {}
    if method == "initialize":
        send({"id": number, "result": {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "test", "version": "1"},
        }})
    elif method == "tools/list":
        listed = [{"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}}
                  for name in tools]
        send({"id": number, "result": {"tools": listed}})
    elif method == "tools/call":
        try:
            result = call(params["name"], params.get("arguments") or {}, number)
        except KeyError:
            send({"id": number, "error": {"code": -32602, "message": "there is no such tool"}})
            return
        if result is not None:
            send({"id": number, "result": result})
    elif method == "notifications/cancelled":
        note("cancelled")
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "unknown method"}})


signal.signal(signal.SIGTERM, signal.SIG_DFL)
if "refuse" in tools:
    sys.exit("the licence has run out")
note(f"starts {os.getpid()}")
if "mute" in tools:
    threading.Event().wait()
for line in sys.stdin:
    answer(json.loads(line))
note("ends")
