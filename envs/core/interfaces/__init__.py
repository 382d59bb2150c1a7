"""The interfaces that every game has through the engine contract."""
