"""The bodies we post, judged by the vendors' own Python clients.

    python tests/interop/official_clients.py --program target/release/dominds-tui --protocol chat

Needs the packages `openai` and `anthropic`. A server on this machine records what the program posts in a dialog with a
tool. Each body must fit the client's types, the client must take it as its arguments, and must post the same.
"""

import argparse
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anthropic
import openai
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter

import upstream
from workspace import Workspace, check

TOOL_CALL = {"chat": "tool_calls", "responses": "function_call", "anthropic": "tool_use"}


def events(protocol, has_result):
    """An answer of the protocol: a call first, then words."""
    if protocol == "chat":
        messages = [{"role": "tool", "content": "notes.txt"}] if has_result else []
        return [("", piece) for piece in upstream.chunks(messages)]
    if protocol == "responses":
        words = {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
                 "content": [{"type": "output_text", "text": "Done.", "annotations": []}]}
        call = {"type": "function_call", "id": "f1", "call_id": "call_1", "name": upstream.TOOL,
                "arguments": '{"path": "."}', "status": "completed"}
        response = {"id": "r1", "object": "response", "status": "completed", "model": "script",
                    "output": [words if has_result else call]}
        return [("response.completed", {"type": "response.completed", "response": response})]
    block = {"type": "text", "text": ""} if has_result else {
        "type": "tool_use", "id": "call_1", "name": upstream.TOOL, "input": {}}
    delta = {"type": "text_delta", "text": "Done."} if has_result else {
        "type": "input_json_delta", "partial_json": '{"path": "."}'}
    reason = "end_turn" if has_result else "tool_use"
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "script", "content": [],
               "stop_reason": None, "usage": {"input_tokens": 7, "output_tokens": 1}}
    parts = [{"type": "message_start", "message": message},
             {"type": "content_block_start", "index": 0, "content_block": block},
             {"type": "content_block_delta", "index": 0, "delta": delta},
             {"type": "content_block_stop", "index": 0},
             {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}},
             {"type": "message_stop"}]
    return [(part["type"], part) for part in parts]


class Recorder(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.posted.append(body)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, value in events(self.server.protocol, "notes.txt" in json.dumps(body)):
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {json.dumps(value)}\n\n".encode())
        if self.server.protocol == "chat":
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_):
        pass


def start(protocol):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    server.posted, server.protocol = [], protocol
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"


def exhaust(value, depth):
    """Lists of the clients' types are checked only when they are walked through."""
    if depth == 0 or isinstance(value, (str, int, float, bool, type(None))):
        return
    for item in value.values() if isinstance(value, dict) else value:
        exhaust(item, depth - 1)


def repeat(protocol, url, body):
    """Posts the same with the vendor's client."""
    if protocol == "anthropic":
        client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
        return list(client.messages.create(**body))
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    create = client.chat.completions.create if protocol == "chat" else client.responses.create
    return list(create(**body))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/dominds-tui")
    parser.add_argument("--protocol", choices=TOOL_CALL, default="chat")
    wanted = parser.parse_args()
    protocol = wanted.protocol
    server, url = start(protocol)
    base = url if protocol == "anthropic" else f"{url}/v1"
    status, _, errors = Workspace(wanted.program, protocol, base, "script").run("What is here?")
    bodies = list(server.posted)
    check(status == 0 and len(bodies) == 2, f"exit status {status}, {len(bodies)} requests: {errors}")
    check(TOOL_CALL[protocol] in json.dumps(bodies[1]), "the call is not sent back")
    types = {"chat": CompletionCreateParamsStreaming, "responses": ResponseCreateParamsStreaming,
             "anthropic": MessageCreateParamsStreaming}
    for body in bodies:
        known = types[protocol].__annotations__.keys()
        check(body.keys() <= known, f"keys that the client does not know: {body.keys() - known}")
        # The lists of the other types make pydantic itself break down.
        exhaust(TypeAdapter(types[protocol]).validate_python(body), 9 if protocol == "chat" else 1)
        answer = repeat(protocol, url, body)
        check(answer, "the client reads nothing")
        check(server.posted[-1] == body, f"the client posts something else:\n{server.posted[-1]}\n{body}")
    print(f"passed: {protocol}, {len(bodies)} bodies as the official client posts them")


if __name__ == "__main__":
    main()
