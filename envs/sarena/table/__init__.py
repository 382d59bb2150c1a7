"""What can be seen of a game of Sàrèná, in words and as a picture."""
