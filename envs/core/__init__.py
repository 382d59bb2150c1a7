"""The engine contract and the code that all games share."""
