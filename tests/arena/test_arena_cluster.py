"""The same event on a Ray cluster: the same table, and a node that dies costs only time."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

from gametree import BadInput
from gametree.play import cluster
from gametree.play.events import Event
from gametree.play.runner import run_event
from gametree.play.store import Store
from gametree.play.summary import summarise

pytest.importorskip("ray", reason="Ray (gametree[cluster]) is not installed")

EVENT = Event("match", "tictactoe", ("random", "mcts:sims=60"), 60)

# Ray starts servers and threads and warns on its own account, so it has a process of its own.
SCRIPT = """
import json, sys, warnings
from ray.cluster_utils import Cluster
from gametree.play.events import Event
from gametree.play.runner import run_event
from gametree.play.store import Store
from gametree.play.summary import summarise
import ray

event = Event(**json.loads(sys.argv[2]))
two = Cluster(initialize_head=True, connect=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
second = two.add_node(num_cpus=1)
two.wait_for_nodes()
killed = []

def watch(results):
    if len(results) >= 5 and not killed:
        two.remove_node(second, allow_graceful=False)
        killed.append(len(results))
        two.add_node(num_cpus=1)

with Store(sys.argv[1]) as store:
    outcome = run_event(event, store, concurrency=2, cluster="auto", progress=watch)
ray.shutdown()
two.shutdown()
print(json.dumps({"killed": killed, "summary": summarise(event, outcome.results)}))
"""


def test_one_node_of_two_is_killed_and_the_table_is_that_of_a_calm_run(tmp_path):
    with Store(tmp_path / "calm.db") as store:
        calm = summarise(EVENT, run_event(EVENT, store).results)
    data = json.dumps({"kind": "match", "game": "tictactoe", "players": list(EVENT.players), "games": 60})
    script = textwrap.dedent(SCRIPT).replace("Event(**json.loads(sys.argv[2]))",
        "Event(**{k: tuple(v) if k == 'players' else v for k, v in json.loads(sys.argv[2]).items()})")  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "ray.db"), data], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert 5 <= found["killed"][0] < 60
    assert found["summary"] == json.loads(json.dumps(calm))
    with Store(tmp_path / "ray.db") as store:
        store.check()
        assert len(store.results(EVENT)) == 60


def test_without_ray_the_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"install gametree\[cluster\]"):
        cluster._ray()
