"""A model that speaks Chat Completions and plays a small script: it calls a tool, then says what that gave.

The name of the model decides what else happens: `busy` refuses its first request, `full` finds every context too long.
Every body that was posted is kept, with its path.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = "list_dir"


def chunk(delta, finish=None, usage=None):
    choices = [] if usage else [{"index": 0, "delta": delta, "finish_reason": finish}]
    value = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "script", "choices": choices}
    if usage:
        value["usage"] = usage
    return value


def chunks(messages):
    """The answer to these messages, in pieces."""
    results = [m for m in messages if m["role"] == "tool"]
    if results:
        content = results[-1]["content"]
        text = content if isinstance(content, str) else "".join(part["text"] for part in content)
        for word in ("It holds ", "notes.txt." if "notes.txt" in text else "nothing."):
            yield chunk({"role": "assistant", "content": word})
        yield chunk({}, "stop")
    else:
        yield chunk({"role": "assistant", "content": "I look."})
        head = {"index": 0, "id": "call_1", "type": "function", "function": {"name": TOOL, "arguments": ""}}
        yield chunk({"tool_calls": [head]})
        for piece in ('{"pa', 'th":', ' "."}'):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        yield chunk({}, "tool_calls")
    yield chunk(None, usage={"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10})


def whole(messages):
    """The same in one piece."""
    text, arguments, finish = "", "", "stop"
    for piece in chunks(messages):
        for choice in piece["choices"]:
            text += choice["delta"].get("content") or ""
            for call in choice["delta"].get("tool_calls", []):
                arguments += call["function"]["arguments"]
            finish = choice["finish_reason"] or finish
    message = {"role": "assistant", "content": text}
    if arguments:
        call = {"id": "call_1", "type": "function", "function": {"name": TOOL, "arguments": arguments}}
        message["tool_calls"] = [call]
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "script", "choices": [choice], "usage": usage}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server = self.server
        server.posted.append((self.path, body))
        model = body["model"]
        if model == "busy" and not server.refused:
            server.refused = True
            self.answer(429, {"error": {"message": "slow down", "type": "rate_limit_error", "code": "rate_limit"}})
        elif model == "full":
            text = "This model's maximum context length is 9 tokens."
            error = {"message": text, "type": "invalid_request_error", "code": "context_length_exceeded"}
            self.answer(400, {"error": error})
        elif body.get("stream"):
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for piece in chunks(body["messages"]):
                self.wfile.write(f"data: {json.dumps(piece)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
        else:
            self.answer(200, whole(body["messages"]))

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if status == 429:
            self.send_header("retry-after", "1")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def start():
    """The running server; its address is `url`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.posted, server.refused = [], False
    server.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
