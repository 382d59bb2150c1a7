"""Conformance kit for environments."""
