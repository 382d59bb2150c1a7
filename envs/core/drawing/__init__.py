"""Building blocks of every game's pictures: canvas, icons, panels, words, window."""
