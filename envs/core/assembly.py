"""Assembling a game from the modules of its package.

Every game defines the same names in the same modules (CONTRIBUTING.md, "Adding a game"), so a
package only states what differs: ``GAME = assemble(__name__, "Sàrèná")``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .game import Game
from .jit import link_late
from .state import no_categories, no_facts, told_to_all

# Module → the kernels that it defines.
KERNELS = {
    "rules": ("setup", "legal_actions", "is_legal", "random_action", "step", "returns"),
    "observation": ("observe",),
    "hidden": ("determinize",),
    "heuristics": ("evaluate",),
}
# Observation forms that not every game has → the module that defines them.
FORMS = {"planes": "observation", "compact": "compact"}


def assemble(package: str, title: str, version: int = 0, **settings: Any) -> Game:
    """Return the game defined in ``package``.

    Args:
        package: importable name of the package; its last part is the name of the game.
        title: the name on the box.
        version: of the environment; see `Game`.
        settings: further fields of `Game`, such as ``search`` and ``training``.

    Raises:
        AttributeError, ModuleNotFoundError: a name of the file contract is missing.
    """
    modules = ("components", "actions", "state", "notation", "options", "validity", *KERNELS)
    part = {name: import_module(f"{package}.{name}") for name in modules}
    kernels = {name: getattr(part[home], name) for home, names in KERNELS.items() for name in names}
    forms: dict[str, Any] = {}
    for form, home in FORMS.items():
        module = import_module(f"{package}.{home}") if find_spec(f"{package}.{home}") else None
        forms[form] = getattr(module, form.upper(), ())
        if forms[form]:
            kernels[f"observe_{form}"] = getattr(module, f"observe_{form}")
    kernels["glance"] = getattr(part["heuristics"], "glance", kernels["evaluate"])
    for shared in kernels.values():
        link_late(shared)
    for name in ("check", "derive"):
        if hasattr(part["validity"], name):
            kernels[name] = getattr(part["validity"], name)
    kernels["hidden_facts"] = getattr(part["hidden"], "hidden_facts", no_facts)
    settings.setdefault("hidden_facts", getattr(part["hidden"], "HIDDEN_FACTS", ()))
    kernels["points_by_category"] = getattr(part["rules"], "points_by_category", no_categories)
    settings.setdefault("categories", getattr(part["state"], "CATEGORIES", ()))
    settings.setdefault("memo_rows", getattr(part["heuristics"], "MEMO_ROWS", 1))
    settings.setdefault("limits", part["validity"].LIMITS)
    kernels["public_action"] = getattr(part["hidden"], "public_action", told_to_all)
    for name, home in (("hides_action", "hidden"), ("check_options", "options")):
        settings.setdefault(name, getattr(part[home], name, None))
    actions = part["actions"].ACTIONS
    return Game(
        name=package.rpartition(".")[2],
        title=title,
        version=version,
        package=package,
        dtype=part["state"].DTYPE,
        max_plies=part["state"].MAX_PLIES,
        player_counts=part["components"].PLAYER_COUNTS,
        options=part["options"].OPTIONS,
        flat=part["observation"].FLAT,
        **forms,
        kernels=kernels,
        num_actions=len(actions),
        decode_action=actions.decode,
        encode_action=actions.encode,
        targets=actions.targets,
        action_to_string=part["notation"].action_to_string,
        action_from_string=part["notation"].action_from_string,
        **settings,
    )
