"""Ray: a league and a training run on a cluster of several nodes, one of which is killed.

With numbers for `docs/machines.md`: games a second here, in processes and on Ray.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from time import perf_counter

import ray
from ray.cluster_utils import Cluster

from ludotheque.agents.executors import ProcessExecutor, RayExecutor
from ludotheque.agents.league import League
from ludotheque.agents.td.trainer import TDConfig, train_td

AGENTS = {"mcts": "mcts:simulations=100", "greedy": "greedy"}
GAMES, BATCH = 200, 10


def played(folder: Path, executor=None, at=None) -> tuple[bytes, float]:
    """Return the bytes of a league's games, and games a second.

    ``at`` is called regularly with (finished games, total games).
    """
    start = perf_counter()
    league = League("sarena", AGENTS, folder, seed=1)
    league.run(GAMES, progress=at, batch_size=BATCH, executor=executor)
    seconds = perf_counter() - start
    return (folder / "games.jsonl").read_bytes(), GAMES / seconds


def learned(folder: Path, actors=None, at=None) -> tuple[bytes, float]:
    """Return the bytes of the model of a short training, and decisions a second.

    ``at`` is called with (decisions so far, total decisions) at the end of each round.
    """
    few = {"steps": 12_000, "piece_rows": 256, "eval_opponents": ()}
    config = TDConfig(game="sarena", out=folder, **few)
    if at is not None:
        config.progress = lambda done, total, text: at(done, total)
    result = train_td(config, actors)
    return result.model_path.read_bytes(), result.steps / result.seconds


def warm(executor) -> None:
    """Start the workers: each compiles or loads the kernels once."""
    League("sarena", AGENTS, seed=9).run(8, batch_size=1, executor=executor)


def main() -> None:
    told: dict[str, object] = {"library": "ray", "version": ray.__version__, "games": GAMES}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        warm(None)
        here, told["here"] = played(folder / "here")
        for workers in (1, 2, 4):
            with ProcessExecutor(workers) as executor:
                warm(executor)
                found, told[f"processes_{workers}"] = played(folder / f"p{workers}", executor)
            assert found == here
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        doomed = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        killed = False

        def kill_on_the_way(done: int, total: int) -> None:
            nonlocal killed
            if not killed and done >= total // 4:
                killed = True
                cluster.remove_node(doomed, allow_graceful=False)

        with RayExecutor(cluster.address) as executor:
            warm(executor)
            found, told["ray_2"] = played(folder / "ray", executor)
            assert found == here
            found, told["ray_node_killed"] = played(folder / "killed", executor, kill_on_the_way)
            assert killed and found == here
            doomed, killed = cluster.add_node(num_cpus=1), False
            cluster.wait_for_nodes()
            model, told["training_here"] = learned(folder / "learned")
            found, told["training_ray_node_killed"] = learned(
                folder / "learned_killed", executor, kill_on_the_way
            )
            assert killed and found == model
        cluster.shutdown()
    print(json.dumps({k: round(v, 1) if isinstance(v, float) else v for k, v in told.items()}))


if __name__ == "__main__":
    main()
