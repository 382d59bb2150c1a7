"""What can be seen of a game of Saga, in words and as a picture."""
