"""Benchmarks of the suite, and of other libraries on the same machine.

Each module is a script with ``--help`` and can be imported:

- `throughput`: plies a second of random legal play through every interface, compared with peers;
- `search`: simulations a second of our MCTS, compared with OpenSpiel's C++ bots;
- `training`: environment steps a second of MaskablePPO, and the environment's share of the time;
- `strength`: mean scores of agents, solo or in all seats;
- `peers`: only the other libraries;
- `experiments`: measurements on a single game.
"""
