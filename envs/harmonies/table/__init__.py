"""What can be seen of a game of Harmonies, in words and as a picture."""
