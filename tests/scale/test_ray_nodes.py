"""Ray on two nodes: the bytes of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import expected
from programs import python

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore")]

TWO_NODES = """
import json, sys
sys.path.insert(0, sys.argv[1])
import ray
from conftest import AUGMENT, IMAGES, LENGTH, SEED, digest
from ray.cluster_utils import Cluster
from seedsafe_ray import augment

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
cluster.add_node(num_cpus=2)
ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
nodes = sum(node["Alive"] for node in ray.nodes())
rows = ray.data.from_items([{"id": n, "image": IMAGES[n]} for n in range(LENGTH)]).repartition(6)
made = augment(rows, AUGMENT, seed=SEED, epoch=1, scheduling_strategy="SPREAD").take_all()
print(json.dumps([nodes, [[int(row["id"]), digest(row["image"])] for row in made]]), flush=True)
ray.shutdown()
cluster.shutdown()
"""


def test_two_nodes_give_the_bytes_of_one() -> None:
    """In a process of its own: a process has one Ray."""
    done = python("-W", "ignore", "-c", TWO_NODES, str(Path(__file__).parent), check=False)
    assert done.stdout, f"exit {done.returncode}: {done.stderr[-3000:]}"
    nodes, made = json.loads(done.stdout.splitlines()[-1])
    assert nodes == 2
    assert sorted(map(tuple, made)) == sorted(expected(1, named=False).elements())
