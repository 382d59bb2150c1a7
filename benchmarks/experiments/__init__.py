"""Experiments on a single game: the measurements behind a choice in its code or on its page.

Each module is a script with ``--help`` and can be imported:

- `harmonies_oracle`: games a second of the kernels, compared with the tests' plain Python;
- `harmonies_patterns`: ways to find the habitats of a board;
- `sagani_alignment`: ways to find the arrows that a new tile covers;
- `sagani_canvas`: how large a square the tiles need.
"""
