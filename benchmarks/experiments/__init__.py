"""Experiments: the measurements behind a choice in the code or a sentence on a page.

Each module is a script with ``--help`` and can be imported:

- `harmonies_oracle`: games a second of the kernels, compared with the tests' plain Python;
- `harmonies_patterns`: ways to find the habitats of a board;
- `leaf_batches`: ways to value afterstates, one at a time and in batches;
- `saga_packs`: whether beliefs about Saga's hidden cards can be learned;
- `sagani_alignment`: ways to find the arrows that a new tile covers;
- `sagani_canvas`: how large a square the tiles need.
"""
