"""What can be seen of a game of Shamans, in words and as a picture."""
