"""Training by self-play, in parts: settings, evaluation, checkpoints and the run itself.

``ludotheque.agents.ppo`` is the public module.
"""
