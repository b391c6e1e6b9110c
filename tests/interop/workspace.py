"""A workspace whose lead talks to one model, and the program run in it."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

API = {"chat": "openai-compatible", "responses": "openai", "anthropic": "anthropic"}
KEY = "sk-interop-0123456789abcdef"


class Workspace:
    def __init__(self, program, protocol, base_url, model):
        self.program = Path(program).resolve()
        self.folder = tempfile.TemporaryDirectory(prefix="interop-")
        self.path = Path(self.folder.name)
        (self.path / "home").mkdir()
        (self.path / "work/.minds").mkdir(parents=True)
        (self.path / "work/notes.txt").write_text("one\n")
        (self.path / "work/.minds/llm.yaml").write_text(
            f"providers:\n  p:\n    apiType: {API[protocol]}\n    baseUrl: {base_url}\n"
            f"    apiKeyEnvVar: INTEROP_KEY\n    llm_retry_conservative_delay_ms: 1000\n"
            f"    models:\n      {model}: {{ output_length: 500 }}\n"
        )
        (self.path / "work/.minds/team.yaml").write_text(
            f"members:\n  lead: {{ provider: p, model: {model}, toolsets: [ws_read], diligence-push-max: 0 }}\n"
        )

    def call(self, *arguments):
        environment = {"HOME": str(self.path / "home"), "PATH": os.environ["PATH"], "INTEROP_KEY": KEY}
        command = [str(self.program), "-C", str(self.path / "work"), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    def run(self, text):
        """Says something and drives; the exit status and the events."""
        done = self.call("run", "--json", "--timeout", "60", text)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def check(condition, what):
    if not condition:
        raise SystemExit(f"FAILED: {what}")
