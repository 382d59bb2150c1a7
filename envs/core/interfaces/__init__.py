"""The interfaces that every game gets from the engine contract."""
