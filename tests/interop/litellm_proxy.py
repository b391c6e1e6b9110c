"""Through a real LiteLLM proxy: a dialog with a tool, a model that is busy, a context that is too long.

    python tests/interop/litellm_proxy.py --program target/release/dominds-tui --protocol chat

Needs the package `litellm[proxy]` in the Python that runs it. Behind the proxy plays a scripted model, so no key and no
network is needed. With `--protocol responses` or `anthropic` the proxy translates.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import upstream
from workspace import KEY, Workspace, check

PATHS = {"chat": "/v1", "responses": "/v1", "anthropic": ""}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_proxy(folder, model_url):
    # A vendor of which the proxy knows nothing but Chat Completions, so that it translates all else.
    config = "model_list:\n"
    for model in ("plain", "busy", "full"):
        parameters = f"{{ model: lm_studio/{model}, api_base: '{model_url}', api_key: none, max_retries: 0 }}"
        config += f"  - model_name: {model}\n    litellm_params: {parameters}\n"
    config += "router_settings: { num_retries: 0, disable_cooldowns: true }\n"
    file = Path(folder) / "proxy.yaml"
    file.write_text(config)
    port = free_port()
    program = Path(sys.executable).with_name("litellm")
    command = [str(program), "--config", str(file), "--port", str(port), "--host", "127.0.0.1"]
    environment = {**os.environ, "LITELLM_MASTER_KEY": KEY}
    log = open(Path(folder) / "proxy.log", "w")
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    for _ in range(240):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=2)
            return process, port
        except OSError:
            check(process.poll() is None, f"the proxy ended:\n{Path(log.name).read_text()[-2000:]}")
            time.sleep(0.5)
    process.kill()
    raise SystemExit("FAILED: the proxy does not start")


def dialog(program, protocol, base):
    world = Workspace(program, protocol, base, "plain")
    status, events, errors = world.run("What is here?")
    sayings = [event["text"] for event in events if event["event"] == "saying"]
    results = [event["ok"] for event in events if event["event"] == "tool_result"]
    check(status == 0, f"exit status {status}: {errors} {events[-3:]}")
    check(sayings == ["I look.", "It holds notes.txt."], f"said {sayings}")
    check(results == [True], f"results {results}")
    asked = world.call("doctor", "--providers")
    check(asked.returncode == 0, asked.stdout + asked.stderr)
    print("ok    a dialog with a tool, and doctor --providers")


def busy(program, protocol, base):
    status, events, errors = Workspace(program, protocol, base, "busy").run("What is here?")
    phases = [event["phase"] for event in events if event["event"] == "retry"]
    check(status == 0 and phases == ["waiting", "running", "resolved"], f"{status} {phases} {errors}")
    print("ok    a model that is busy is asked again")


def full(program, protocol, base):
    status, events, errors = Workspace(program, protocol, base, "full").run("What is here?")
    reasons = [str(event.get("reason")) for event in events if event["event"] == "state"]
    check(status == 4 and "a new course would not help" in reasons[-1], f"{status} {reasons} {errors}")
    print("ok    a context that is too long is told apart")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/dominds-tui")
    parser.add_argument("--protocol", choices=PATHS, default="chat")
    wanted = parser.parse_args()
    model = upstream.start()
    with tempfile.TemporaryDirectory(prefix="litellm-") as folder:
        proxy, port = start_proxy(folder, model.url)
        base = f"http://127.0.0.1:{port}{PATHS[wanted.protocol]}"
        try:
            for part in (dialog, busy, full):
                part(wanted.program, wanted.protocol, base)
        finally:
            proxy.terminate()
            proxy.wait(20)
    print(f"passed: {wanted.protocol} through LiteLLM")


if __name__ == "__main__":
    main()
