"""What the pictures of every game are made with: canvas, panels, words, window."""
