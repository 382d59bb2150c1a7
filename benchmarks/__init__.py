"""Benchmarks: what the suite reaches, and what other libraries reach on the same machine.

Each module is a script with ``--help`` and can be imported:

- `throughput`: plies a second of random legal play through every interface, beside the peers;
- `search`: simulations a second of our MCTS, beside OpenSpiel's C++ bots;
- `training`: environment steps a second of MaskablePPO, and the environment's share of the time;
- `strength`: mean scores of agents, alone or with themselves in all seats;
- `peers`: the other libraries alone.
- `experiments`: measurements on a single game.
"""
