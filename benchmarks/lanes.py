"""Lanes: one engine with one set of options, and the processes that measure it."""

import contextlib
import dataclasses
import json
import os
import pathlib
import selectors
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
PEER_PYTHON = ROOT / ".peer-venv" / "bin" / "python"
OWN_PYTHON = ROOT / ".venv" / "bin" / "python"


class WorkerFailed(Exception):
    """A worker died, ran too long or answered with an error; the text says which, in one line."""


@dataclasses.dataclass(frozen=True)
class Lane:
    """What is compared: `name` heads the column, `python` runs the workers."""

    name: str
    engine: str
    python: str
    options: str = "{}"
    environment: tuple = ()  # pairs of name and value

    def with_options(self, name, **options):
        return dataclasses.replace(self, name=name, options=json.dumps(options))

    def with_environment(self, name, **environment):
        return dataclasses.replace(self, name=name, environment=tuple(environment.items()))


def probe(python, code):
    """Standard output of a one-liner under `python`, or None and the last line of its complaint."""
    if not pathlib.Path(python).exists():
        return None, f"{python} does not exist"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [str(python), "-c", code], capture_output=True, text=True, env=env, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return None, lines[-1]
    return done.stdout.strip(), None


def find_lanes(with_numba=True):
    """The lanes that can run here, by name, and by name the reason why others can't."""
    lanes, missing = {}, {}
    own = next((p for p in (OWN_PYTHON, PEER_PYTHON, sys.executable) if numpy_runs(p)), None)
    if own is None:
        raise SystemExit("bench: no Python with NumPy found; run `make build` first")
    _, problem = probe(own, "import whipsnake; whipsnake.njit")
    if problem:
        missing["whipsnake"] = f"not built ({problem})"
    else:
        lanes["whipsnake"] = Lane("whipsnake", "whipsnake", str(own))
    if with_numba:
        _, problem = probe(PEER_PYTHON, "import numba")
        if problem:
            missing["numba"] = f"not installed ({problem}); run benchmarks/setup_peer.sh"
        else:
            lanes["numba"] = Lane("numba", "numba", str(PEER_PYTHON))
    else:
        missing["numba"] = "left out by --no-numba"
    lanes["c"] = Lane("c", "c", str(own))
    lanes["python"] = Lane("python", "python", str(own))
    return lanes, missing


def numpy_runs(python):
    return probe(python, "import numpy")[1] is None


class WorkerProcess:
    """A running worker.py of one lane, with an empty cache of its own. Use it in a `with`."""

    def __init__(self, lane, timeout=120.0):
        self.lane, self.timeout = lane, timeout
        self.cache = tempfile.TemporaryDirectory(prefix="bench-cache-")
        self.errors = tempfile.TemporaryFile()
        env = {
            **os.environ,
            "BENCH_ENGINE": "python" if lane.engine == "c" else lane.engine,
            "BENCH_OPTIONS": lane.options,
            "WHIPSNAKE_CACHE_DIR": self.cache.name,
            "NUMBA_CACHE_DIR": self.cache.name,
            "PYTHONPATH": f"{HERE}{os.pathsep}{ROOT}",
            **dict(lane.environment),
        }
        self.process = subprocess.Popen(
            [lane.python, str(HERE / "worker.py"), lane.engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=env,
        )
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.selector.close()
        self.errors.close()
        self.cache.cleanup()

    def ask(self, do, **order):
        """Have the worker do something and return its answer; WorkerFailed if it can't."""
        line = json.dumps({"do": do, **order}) + "\n"
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise WorkerFailed(self.last_words()) from None
        if not self.selector.select(self.timeout):
            raise WorkerFailed(f"no answer to {do!r} within {self.timeout:.0f} s")
        answer = self.process.stdout.readline()
        if not answer:
            raise WorkerFailed(self.last_words())
        answer = json.loads(answer)
        if "error" in answer:
            raise WorkerFailed(answer["error"])
        return answer

    def last_words(self):
        """Why the process ended: the signal or status, and the last line it wrote."""
        status = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return f"died of {how}: {lines[-1] if lines else 'no message'}"[:200]
