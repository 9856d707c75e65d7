#!/usr/bin/env python3
"""Load on the service of examples/service: requests a second, latency, memory and wrong answers.

    bench/run service [--seconds 600] [--connections 8] [--rows 1] [--every 3] [--workers 1]
    bench/run service --compare [--turns 4]

A process replaces the model file by the other of two models every few seconds. Every answer is compared with
the library's own prediction for the row and the version of the model that the answer names. --compare puts
dyad and LightGBM in turn behind the same service, on the same rows. Exit code 1 if an answer is wrong, a
request fails, or the memory in the last fifth is more than 2 % above that of the second fifth.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import itertools
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
from models import write_models  # noqa: E402

FACTORIES = {"dyad": "service:create_app", "lightgbm": "lightgbm_service:create_app"}


@dataclasses.dataclass
class Load:
    """Counts of one run."""

    seconds: float = 0
    processor_seconds: float = 0  #: of the service
    latencies: list[float] = dataclasses.field(default_factory=list)
    wrong: int = 0
    failed: int = 0
    versions: dict[str, int] = dataclasses.field(default_factory=dict)

    def rate(self):
        return len(self.latencies) / self.seconds

    def processor_each(self):
        return self.processor_seconds / len(self.latencies)

    def line(self, rows):
        """All of it as text."""
        ordered = sorted(self.latencies)
        p50, p99, worst = (1e3 * ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99, 1))
        return (
            f"{self.rate():7.0f} requests/s {self.rate() * rows:8.0f} rows/s   "
            f"p50 {p50:6.2f}  p99 {p99:6.2f}  max {worst:6.1f} ms   "
            f"{1e3 * self.processor_each():5.2f} ms of a processor a request   "
            f"{len(ordered)} answers, {self.wrong} wrong, {self.failed} failed"
        )


class Server:
    """The service in a process of its own, on a free port of the loopback interface."""

    def __init__(self, kind, folder, workers):
        self.kind = kind
        self.folder = folder
        self.requests, self.expected = write_models(kind, folder)
        replace(folder / "model_0", folder / "served")
        command = [sys.executable, "-m", "uvicorn", "--factory", FACTORIES[kind]]
        command += ["--port", "0", "--no-access-log", "--workers", str(workers)]
        more = {
            "DYAD_MODEL": str(folder / "served"),
            "DYAD_SECONDS": "0.5",
            "PYTHONPATH": f"{ROOT / 'examples/service'}:{ROOT / 'bench/service'}",
            "OMP_NUM_THREADS": "1",
        }
        with open(folder / "log", "w") as log:
            self.process = subprocess.Popen(command, env=os.environ | more, stdout=log, stderr=log)
        self.port = self._port()

    def _port(self):
        """The port, once the service answers."""
        for _ in range(600):
            text = (self.folder / "log").read_text()
            if "Uvicorn running on" in text and "startup complete" in text:
                return int(text.split("Uvicorn running on http://127.0.0.1:")[1].split()[0])
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise SystemExit(f"{self.kind}: the service did not start:\n{(self.folder / 'log').read_text()}")

    def _processes(self):
        """The folders in /proc of the service and its workers."""
        folder = Path(f"/proc/{self.process.pid}")
        workers = (folder / "task" / folder.name / "children").read_text().split()
        return [folder, *(Path(f"/proc/{worker}") for worker in workers)]

    def resident_bytes(self):
        pages = sum(int((folder / "statm").read_text().split()[1]) for folder in self._processes())
        return pages * os.sysconf("SC_PAGESIZE")

    def processor_seconds(self):
        """Time in user and system mode."""
        fields = [(folder / "stat").read_text().rpartition(")")[2].split() for folder in self._processes()]
        return sum(int(of[11]) + int(of[12]) for of in fields) / os.sysconf("SC_CLK_TCK")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def replace(source, target):
    """Puts a copy of a file in the place of another at once, as savers of models do."""
    fresh = target.with_name(target.name + ".new")
    fresh.write_bytes(source.read_bytes())
    os.replace(fresh, target)


def swap_models(folder, every):
    """Replaces the model file by the other model, again and again."""
    for k in itertools.cycle((1, 0)):
        time.sleep(every)
        replace(folder / f"model_{k}", folder / "served")


@contextlib.contextmanager
def swapping(folder, every):
    """Another process replaces the model file meanwhile."""
    process = multiprocessing.Process(target=swap_models, args=(folder, every), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


async def exchange(reader, writer, request):
    """The status and body of one answer."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    return int(head.split()[1]), await reader.readexactly(length)


async def client(server, load, first, stop, rows):
    """Sends requests on one connection, one after another, and compares the answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    n, k = len(server.requests), first
    while time.perf_counter() < stop:
        places = [(k + i) % n for i in range(rows)]
        k += rows
        body = json.dumps({"rows": [server.requests[place] for place in places]}).encode()
        head = f"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        start = time.perf_counter()
        status, text = await exchange(
            reader, writer, head.encode() + b"Content-Type: application/json\r\n\r\n" + body
        )
        load.latencies.append(time.perf_counter() - start)
        if status != 200:
            load.failed += 1
            continue
        answer = json.loads(text)
        version = answer["model"]
        load.versions[version] = load.versions.get(version, 0) + 1
        known = server.expected.get(version)
        load.wrong += known is None or answer["predictions"] != [known[place] for place in places]
    writer.close()


async def drive(server, seconds, connections, rows, memory=None):
    load = Load(processor_seconds=-server.processor_seconds())
    start = time.perf_counter()
    stop = start + seconds
    clients = [asyncio.create_task(client(server, load, 37 * c, stop, rows)) for c in range(connections)]
    while memory is not None and time.perf_counter() < stop:
        memory.append(server.resident_bytes())
        await asyncio.sleep(min(1, seconds / 20))
    await asyncio.gather(*clients)
    load.seconds = time.perf_counter() - start
    load.processor_seconds += server.processor_seconds()
    return load


def hold(arguments, folder):
    """One long run; true if all answers are right and memory stays flat."""
    drive_with = (arguments.connections, arguments.rows)
    memory = []
    with Server("dyad", folder, arguments.workers) as server:
        asyncio.run(drive(server, min(10, arguments.seconds / 10), *drive_with))
        with swapping(folder, arguments.every):
            load = asyncio.run(drive(server, arguments.seconds, *drive_with, memory))
    fifth = max(1, len(memory) // 5)
    before, after = max(memory[fifth : 2 * fifth] or memory), max(memory[-fifth:])
    print(f"dyad      {load.line(arguments.rows)}")
    print(
        f"answers by model {sorted(load.versions.values())}; memory {memory[0] / 1e6:.1f} MB at first, "
        f"{memory[-1] / 1e6:.1f} MB at last; at most {before / 1e6:.1f} MB in the second fifth, "
        f"{after / 1e6:.1f} MB in the last ({after / before - 1:+.2%})"
    )
    return load.wrong == load.failed == 0 and len(load.versions) == 2 and after <= 1.02 * before


def compare(arguments, folder):
    """dyad and LightGBM in turn; true if all answers are right."""
    loads = {kind: [] for kind in FACTORIES}
    with contextlib.ExitStack() as running:
        servers = []
        for kind in FACTORIES:
            (folder / kind).mkdir()
            servers.append(running.enter_context(Server(kind, folder / kind, arguments.workers)))
            running.enter_context(swapping(folder / kind, arguments.every))
        for _ in range(arguments.turns):
            for server in servers:
                load = asyncio.run(drive(server, arguments.seconds, arguments.connections, arguments.rows))
                loads[server.kind].append(load)
                print(f"{server.kind:<9} {load.line(arguments.rows)}", flush=True)
        for server in servers:
            print(f"{server.kind:<9} {server.resident_bytes() / 1e6:.1f} MB")
    for name, value in (("requests/s", Load.rate), ("processor time a request", Load.processor_each)):
        ratios = [value(ours) / value(theirs) for ours, theirs in zip(*loads.values(), strict=True)]
        print(f"{name}, dyad over LightGBM: median {statistics.median(ratios):.2f} of {len(ratios)} turns")
    return all(load.wrong == load.failed == 0 for of_kind in loads.values() for load in of_kind)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, help="of the run (600), or of each turn (20)")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rows", type=int, default=1, help="of each request")
    parser.add_argument("--every", type=float, default=3, help="seconds between two models")
    parser.add_argument("--workers", type=int, default=1, help="processes of the service")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--turns", type=int, default=4)
    arguments = parser.parse_args()
    arguments.seconds = arguments.seconds or (20 if arguments.compare else 600)
    with tempfile.TemporaryDirectory() as folder:
        good = (compare if arguments.compare else hold)(arguments, Path(folder))
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
