"""A board to play on in the browser and in the notebook.

``table`` is one game and who sits at it, ``view`` what a seat is shown of it, ``guest`` what an
open page may ask: none of them knows a network. ``server`` brings them to the browser (extra
[web]), ``ludotheque.widget`` to the notebook (extra [notebook]).
"""
