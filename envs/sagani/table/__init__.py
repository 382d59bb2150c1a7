"""What can be seen of a game of Sagani, in words and as a picture."""
