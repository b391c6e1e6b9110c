"""A small server of the Model Context Protocol over standard input and output, for tests.

Arguments are names of its tools. What happens to it is written to `journal` in its folder, a line each.
"""

import base64
import json
import os
import select
import signal
import subprocess
import sys
import threading

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
lock = threading.Lock()
tools = sys.argv[1:]
calls = 0
held = 0


def note(line):
    with open("journal", "a", encoding="utf-8") as journal:
        journal.write(line + "\n")


def send(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def write(lines, number):
    """Writes lines as they are, with the number of the call for `ID`, a byte for each character."""
    with lock:
        for line in lines:
            sys.stdout.buffer.write(line.replace("ID", str(number)).encode("latin-1") + b"\n")
        sys.stdout.buffer.flush()


def leave():
    """Ends as soon as something more is written to it, without reading that."""
    select.select([sys.stdin], [], [])
    os._exit(0)


def text(words, error=False):
    return {"content": [{"type": "text", "text": words}], "isError": error}


def secret():
    """What the server was given and should not tell, in five forms."""
    key = os.environ.get("TOKEN", "").encode()
    return " ".join([
        key.decode(),
        base64.b64encode(key).decode(),
        base64.urlsafe_b64encode(b"ab" + key).decode().rstrip("="),
        "".join(f"%{byte:02X}" for byte in key),
        key.hex(),
    ])


def leak(where):
    """An answer with the secret in one of its places."""
    if where == "error":
        return text(secret(), error=True)
    if where == "structured":
        return {"content": [], "structuredContent": {secret(): [secret()]}}
    if where == "link":
        return {"content": [{"type": "resource_link", "uri": f"file:///{secret()}",
                             "name": secret(), "description": secret()}]}
    if where == "resource":
        return {"content": [{"type": "resource",
                             "resource": {"uri": f"file:///{secret()}", "text": secret()}}]}
    if where == "blocks":
        key = os.environ.get("TOKEN", "")
        return {"content": [{"type": "text", "text": key[:9]}, {"type": "text", "text": key[9:]}]}
    if where == "long":
        return text(("x" * 48_000 + secret()) * 12)
    if where == "image":
        data = base64.b64decode(PNG) + os.environ.get("TOKEN", "").encode()
        return {"content": [{"type": "image", "data": base64.b64encode(data).decode(),
                             "mimeType": "image/png"}]}
    if where == "refused":
        raise PermissionError(secret())
    if where == "stderr":
        sys.stderr.write("x" * 1_990 + secret() + "\n" + secret())
        sys.stderr.flush()
        os._exit(3)
    return text(secret())


def call(name, arguments, number):
    """The answer of a tool; None for one that never answers."""
    global calls, held
    calls += 1
    if name == "echo":
        return text(json.dumps(arguments, sort_keys=True))
    if name == "count":
        return text(f"call {calls} of {os.getpid()}")
    if name == "environ":
        return text(" ".join(sorted(os.environ)))
    if name == "fail":
        return text("the disk is full", error=True)
    if name == "image":
        return {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}
    if name == "grow":
        tools.append("grown")
        send({"method": "notifications/tools/list_changed"})
        return text("grown")
    if name == "child":
        child = subprocess.Popen(["sleep", "600"])
        return text(str(child.pid))
    if name == "detach":
        return text(detached())
    if name == "relist":
        with open("tools.json", "w", encoding="utf-8") as file:
            json.dump(arguments, file)
        send({"method": "notifications/tools/list_changed"})
        return text("listed anew")
    if name == "leak":
        return leak(arguments.get("where"))
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
    if name == "raw":
        held += 1
        if held == arguments.get("calls", 1):
            held = 0
            write(arguments["lines"], number)
        return None
    if name == "last":
        return text("the last")
    raise KeyError(name)


def detached():
    """A process in a session of its own, whose parent is gone at once; its number."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(reading)
            os.write(writing, str(os.getpid()).encode())
            for descriptor in range(3):
                os.close(descriptor)
            os.close(writing)
            os.execvp("sleep", ["sleep", "600"])
        os._exit(0)
    os.close(writing)
    number = os.read(reading, 20).decode()
    os.wait()
    return number


def resources():
    """What `resources.json` in its folder says: pages by cursor, templates, contents by address."""
    return written("resources.json")


def prompts():
    """What `prompts.json` in its folder says: pages by cursor, messages by name."""
    return written("prompts.json")


def written(name):
    try:
        with open(name, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def made(name, arguments):
    """The answer with the messages of a prompt; None if there is no such prompt."""
    note(f"makes {name} {json.dumps(arguments)}")
    messages = prompts()["texts"].get(name)
    if messages == "crash":
        os._exit(3)
    return None if messages is None else {"messages": messages}


def read(uri):
    """The answer with the contents of a resource; None if there is no such resource."""
    note(f"reads {uri}")
    contents = resources()["contents"].get(uri)
    if contents == "crash":
        os._exit(3)
    return contents and {"contents": contents}


def described(tool):
    """A tool as `tools.json` in its folder describes it, if that does."""
    try:
        with open("tools.json", encoding="utf-8") as file:
            return {**tool, **json.load(file).get(tool["name"], {})}
    except FileNotFoundError:
        return tool


def answer(message):
    method, number = message.get("method"), message.get("id")
    params = message.get("params") or {}
    if method == "initialize":
        capabilities = {"tools": {"listChanged": True}}
        if resources():
            capabilities["resources"] = {"listChanged": True}
        if prompts():
            capabilities["prompts"] = {"listChanged": True}
        send({"id": number, "result": {
            "protocolVersion": params["protocolVersion"],
            "capabilities": capabilities,
            "serverInfo": {"name": "test", "version": "1"},
        }})
    elif method == "tools/list":
        listed = [{"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}}
                  for name in tools]
        for tool in listed:
            if tool["name"] == "leak":
                tool["description"] += " Its key is " + secret()
                tool["inputSchema"]["properties"] = {"where": {"type": "string",
                                                               "description": secret()}}
        send({"id": number, "result": {"tools": [described(tool) for tool in listed]}})
        if "deaf" in tools:
            leave()
    elif method == "tools/call":
        try:
            result = call(params["name"], params.get("arguments") or {}, number)
        except KeyError:
            send({"id": number, "error": {"code": -32602, "message": "there is no such tool"}})
            return
        except PermissionError as refused:
            send({"id": number, "error": {"code": -32000, "message": str(refused)}})
            return
        if result is not None:
            send({"id": number, "result": result})
        if params["name"] == "last":
            leave()
    elif method == "resources/list":
        page = resources()["pages"][int(params.get("cursor", 0))]
        if page != "hang":
            send({"id": number, "result": page})
    elif method == "resources/templates/list" and "templates" in resources():
        send({"id": number, "result": {"resourceTemplates": resources()["templates"]}})
    elif method == "resources/read":
        result = read(params["uri"])
        if result is None:
            send({"id": number, "error": {"code": -32002, "message": "there is no such resource"}})
        else:
            send({"id": number, "result": result})
    elif method == "prompts/list":
        note("lists prompts")
        send({"id": number, "result": prompts()["pages"][int(params.get("cursor", 0))]})
    elif method == "prompts/get":
        result = made(params["name"], params.get("arguments"))
        if result is None:
            send({"id": number, "error": {"code": -32602, "message": "there is no such prompt"}})
        else:
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
