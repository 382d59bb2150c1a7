"""A board to play on in the browser and in notebooks.

``table`` is a game and its seats, ``view`` what a seat is shown, ``guest`` the requests that a page
may make; none of them depends on the network. ``server`` connects them to the browser (extra
[web]), ``ludotheque.widget`` to notebooks (extra [notebook]).
"""
