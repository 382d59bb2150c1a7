"""There are no variants."""

OPTIONS = ()
