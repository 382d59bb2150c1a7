"""What the pictures of every game are made with: canvas, icons, panels, words, window."""
