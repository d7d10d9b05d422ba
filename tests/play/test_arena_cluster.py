"""The same event on a Ray cluster: the same table, and a node that dies costs only time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import pytest

from gametree import BadInput
from gametree.play import cluster
from gametree.play.events import Event
from gametree.play.runner import run_event
from gametree.play.store import Store
from gametree.play.summary import summarise

pytest.importorskip("ray", reason="Ray (gametree[cluster]) is not installed")

EVENT = Event("match", "tictactoe", ("random", "mcts:sims=60"), 60, salt="tests")

# Ray starts servers and threads and warns on its own account, so it has a process of its own.
SCRIPT = """
import json, os, signal, sys
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from gametree.play.cluster import ClusterCrew
from gametree.play.events import Event
from gametree.play.runner import run_event
from gametree.play.store import Store
from gametree.play.summary import summarise

path, players, games = sys.argv[1], tuple(json.loads(sys.argv[2])), int(sys.argv[3])
event = Event("match", "tictactoe", players, games, salt="tests")
small = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80_000_000}
two = Cluster(initialize_head=True, connect=True, head_node_args=small)
second = two.add_node(num_cpus=1, object_store_memory=80_000_000)
two.wait_for_nodes(timeout=90)
both, killed, again = [], [], []
wanted, bury = ClusterCrew.wanted, ClusterCrew._bury

def wait_for_both(crew):
    both.extend([True] * (not both and len(crew._idle) == 2))
    return wanted(crew) if both else 0

def count(crew, tasks):
    again.extend(tasks)
    bury(crew, tasks)

def processes(node):
    # All of a node. Ray's remove_node spares the workers: they may play on for seconds until they miss their master.
    masters = [process.pid for _, process in node.live_processes()]
    children = [file for pid in masters for file in Path(f"/proc/{pid}/task").glob("*/children")]
    return masters + [int(pid) for file in children for pid in file.read_text().split()]

def watch(results):
    # Both nodes play, so that the one that goes takes games with it; it is not replaced.
    if results and not killed:
        for pid in processes(second):
            os.kill(pid, signal.SIGKILL)
        two.remove_node(second, allow_graceful=False)
        killed.append(len(results))

ClusterCrew.wanted, ClusterCrew._bury = wait_for_both, count
with Store(path) as store:
    outcome = run_event(event, store, concurrency=2, cluster="auto", progress=watch)
ray.shutdown()
two.shutdown()
print(json.dumps({"killed": killed, "again": again, "summary": summarise(event, outcome.results)}))
"""


def _marked(mark: str) -> list[int]:
    """All processes whose environment has the mark, whoever started them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.fixture
def ray_environment(monkeypatch):
    """Ray writes to a folder of its own, and nothing of it is left when the test is over, however it ends."""
    mark = f"gametree-test-{uuid.uuid4().hex}"
    monkeypatch.setenv("GAMETREE_TEST_MARK", mark)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "90")
    folder = tempfile.mkdtemp(prefix="gt-")  # a short path: Ray's sockets lie in it
    monkeypatch.setenv("RAY_TMPDIR", folder)
    yield mark
    for pid in _marked(mark):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to see what is left of Ray")
def test_one_node_of_two_is_killed_and_the_table_is_that_of_a_calm_run(tmp_path, ray_environment):
    mark = ray_environment
    with Store(tmp_path / "calm.db") as store:
        calm = summarise(EVENT, run_event(EVENT, store).results)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "ray.db"), json.dumps(EVENT.players), "60"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["killed"][0] < 60
    assert found["again"]
    assert found["summary"] == json.loads(json.dumps(calm))
    with Store(tmp_path / "ray.db") as store:
        store.check()
        assert len(store.results(EVENT)) == 60
    end = time.monotonic() + 20
    while _marked(mark) and time.monotonic() < end:
        time.sleep(0.1)
    assert _marked(mark) == []


def test_without_ray_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"install gametree\[cluster\]"):
        cluster._ray()


def test_a_cluster_that_is_not_there_is_one_sentence(monkeypatch):
    """Ray raises plain exceptions of all kinds."""

    def fails(**_):
        raise Exception("The current node timed out during startup.\nThis could happen for many reasons.")

    fake = type("Ray", (), {"is_initialized": staticmethod(lambda: False), "init": staticmethod(fails)})
    monkeypatch.setattr(cluster, "_ray", lambda: fake)
    sentence = r"^There is no Ray cluster at 'nowhere:1': The current node timed out during startup\.$"
    with pytest.raises(BadInput, match=sentence):
        cluster.ClusterCrew(EVENT, "nowhere:1", 1)
