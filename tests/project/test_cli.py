"""The command `ludotheque`, run as users do: as a process."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import itertools
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command import COMMAND, TIMEOUT, run_command

from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.replay import Replay, load_replays

pytest.importorskip("typer")

NO_DISPLAY = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "NO_COLOR": "1", "COLUMNS": "120"}
SCRIPT = Path(sys.executable).with_name("ludotheque")


def run(*arguments: object, typed: str = "", **environment: str) -> subprocess.CompletedProcess:
    """Run the command to its end, with `typed` on its standard input.

    With an ``environment``, which its imports may read, a new Python is started.
    """
    everything = {**os.environ, **NO_DISPLAY, **environment}
    words = tuple(map(str, arguments))
    return run_command(words, typed, everything, fresh=bool(environment))


def run_json(*arguments: object, typed: str = "") -> dict | list:
    """Run the command with --json; return what it printed, which must be JSON and nothing else."""
    done = run(*arguments, "--json", typed=typed)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def start(*arguments: object) -> subprocess.Popen:
    """Start the command and leave it running."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **NO_DISPLAY, "PYTHONUNBUFFERED": "1"},
    )


def wait_for(process: subprocess.Popen, condition: Callable[[], object]) -> None:
    """Wait until the condition holds, while the process runs."""
    for _ in range(20 * TIMEOUT):
        if condition():
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.05)
            break
    process.kill()
    pytest.fail(f"ended or hung too soon: {process.communicate()}")


def assert_refused(done: subprocess.CompletedProcess, *told: str) -> None:
    """A wrong argument: exit code 2, nothing on stdout, no traceback, and `told` in the message."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for words in told:
        assert words in done.stderr


# The command itself


def test_version():
    done = run("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"ludotheque \d+\.\d+\.\d+", done.stdout.strip())


@pytest.mark.skipif(not SCRIPT.exists(), reason="the suite runs from a folder, not installed")
def test_installed_script_is_this_command():
    done = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.stdout == run("--version").stdout


COMMANDS = ("games", "play", "watch", "train", "league", "rate", "exploit", "warmup", "bench")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(command: str):
    done = run(command, "--help")
    assert done.returncode == 0, done.stderr
    assert f"ludotheque {command}" in done.stdout


def test_unknown_command_and_option():
    assert_refused(run("gams"), "gams", "games")
    assert_refused(run("watch", "--sed", "1"), "--sed", "--seed")


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_its_extra_the_command_says_what_to_install(run_python, missing: str):
    done = run_python(
        f"import sys; sys.modules[{missing!r}] = None\nfrom ludotheque.cli import main\nmain()"
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert missing in done.stderr and "ludotheque[cli]" in done.stderr


def test_help_is_quick_and_light(run_python):
    """Help must not wait for importing torch or compiling kernels."""
    done = run_python(
        "import sys\n"
        "from ludotheque.cli.app import app\n"
        "print([name for name in ('torch', 'numba', 'pygame') if name in sys.modules])"
    )
    assert done.stdout.strip() == "[]", done.stderr


# games


def test_games_as_json_agrees_with_the_engine():
    (sarena,) = [row for row in run_json("games") if row["name"] == "sarena"]
    game = get_game("sarena")
    assert sarena["players"] == [2, 3, 4]
    assert sarena["actions"] == game.num_actions == 120
    assert sarena["observations"]["flat"]["size"] == game.observation_size("flat")
    assert sarena["options"][0]["choices"] == ["random", "balanced"]
    assert not sarena["options"][0]["takes_json"]
    (saga,) = [row for row in run_json("games") if row["name"] == "saga"]
    takes_json = {option["name"] for option in saga["options"] if option["takes_json"]}
    assert takes_json == {"sides", "packs", "kingdoms"}


def test_games_as_a_table():
    done = run("games")
    assert done.returncode == 0
    assert "sarena" in done.stdout and "Sàrèná" in done.stdout and "120" in done.stdout


# Arguments that are wrong


@pytest.mark.parametrize("command", ["play", "watch", "train", "league"])
def test_unknown_game(command: str):
    assert_refused(run(command, "--game", "sarana"), "'sarana'", "Did you mean 'sarena'?")


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "--opponents", "gredy"),
        ("watch", "--agents", "gredy"),
        ("league", "--agents", "gredy,mcts"),
    ],
)
def test_unknown_agent(arguments: tuple):
    done = run(*arguments)
    assert_refused(done, "unknown agent 'gredy'", "Did you mean 'greedy'?", "random", "mcts")


def test_unknown_setting_of_an_agent():
    assert_refused(run("watch", "--agents", "mcts:simulation=9"), "simulation")


def test_missing_model(tmp_path: Path):
    path = tmp_path / "nothing.zip"
    assert_refused(run("watch", "--agents", f"ppo:{path}"), "nothing.zip")


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("--players", 5), ("2, 3, 4", "5")),
        (("--seat", 2), ("seat 2", "0 to 1")),
        (("--players", 4, "--opponents", "greedy,random"), ("2 opponents", "3 seats")),
        (("--set", "deals=random"), ("unknown option of Sàrèná 'deals'", "'deal'")),
        (("--set", "deal=balance"), ("unknown value of deal 'balance'", "'balanced'")),
        (("--set", "deal"), ("NAME=VALUE",)),
        (("--seed", -1), ("seed", "-1")),
        (("--opponents", ","), ("no agent named",)),
    ],
)
def test_play_with_wrong_arguments(arguments: tuple, told: tuple):
    assert_refused(run("play", *arguments), *told)


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("saga", "sides=crwn"), ("unknown value of sides 'crwn'", "'crown'", "or JSON", "six")),
        (("saga", "sides="), ("unknown value of sides ''", "or JSON")),
        (("saga", 'sides=["crown"'), ("value of sides is not JSON", "single quotes")),
        (("saga", "sides=" + "[" * 10_000), ("value of sides is not JSON", "nested too deeply")),
        (("saga", 'sides=["crown"]'), ("one for Castleland", "got 1")),
        (("saga", "sides=true"), ("sides of saga", "True")),
        (("saga", 'kingdoms={"Goldland": {"incme": 1}}'), ("'incme'", "Did you mean 'income'?")),
        (("saga", "deal=[1]"), ("unknown value of deal '[1]'",)),
        (("shamans", 'rituals={"blue": "ilumination"}'), ("ilumination", "illumination")),
        (("shamans", "track=12"), ("track of shamans",)),
    ],
)
def test_options_in_json_that_cannot_be(arguments: tuple, told: tuple):
    game, setting = arguments
    players = 3 if game == "shamans" else 2
    agents = ("--players", players, "--agents", "random")
    done = run("watch", "--game", game, *agents, "--set", setting)
    assert_refused(done, *told)


def test_options_that_do_not_fit_together_are_refused():
    """Before a folder is created or a seed is drawn, in every command."""
    cards = [
        [colour, value]
        for colour, values in zip(
            ("red", "green", "blue", "orange", "violet", "yellow"),
            ((1, 4), (2, 3)) * 3,
            strict=True,
        )
        for value in values
    ]
    settings = ("--set", f"packs={json.dumps([cards] * 5)}", "--set", "deal=first_game")
    for command in ("play", "watch", "train", "league"):
        assert_refused(run(command, "--game", "saga", *settings), "use deal='random'")


def test_watch_refuses_files_it_cannot_write(tmp_path: Path):
    assert_refused(run("watch", "--save", tmp_path / "game.mp4"), "game.mp4", ".gif")
    assert_refused(run("watch", "--save", tmp_path / "no" / "game.gif"), "does not exist")


def test_play_refuses_a_file_it_cannot_write_before_the_game(tmp_path: Path):
    wanted = (("no/game.jsonl", "does not exist"), (".", "ending"), ("game.gif", ".jsonl"))
    for name, told in wanted:
        done = run("play", "--terminal", "--save", tmp_path / name, typed="quit\n")
        assert_refused(done, told)
        assert "Your move" not in done.stderr


def test_train_with_wrong_arguments(tmp_path: Path):
    assert_refused(run("train", "--minutes", 0), "--minutes", "more than 0")
    assert_refused(run("train", "--resume", "--out", tmp_path / "none"), "nothing to resume")
    assert_refused(run("train", "--reward", "money"), "unknown reward 'money'", "score_change")
    ppo = ("--method", "ppo", "--out", tmp_path / "new")
    assert_refused(run("train", "--seed", 1 << 32, *ppo), "2**32 - 1")
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").write_text("")
    assert_refused(run("train", "--out", tmp_path), "holds a run already", "--resume")
    assert_refused(run("train", "--out", tmp_path / "file"), "is a file")


def test_league_with_wrong_arguments(tmp_path: Path):
    assert_refused(run("league", "--agents", "random"), "two or more")
    assert_refused(run("league", "--agents", "random,random"), "two or more different")
    (tmp_path / "file").write_text("")
    assert_refused(run("league", "--out", tmp_path), "holds results already", "--resume")
    words = ("--out", tmp_path / "other", "--seatings", "some")
    assert_refused(run("league", *words), "all, rotations")


# play


class Person:
    """Plays on the command line: reads to the prompt, types, and keeps all output."""

    PROMPT = "Your move: "

    def __init__(self, *arguments: object):
        self.shown = ""
        self._process = subprocess.Popen(
            [*COMMAND, "play", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **NO_DISPLAY, "PYTHONUNBUFFERED": "1"},
        )

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def read(self) -> str:
        """What was shown until the next prompt, or the end."""
        told = b""
        while not told.endswith(self.PROMPT.encode()):
            byte = self._process.stdout.read(1)
            if not byte:
                break
            told += byte
        text = told.decode()
        self.shown += text
        return text

    def type(self, words: str) -> str:
        """Type a line; return what is shown until the next prompt."""
        self._process.stdin.write(f"{words}\n".encode())
        self._process.stdin.flush()
        return self.read()

    def moves(self) -> list[str]:
        cells = re.split(r"\s{2,}|\n", self.type("moves").removesuffix(self.PROMPT).strip())
        return [cell.partition(" ")[2] for cell in cells]

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def wait(self) -> int:
        return self._process.wait(timeout=TIMEOUT)


@pytest.mark.parametrize("players", [2, 4])
def test_a_whole_game_in_the_terminal(tmp_path: Path, players: int):
    replay = tmp_path / "game.jsonl"
    arguments = ("--players", players, "--seat", 1, "--opponents", "random", "--seed", 3)
    with Person(*arguments, "--save", replay) as person:
        last = person.read()
        while last.endswith(person.PROMPT):
            last = person.type(person.moves()[0])
        assert person.wait() == 0, person.shown
    assert "The game is over." in last
    assert last.count("points") == players
    shown_again = run("watch", "--replay", replay, "--json")
    assert shown_again.returncode == 0, shown_again.stderr
    for score in json.loads(shown_again.stdout)["scores"]:
        assert f"{score:g} points" in last


def test_a_result_is_shown_though_its_replay_cannot_be_written(tmp_path: Path):
    folder = tmp_path / "folder"
    folder.mkdir()
    arguments = ("--opponents", "random", "--seed", 3, "--save", folder / "game.jsonl")
    with Person(*arguments) as person:
        last = person.read()
        folder.rmdir()
        while last.endswith(person.PROMPT):
            last = person.type(person.moves()[0])
        assert person.wait() == 1
    assert last.count("points") == 2
    assert "game.jsonl could not be written" in last


def test_moves_and_boards_are_those_of_the_engine():
    game = get_game("sarena")
    states = game.new_state(7)
    seat = int(states["to_play"][0])
    with Person("--seat", seat, "--seed", 7) as person:
        shown = person.read()
        assert game.describe(states[0], seat).strip() in shown
        assert person.moves() == game.legal_actions_text(states)


def test_what_other_seats_hide_is_never_shown():
    """Two deals that differ only in hidden things look the same to the person."""
    game = get_game("sarena")
    states = game.new_state(7)
    seat = int(states["to_play"][0])
    done = run("play", "--seat", seat, "--seed", 7, typed="board\nquit\n")
    assert done.returncode == 0, done.stderr
    everything = game.describe(states[0]).strip()
    for seed in range(5):
        other = game.determinize(states, seat, seed)
        assert game.describe(other[0], seat).strip() in done.stderr
    assert everything not in done.stderr


def test_illegal_and_meaningless_moves_are_explained_and_change_nothing():
    with Person("--seed", 3, "--opponents", "random") as person:
        person.read()
        before = person.moves()
        assert "'a1-f6' is neither a move" in person.type("a1-f6")
        assert "'a1-a1' is neither a move" in person.type("a1-a1")
        assert "neither a move" in person.type("1" * 5000)
        game = get_game("sarena")
        notations = [game.action_to_string(action) for action in range(game.num_actions)]
        illegal = [move for move in notations if move not in before]
        if illegal:
            assert f"'{illegal[0]}' is not allowed now" in person.type(illegal[0])
        assert "moves" in person.type("move")
        told = person.type("help")
        assert "quit" in told and re.search(r"Rules and notation: .*sarena.README\.md", told)
        assert person.moves() == before
        assert "Your move" not in person.type("quit")
        assert person.wait() == 0
    assert "Traceback" not in person.shown


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_what_is_typed_in_another_encoding_is_no_move(encoding):
    environment = {**os.environ, **NO_DISPLAY, "PYTHONIOENCODING": encoding}
    command = [*COMMAND, "play", "--game", "sarena", "--terminal", "--seed", "1"]
    done = subprocess.run(command, input=b"\xe9\nquit\n", env=environment, capture_output=True)
    assert done.returncode == 0 and b"neither a move" in done.stdout + done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
def test_output_to_a_full_disk_is_an_error_in_one_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "games"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: the output could not be written")


def test_a_move_may_be_typed_in_capitals_with_spaces():
    with Person("--seed", 3, "--opponents", "random") as person:
        person.read()
        move = person.moves()[0]
        assert "is neither a move" not in person.type(f"  {move.upper()} ")
        assert "is neither a move" not in person.type(person.moves()[0].upper().replace("-", " "))
        number = get_game("sarena").action_from_string(person.moves()[0])
        assert "is neither a move" not in person.type(str(number))
        assert "'9999' is neither a move" in person.type("9999")
        person.type("quit")


def test_moves_are_listed_in_columns_that_fit(monkeypatch):
    pytest.importorskip("typer", reason="needs the extra [cli]")
    from ludotheque.cli.play import _listed

    game = get_game("saga")
    moves = {game.action_to_string(action): action for action in range(game.num_actions)}
    for columns in (20, 80, 110, 300):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = _listed(moves)
        assert max(map(len, lines)) <= max(columns, max(map(len, moves)) + 4)
        found = [cell for line in lines for cell in re.split(r"\s{2,}", line)]
        assert found == [f"{action} {move}" for move, action in moves.items()]


def test_a_move_is_taken_back():
    with Person("--seed", 3, "--opponents", "random") as person:
        person.read()
        before = person.moves()
        assert "nothing to take back" in person.type("undo")
        person.type(before[0])
        assert "taken back" in person.type("undo")
        assert person.moves() == before
        person.type("quit")


def test_end_of_input_ends_the_game():
    done = run("play", "--seed", 3, typed="moves\n")
    assert done.returncode == 1
    assert "the input ended" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child process")
def test_ctrl_c_leaves_a_game_and_keeps_its_replay(tmp_path: Path):
    replay = tmp_path / "game.jsonl"
    with Person("--seed", 3, "--opponents", "random", "--save", replay) as person:
        person.read()
        person.type(person.moves()[0])
        person.interrupt()
        last = person.read()
        assert person.wait() == 130
    assert "Stopped: the game was left" in last and "Traceback" not in last
    assert len(json.loads(replay.read_text("utf-8"))["actions"]) >= 2


def test_json_of_a_game_that_is_played_by_typing():
    """The person types every move repeatedly: the legal ones are accepted."""
    game = get_game("sarena")
    typed = "\n".join(game.action_to_string(action) for action in range(game.num_actions))
    result = run_json("play", "--seed", 5, "--opponents", "random", typed=f"{typed}\n" * 30)
    assert result["players"] == ["person", "random"]
    assert result["plies"] == len(result["moves"]) <= 45
    assert sorted(result["ranks"]) in ([1, 1], [1, 2])


# play and watch in a window


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems always have a display"
)
def test_window_without_a_display_says_what_to_do():
    pytest.importorskip("pygame")
    done = run("play", "--window", "--seed", 1, SDL_VIDEODRIVER="")
    assert done.returncode == 1
    assert "no display" in done.stderr and "--terminal" in done.stderr
    assert "Traceback" not in done.stderr


class FakeWindow:
    """Stands in for a window; clicks the middle of the places of the first legal move."""

    def __init__(self, title: str):
        self.shown: list[np.ndarray] = []
        self.said: list[str] = []
        self.events: list = []

    def __enter__(self) -> FakeWindow:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, rgb: np.ndarray) -> None:
        self.shown.append(rgb)

    def say(self, text: str) -> None:
        self.said.append(text)

    def poll(self, wait: float = 0.0) -> list:
        from ludotheque.envs.core.drawing.window import WindowEvent

        event = self.events.pop(0) if self.events else WindowEvent("key", key="space")
        return [event]

    def close(self) -> None:
        pass


@pytest.fixture
def clicking(monkeypatch: pytest.MonkeyPatch):
    """A person at a window, in this process: (person, table, window)."""
    pytest.importorskip("resvg_py")
    from ludotheque.cli import play
    from ludotheque.cli.table import Table

    window = FakeWindow("")
    monkeypatch.setattr(play, "open_window", lambda title: window)
    table = Table(get_game("sarena"), 3, 2, {}, {1: "random"})
    if table.to_play == 1:
        table.agent_acts()
    with play._WindowPerson(table, 0) as person:
        yield person, table, window


def click_on(table, circle: int):
    """A click on a circle."""
    from ludotheque.envs.core.drawing.window import WindowEvent

    height, width, _ = table.draw(0).rgb().shape
    points = itertools.product(range(0, width, 10), range(0, height, 10))
    hit = (point for point in points if table.game.locate(*point, table.states[0]) == circle)
    return WindowEvent("click", *next(hit))


def test_two_clicks_make_a_move(clicking):
    person, table, window = clicking
    for move in list(table.legal_moves().values())[:3]:
        parts = table.game.decode_action(move)
        window.events = [click_on(table, parts["from"]), click_on(table, parts["to"])]
        assert person.decide() == move


def test_a_click_that_leads_nowhere_starts_again(clicking):
    person, table, window = clicking
    move = list(table.legal_moves().values())[0]
    parts = table.game.decode_action(move)
    far = next(c for c in range(36) if abs(c - parts["from"]) > 14)
    window.events = [click_on(table, c) for c in (far, parts["from"], parts["to"])]
    assert person.decide() == move


def test_a_place_where_no_move_starts_is_answered_with_those_where_one_does(monkeypatch):
    """In Harmonies, a hex comes after what is put there."""
    pytest.importorskip("resvg_py")
    from ludotheque.cli import play
    from ludotheque.cli.table import Table
    from ludotheque.envs.core.drawing.window import WindowEvent

    window = FakeWindow("")
    monkeypatch.setattr(play, "open_window", lambda title: window)
    table = Table(get_game("harmonies"), 3, 2, {}, {})
    window.events = [click_on(table, 7), WindowEvent("quit")]
    with play._WindowPerson(table, 0) as person:
        assert person.decide() is None
    assert "No move starts there; moves start with: take, card." in window.said


@pytest.mark.parametrize("event", [("quit",), ("key", -1.0, -1.0, "q")])
def test_closing_the_window_leaves_the_game(clicking, event):
    from ludotheque.envs.core.drawing.window import WindowEvent

    person, _, window = clicking
    window.events = [WindowEvent(*event)]
    assert person.decide() is None


def test_the_windows_bar_says_what_can_be_done(clicking):
    """Hints, Escape and undo are shown in the window's title bar."""
    from ludotheque.envs.core.drawing.window import WindowEvent

    person, table, window = clicking
    before = table.game.digest(table.states)
    move = list(table.legal_moves().values())[0]
    parts = table.game.decode_action(move)
    there = [click_on(table, parts["from"]), WindowEvent("key", key="escape")]
    window.events = [*there, *there[:1], click_on(table, parts["to"])]
    assert person.decide() == move
    assert "undo" in window.said[0] and "Moves from there" in window.said[1]
    table.take(move)
    while table.to_play != 0:
        table.agent_acts()
    window.events = [WindowEvent("key", key="u"), WindowEvent("key", key="q")]
    assert person.decide() is None
    assert table.game.digest(table.states) == before
    assert "taken back" in window.said[-1]
    assert np.array_equal(window.shown[-1], table.draw(0).rgb())


def test_the_window_shows_what_the_seat_may_know(clicking):
    person, table, window = clicking
    person.show()
    assert np.array_equal(window.shown[-1], table.draw(0).rgb())
    assert not np.array_equal(window.shown[-1], table.draw(None).rgb())


# watch


def test_watch_is_repeatable_and_replays_are_exact(tmp_path: Path):
    replay = tmp_path / "game.jsonl"
    arguments = ("watch", "--agents", "random,greedy", "--seed", 11)
    first = run_json(*arguments)
    assert run_json(*arguments, "--save", replay) == first
    again = run_json("watch", "--replay", replay)
    for name in ("game", "seed", "moves", "scores", "ranks"):
        assert again[name] == first[name]
    assert run_json("watch", "--agents", "random,greedy", "--seed", 12) != first


def test_options_may_be_json(tmp_path: Path):
    """A replay stores them; giving the default explicitly is the same game."""
    replay = tmp_path / "game.jsonl"
    watch = ("watch", "--game", "saga", "--agents", "random", "--seed", 4)
    sides = ["crown", "reverse", "mixed", "crown", "reverse", "mixed"]
    kingdoms = {"Goldland": {"income": 9}}
    settings = [f"sides={json.dumps(sides)}", f"kingdoms={json.dumps(kingdoms)}"]
    settings = [word for setting in settings for word in ("--set", setting)]
    first = run_json(*watch, *settings, "--save", replay)
    options = json.loads(replay.read_text("utf-8").splitlines()[0])["options"]
    assert options["sides"] == sides and options["kingdoms"] == kingdoms
    assert run_json("watch", "--replay", replay)["scores"] == first["scores"]
    assert run_json(*watch) != first
    for text in ("crown", '"crown"'):
        assert run_json(*watch, "--set", f"sides={text}") == run_json(*watch)
    track = ("--set", 'track={"start": 3, "moon": 9}')
    shamans = ("watch", "--game", "shamans", "--players", 3, "--agents", "random", "--seed", 4)
    assert run_json(*shamans, *track) != run_json(*shamans)


def test_watch_in_the_terminal_prints_every_position():
    done = run("watch", "--agents", "random", "--seed", 1, "--terminal")
    assert done.returncode == 0, done.stderr
    result = run_json("watch", "--agents", "random", "--seed", 1)
    for number, move in enumerate(result["moves"], start=1):
        assert f"\n{number}. {move}\n" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "seats"),
    [
        (("--game", "shamans", "--set", "rounds=single"), ["greedy", "mcts", "greedy"]),
        (("--game", "sarena"), ["greedy", "mcts"]),
        (("--game", "sagani", "--players", 1), ["greedy"]),
    ],
)
def test_watch_without_agents_fills_the_table(arguments: tuple, seats: list[str]):
    """Every game can be watched by its name alone, even one that isn't for two."""
    assert run_json("watch", *arguments, "--seed", 1)["players"] == seats


def test_who_plays_alone_asks_for_it_and_learns_whether_the_goal_is_reached(tmp_path):
    two = run_json("watch", "--game", "sagani", "--agents", "random", "--seed", 1)
    assert two["players"] == ["random", "random"]
    words = ("watch", "--game", "sagani", "--players", 1, "--agents", "random", "--seed", 1)
    alone = run(*words, "--save", tmp_path / "game.jsonl")
    assert alone.returncode == 0, alone.stderr
    last = alone.stdout.splitlines()[-1]
    assert re.fullmatch(
        r"player_0 \(random\): [-\u2212]?\d+ points?; the goal is (not )?reached", last
    )


def test_agents_that_do_not_fill_the_table_are_counted():
    one = run("watch", "--game", "sagani", "--players", 1, "--agents", "greedy,random")
    assert_refused(one, "2 agents for 1 seat: name one.")
    four = run("watch", "--players", 4, "--agents", "greedy,random")
    assert_refused(four, "2 agents for 4 seats: name one, or 4 with commas.")


def test_watch_leaves_pictures(tmp_path: Path):
    pytest.importorskip("resvg_py")
    image = pytest.importorskip("PIL.Image")
    files = [tmp_path / f"game{ending}" for ending in (".gif", ".png", ".svg", ".jsonl")]
    saves = [part for path in files for part in ("--save", path)]
    result = run_json("watch", "--agents", "random", "--players", 3, "--seed", 2, *saves)
    with image.open(files[0]) as film:
        assert film.n_frames == result["plies"] + 1
    with image.open(files[1]) as picture:
        assert picture.width > 100
    assert files[2].read_text("utf-8").lstrip().startswith("<svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f.name for f in files)


def test_an_animation_of_some_positions_ends_with_the_last(tmp_path: Path):
    pytest.importorskip("resvg_py")
    image = pytest.importorskip("PIL.Image")
    options = ("--agents", "random", "--players", 2, "--seed", 2)
    plies = run_json("watch", *options)["plies"]
    some = next(k for k in range(5, plies) if plies % k)
    for every in (some, plies):
        path = tmp_path / f"{every}.webp"
        run_json("watch", *options, "--save", path, "--every", every)
        with image.open(path) as film:
            # The first position, every k-th after it, and the last.
            assert film.n_frames == 1 + -(-plies // every)
    assert_refused(run("watch", "--save", tmp_path / "a.gif", "--every", 0), "--every")


def test_a_message_gives_a_terminal_no_orders(tmp_path: Path):
    refused = run("watch", "--save", tmp_path / "game\x1b[2J.txt")
    assert_refused(refused, r"ending of game\x1b[2J.txt")
    assert "\x1b" not in refused.stderr


def test_watch_shows_a_game_that_was_lost_by_no_action_at_all(tmp_path: Path):
    path = tmp_path / "game.jsonl"
    Replay.record("sarena", 2, 3, [-1], illegal="lose").save(path)
    shown = run("watch", "--replay", path)
    assert shown.returncode == 0 and "no action" in shown.stdout


def test_watch_refuses_a_damaged_replay(tmp_path: Path):
    path = tmp_path / "game.jsonl"
    assert_refused(run("watch", "--replay", path), "game.jsonl")
    path.write_text("not a replay\n")
    assert_refused(run("watch", "--replay", path), "game.jsonl")


def test_what_a_recorded_game_has_settled_is_not_asked_again(tmp_path: Path):
    path = tmp_path / "game.jsonl"
    run_json("watch", "--agents", "random", "--seed", 2, "--save", path)
    for more in (("--game", "saga"), ("--seed", "3"), ("--agents", "greedy")):
        assert_refused(run("watch", "--replay", path, *more), "recorded game", more[0])


def test_a_game_lost_by_an_illegal_action_is_shown_and_written_again(tmp_path: Path):
    path, again = tmp_path / "lost.jsonl", tmp_path / "again.jsonl"
    lost = Replay.record("sarena", 2, 1, ["a1-b1", "a1-b1"], illegal="lose", agents=["a", "b"])
    lost.save(path)
    shown = run_json("watch", "--replay", path, "--save", again, "--save", tmp_path / "end.svg")
    assert shown["ranks"] == lost.ranks == [2, 1]
    assert load_replays(again) == [lost]


# league


def test_league_prints_a_table_and_can_be_gone_on_with(tmp_path: Path):
    arguments = ("league", "--agents", "random,greedy", "--out", tmp_path / "league", "--seed", 1)
    first = run_json(*arguments, "--games", 4)
    assert_refused(run(*arguments, "--games", 4), "--resume")
    assert run_json(*arguments, "--games", 4, "--resume") == first
    done = run(*arguments, "--games", 6, "--resume")
    assert done.returncode == 0, done.stderr
    assert "±" in done.stdout and "greedy" in done.stdout and "random" in done.stdout


def test_a_league_tells_win_rates_by_camp(tmp_path: Path):
    arguments = ("league", "--game", "shamans", "--agents", "random,greedy", "--players", 3)
    arguments += ("--set", "rounds=single", "--games", 6, "--seed", 1, "--out", tmp_path / "league")
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    assert "camp won" in done.stdout and "shadow" in done.stdout and "shaman" in done.stdout
    done = run(*arguments, "--resume", "--json")
    camps = json.loads(done.stdout)["camps"]
    assert {(row["name"], row["camp"]) for row in camps} == {
        (name, camp) for name in ("random", "greedy") for camp in ("shaman", "shadow")
    }
    assert json.loads((tmp_path / "league" / "table.json").read_text())["camps"] == camps


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child process")
def test_ctrl_c_in_a_league_keeps_finished_games(tmp_path: Path):
    folder = tmp_path / "league"
    agents = ("--agents", "random,mcts", "--games", "100000", "--set", "deal=balanced")
    process = start("league", *agents, "--seed", "1", "--out", folder)
    wait_for(process, lambda: results_in(folder))
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130, told
    assert "Traceback" not in told
    assert told.strip().splitlines()[-1].startswith("Stopped: finished games are in")
    again = shlex.split(told.partition("resume with: ")[2])
    assert again[1] == "league" and "--resume" in again and "deal=balanced" in again
    kept = results_in(folder)
    assert kept
    for line in kept:
        json.loads(line)


def results_in(folder: Path) -> list[str]:
    """The lines of results that a league has written so far."""
    return [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]


def test_league_plays_the_same_games_with_more_workers(tmp_path):
    arguments = ["league", "--agents", "random,greedy", "--games", "8", "--seed", "2"]
    done = run(*arguments, "--workers", "2", "--out", str(tmp_path / "two"))
    assert done.returncode == 0, done.stderr
    done = run(*arguments, "--out", str(tmp_path / "one"))
    assert done.returncode == 0, done.stderr
    two, one = (tmp_path / name / "games.jsonl" for name in ("two", "one"))
    assert two.read_bytes() == one.read_bytes()
    assert_refused(run(*arguments, "--workers", "2", "--ray", "local"), "--workers or --ray")
    many = run(*arguments, "--workers", 10**6, "--out", str(tmp_path / "many"))
    assert_refused(many, "from 1 to 1000")


# train


@pytest.mark.slow
@pytest.mark.training
def test_train_resume_and_play_the_model(tmp_path: Path):
    pytest.importorskip("sb3_contrib")
    folder = tmp_path / "run"
    ppo = ("--method", "ppo", "--seed", 1)
    first = run_json("train", "--steps", 1000, *ppo, "--out", folder)
    assert Path(first["model"]).is_file()
    assert {found["opponent"] for found in first["evaluations"]} == {"random", "greedy"}
    assert not first["interrupted"]
    assert_refused(run("train", "--steps", 1000, "--out", folder), "holds a run already")
    assert_refused(run("train", "--steps", 1000, "--out", folder, "--resume"), "already ran")
    done = run("train", "--steps", 20_000, "--out", folder, "--resume")
    assert done.returncode == 0, done.stderr
    assert "against random" in done.stdout and "interval" in done.stdout
    result = run_json("watch", "--agents", f"ppo:{first['model']},random", "--seed", 1)
    assert result["plies"] > 0


@pytest.mark.training
def test_train_values_and_play_the_model(tmp_path: Path):
    pytest.importorskip("torch")
    folder = tmp_path / "run"
    short = ("--method", "td", "--steps", 1000, "--seed", 1, "--actors", 1)
    first = run_json("train", *short, "--out", folder)
    assert {found["opponent"] for found in first["evaluations"]} == {"random", "greedy"}
    # The folder knows how it was trained.
    assert_refused(run("train", "--steps", 1000, "--out", folder, "--resume"), "already ran")
    wrong = run("train", "--method", "ppo", "--steps", 9000, "--out", folder, "--resume")
    assert_refused(wrong, "trained by 'td'")
    result = run_json("watch", "--agents", f"td:{first['model']},random", "--seed", 1)
    assert result["plies"] > 0


def test_ways_to_train_that_do_not_exist_are_refused(tmp_path: Path):
    assert_refused(run("train", "--method", "tdd", "--out", tmp_path / "run"), "Did you mean 'td'")
    reward = ("--method", "td", "--reward", "win")
    assert_refused(run("train", *reward, "--out", tmp_path / "run"), "leave out --reward")
    taught = ("--method", "td", "--observation", "afterstates", "--teacher", "greedy")
    wrong = run("train", *taught, "--out", tmp_path / "run")
    assert_refused(wrong, "leave out --observation --teacher")
    assert_refused(run("train", "--method", "", "--out", tmp_path / "run"), "method")
    setting = ("--teacher", "mcts:simulation=9", "--method", "ppo")
    assert_refused(run("train", *setting, "--out", tmp_path / "run"), "Did you mean 'simulations'?")
    unknown = run("train", "--teacher", "gredy", "--out", tmp_path / "run")
    assert_refused(unknown, "Did you mean 'greedy'")
    out = ("--out", tmp_path / "run")
    ppo = ("--method", "ppo", "--actors", 2)
    assert_refused(run("train", *ppo, *out), "leave out --actors")
    assert_refused(run("train", "--actors", 9, *out), "at most 8 --actors")
    assert_refused(run("train", "--actors", 2, "--ray", "auto", *out), "give --actors or --ray")


@pytest.mark.training
def test_ppo_on_afterstates_begins_with_a_teacher(tmp_path: Path):
    pytest.importorskip("sb3_contrib")
    how = ("--observation", "afterstates", "--teacher", "greedy")
    folder = tmp_path / "run"
    run_json("train", "--steps", 2048, *how, "--seed", 1, "--out", folder)
    saved = json.loads((folder / "config.json").read_text())
    assert (saved["method"], saved["observation"], saved["teacher"]) == (
        "ppo",
        "afterstates",
        "greedy",
    )
    again = run("train", "--steps", 4096, *how, "--out", folder, "--resume")
    assert_refused(again, "leave out --observation --teacher")
    result = run_json("watch", "--agents", f"ppo:{folder / 'model.zip'},random", "--seed", 1)
    assert result["plies"] > 0


@pytest.mark.training
def test_a_resumed_run_knows_how_many_play(tmp_path: Path):
    pytest.importorskip("sb3_contrib")
    arguments = ("train", "--steps", 1000, "--out", tmp_path / "run")
    run_json(*arguments, "--players", 3, "--seed", 1)
    assert_refused(run(*arguments, "--resume"), "already ran")
    assert_refused(run(*arguments, "--resume", "--players", 4), "num_players=3, not 4")


@pytest.mark.training
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child process")
def test_ctrl_c_in_training_keeps_the_model(tmp_path: Path):
    pytest.importorskip("sb3_contrib")
    folder = tmp_path / "run"
    process = start("train", "--minutes", "60", "--seed", "1", "--out", folder)
    wait_for(process, lambda: list(folder.glob("tensorboard/**/events*")))
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130, told
    assert "Traceback" not in told
    assert "--resume" in told.strip().splitlines()[-1]
    assert (folder / "model.zip").is_file()


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ((), "nothing was learned yet."),
        (("config.json",), "nothing was learned yet; "),
        (("config.json", "checkpoint/run.zip"), "the last checkpoint is in "),
    ],
)
@pytest.mark.parametrize("command", ["train", "exploit"])
def test_an_interrupted_training_names_only_what_it_has_kept(command, kept, told, tmp_path):
    pytest.importorskip("sb3_contrib")
    import ludotheque.agents.exploit
    from ludotheque.agents.td import trainer
    from ludotheque.cli.common import StoppedError

    def stopped(*_, **__):
        for name in kept:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        raise KeyboardInterrupt

    folder, agent = tmp_path / "a run", ["greedy"] if command == "exploit" else []
    what = importlib.import_module(f"ludotheque.cli.{command}")
    with pytest.MonkeyPatch.context() as patched, pytest.raises(StoppedError) as found:
        patched.setattr(trainer, "train_td", stopped)
        patched.setattr(ludotheque.agents.exploit, "exploit", stopped)
        getattr(what, command)(*agent, game="sarena", steps=10, folder=folder, seed=1)
    message, _, again = str(found.value).partition("resume with: ")
    assert message.startswith(told.removesuffix("; ") if command == "exploit" else told)
    assert bool(again) == (command == "train" and bool(kept))
    assert not again or shlex.split(again)[-2:] == [str(folder), "--resume"]


# bench


def test_bench_hands_its_arguments_on():
    pytest.importorskip("matplotlib")
    done = run("bench", "throughput", "--help")
    assert done.returncode == 0, done.stderr
    assert "--quick" in done.stdout and "--chart" in done.stdout
    assert_refused(run("bench", "throughput", "--quik"), "--quik")
    assert_refused(run("bench", "threwput"), "threwput")


def test_bench_says_in_plain_words_which_ratios_are_reached():
    pytest.importorskip("rich")
    from rich.console import Console

    from ludotheque.benchmarks.measure import Ratio, print_ratios

    told = {True: "reached", False: "missed", None: "too short or disturbed to say"}
    console = Console(record=True, width=120, file=io.StringIO())
    ratios = [Ratio(f"pair {reached}", "a", "b", 2, [3], 3, reached) for reached in told]
    print_ratios(console, [*ratios, Ratio("pair x", "a", "b", None, [3], 3, None)])
    text = console.export_text()
    assert "ratio" in text and "goal" in text
    for reached, verdict in told.items():
        assert re.search(rf"pair {reached} .*2 +{verdict} *\n", text)
    assert re.search(r"pair x +3.00 *\n", text), "what has no goal is not judged"
    assert "asked" not in text and "judged" not in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("bench", "strength"), "agents don't meet.*ludotheque league"),
        (("bench",), "strength .*each agent alone, or in all seats.*league. lets agents play each"),
        (("train",), "same seed and --steps, results on one machine.*--minutes they depend on the"),
    ],
    ids=["strength", "bench", "train"],
)
def test_help_says_what_is_measured_and_when_it_is_the_same_again(words, told):
    done = run(*words, "--help")
    assert done.returncode == 0, done.stderr
    assert re.search(told, re.sub(r"[\s│]+", " ", done.stdout)), done.stdout


@pytest.mark.parametrize(
    "what", ["throughput", "search", "learning", "training", "strength", "workers"]
)
def test_bench_refuses_a_file_that_cannot_be_written_before_it_measures(what, tmp_path):
    (tmp_path / "file").touch()
    assert_refused(run("bench", what, "--quick", "--json", tmp_path / "file" / "x.json"), "folder")
    assert_refused(run("bench", what, "--quick", "--json", tmp_path), "can't write")


def test_bench_curves_refuses_a_picture_that_cannot_be_written(tmp_path):
    for picture in (tmp_path / "none" / "x.png", tmp_path / "x.doc"):
        done = run("bench", "curves", "--game", "sarena", "--out", picture)
        assert_refused(done, picture.name)


def test_a_replay_that_is_not_there_is_named_without_numbers_of_the_system(tmp_path):
    done = run("watch", "--replay", tmp_path / "none.jsonl", "--terminal")
    assert_refused(done, "none.jsonl: No such file")
    assert "Errno" not in done.stderr


def test_names_that_are_too_long_are_told_in_a_line():
    name = "x" * 300
    for command in (("watch", "--save", f"{name}.gif"), ("rate", "random", "--out", name)):
        assert_refused(run(*command), "File name too long")
    assert_refused(run("league", "--agents", "random,greedy", "--out", name), "too long")
    assert_refused(run("exploit", "greedy", "--out", name), "too long")


@pytest.mark.skipif(os.name != "posix", reason="Windows needs a privilege for links")
def test_a_link_whose_file_cannot_be_written_is_refused_before_anything_is_played(tmp_path):
    link = tmp_path / "record.json"
    link.symlink_to(tmp_path / "none" / "record.json")
    assert_refused(run("rate", "random", "--out", link), "does not exist")
    link.unlink()
    link.symlink_to(tmp_path)
    assert_refused(run("rate", "random", "--out", link), "folder")


def test_rate_says_in_a_line_that_a_class_makes_no_agent():
    for spec in ("os.path:join", "collections.abc:Sized", "os.path:nothing", "fractions.x:Y"):
        done = run("rate", spec)
        assert_refused(done, spec.partition(":")[0])
        assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("None", "My agent returned actions of shape"),
        ("(0 for _ in masks)", "My agent returned actions of shape"),
        ("masks.argmin(axis=1)", "is not legal .*The action was chosen by My agent"),
    ],
)
def test_rate_names_the_agent_at_fault(answer, told, monkeypatch, tmp_path):
    from ludotheque.cli import rate
    from ludotheque.cli.common import UserError

    (tmp_path / "ones_own").mkdir()
    (tmp_path / "ones_own" / "agent.py").write_text(
        textwrap.dedent(
            f"""
            class Mine:
                def __init__(self, game):
                    pass

                def __repr__(self):
                    return "My agent"

                def act(self, observations, masks, *, states=None, seeds=None):
                    return {answer}
            """
        )
    )
    # A package in the current folder, as where the command is called.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    monkeypatch.delitem(sys.modules, "ones_own.agent", raising=False)
    monkeypatch.delitem(sys.modules, "ones_own", raising=False)
    with pytest.raises(UserError, match=told):
        rate.rate("ones_own.agent:Mine", game="sarena", seed=1, rounds=1)


def test_two_ratings_at_once_do_not_replace_each_others_record(tmp_path):
    from ludotheque.cli import rate
    from ludotheque.cli.common import FailedError

    one, other = (rate._Record(tmp_path / "record.json", name) for name in ("one", "other"))
    for number in range(2):
        one.keep({"games": number})
        other.keep({"games": number})
    one.check()
    with pytest.raises(FailedError, match="another process has written it"):
        other.check()
    assert json.loads((tmp_path / "record.json").read_text()) == {"games": 1, "agent": "one"}
    resumed = rate._Record(tmp_path / "record.json", "one")
    resumed.keep({"games": 2})
    resumed.check()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are Unicode")
@pytest.mark.parametrize("name", ["a\udcffb.zip", "a\nb.zip"])
def test_agents_that_no_file_can_name_are_refused_before_the_game(name, tmp_path, monkeypatch):
    """The first game saved used to end in a traceback."""
    from ludotheque.agents.td.model import save_value_model, zero_model

    monkeypatch.chdir(tmp_path)
    save_value_model(zero_model(get_game("sarena"), 2, 8, 4), name)
    before = sorted(tmp_path.iterdir())
    for arguments in (
        ("play", "--terminal", "--seed", "1", "--opponents", f"td:{name}", "--save", "g.jsonl"),
        ("league", "--games", "2", "--agents", f"random,td:{name}", "--out", "league"),
    ):
        done = run(*arguments, typed="quit\n")
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert "rename the file" in done.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are Unicode")
@pytest.mark.parametrize(
    "arguments", [("train", "--steps", "100"), ("league", "--agents", "random,greedy")]
)
def test_a_folder_whose_name_is_not_utf8_is_refused(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, "--out", "a\udcffb")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "isn't UTF-8; choose another --out" in done.stderr
    assert not list(tmp_path.iterdir())


def test_rate_measures_no_ladder_that_cannot_be_written(monkeypatch, tmp_path):
    from ludotheque.agents import ladder
    from ludotheque.cli import rate
    from ludotheque.cli.common import UserError

    monkeypatch.setattr(ladder, "measure_ladder", lambda *_: pytest.fail("it was measured"))
    monkeypatch.setattr(ladder, "FOLDER", tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UserError, match="can't be written"):
        rate.rate(game="sarena", measure=True, games=2, seed=0, record=tmp_path / "league")


def test_paths_with_brackets_are_printed_as_they_are(tmp_path, capsys):
    from ludotheque.agents.td.model import save_value_model, zero_model
    from ludotheque.cli import rate

    path = tmp_path / "odd[" / "x]" / "[red]m.zip"
    path.parent.mkdir(parents=True)
    save_value_model(zero_model(get_game("sarena"), 2, 8, 4), path)
    rate.rate(f"td:{path}", game="sarena", rounds=1, seed=1)
    assert "[/x]/[red]m.zip: rating" in capsys.readouterr().out.replace("\n", "")


def test_rate_replaces_a_ladder_only_when_told(monkeypatch, tmp_path):
    from ludotheque.agents import ladder
    from ludotheque.cli import rate
    from ludotheque.cli.common import UserError

    path = ladder.ladder_path(ladder.get_game("sarena"), 2)
    before = path.read_bytes()
    monkeypatch.setattr(ladder, "measure_ladder", lambda *_: pytest.fail("it was measured"))
    with pytest.raises(UserError, match="there is a ladder already.*--replace"):
        rate.rate(game="sarena", measure=True, games=2, seed=0, record=tmp_path / "league")
    assert path.read_bytes() == before and not (tmp_path / "league").exists()


def test_rate_continues_a_measurement_that_was_stopped(monkeypatch, tmp_path):
    from ludotheque.agents import ladder
    from ludotheque.cli import rate
    from ludotheque.cli.common import StoppedError, UserError

    (tmp_path / "ladders").mkdir()
    monkeypatch.setattr(ladder, "FOLDER", tmp_path / "ladders")
    monkeypatch.setattr(ladder, "RUNGS", ("random", "greedy"))
    monkeypatch.setattr(ladder, "LEARNED", ())
    how = {"game": "sarena", "measure": True, "games": 4, "record": tmp_path / "league"}

    def stopped(plan, games, bar, executor):
        plan.run(2)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(StoppedError) as told:
        patched.setattr(ladder, "measure_ladder", stopped)
        rate.rate(seed=5, **how)
    assert f"--games 4 --out {tmp_path / 'league'} --resume" in str(told.value)
    with pytest.raises(UserError, match="add --resume"):
        rate.rate(seed=5, **how)
    rate.rate(resume=True, **how)
    lines = (tmp_path / "league" / "games.jsonl").read_text().splitlines()
    assert len(lines) == len(set(lines)) == 4
    assert ladder.read_ladder("sarena", 2).seed == 5
    with pytest.raises(UserError, match="name one that exists"):
        rate.rate("greedy", resume=True)


def test_bench_strength_plays_every_agent_on_the_same_deals():
    found = run_json(
        "bench", "strength", "--game", "harmonies", "--players", "1", "--set", "side=B",
        "--set", "spirits=true", "--agents", "random,greedy", "--games", "5",
    )  # fmt: skip
    assert found["options"] == {"side": "B", "spirits": True} and found["players"] == 1
    random, greedy = found["strength"]
    assert (random["agent"], greedy["agent"], greedy["games"]) == ("random", "greedy", 5)
    assert random["mean"] < 40 < 80 < greedy["mean"]
    assert greedy["error"] > 0
    assert_refused(run("bench", "strength", "--agents", "gredy"), "gredy")
    assert_refused(run("bench", "strength", "--players", "5"), "5")
    assert_refused(run("bench", "strength", "--game", "harmonies", "--set", "side=C"), "C")


def test_bench_learning_measures_self_play_and_the_search_without_other_libraries():
    found = run_json("bench", "learning", "--quick", "--alone", "--game", "sarena")
    rates = {one["name"]: one["median_per_core"] for one in found["results"]}
    wanted = {"sarena td self-play, one core", "sarena baseline"}
    if found["machine"]["cores"] > 1:
        wanted.add("sarena td self-play")
    assert rates.keys() == wanted and min(rates.values()) > 0
    assert {one["unit"] for one in found["results"]} == {"decisions", "simulations"}
    assert_refused(run("bench", "learning", "--game", "srena"), "srena", "sarena")


def test_data_of_ones_own_are_given_as_json(tmp_path: Path):
    arguments = ("watch", "--game", "shamans", "--agents", "random", "--seed", 1, "--terminal")
    done = run(*arguments, "--set", 'track={"start": 3, "moon": 9}', "--set", "rounds=single")
    assert done.returncode == 0 and "Moon on 9" in done.stdout, done.stderr
    for wrong, told in (
        ("track=long", "It takes reconstructed"),
        ('track={"start": 3', "not JSON"),
        ('track={"start": 3}', "give start and moon"),
    ):
        assert_refused(run(*arguments, "--set", wrong), told)


@pytest.mark.parametrize("phase", ["ECLIPSE", "PASS"])
def test_what_others_did_unseen_is_not_told(phase: str):
    """In Shamans, giving a card and passing with a face-down tile are private to a seat."""
    from ludotheque.cli.table import Table
    from ludotheque.envs.shamans.state import PHASES

    met = 0
    for seed in range(60):
        options = {"rounds": "single", "asked": "holders"}
        table = Table(get_game("shamans"), seed, 4, options, {})
        rng = random.Random(seed)
        while not table.over and met < 5:
            seat, moves = table.to_play, table.legal_moves()
            before = PHASES[int(table.states["phase"][0])]
            face_up = table.states["shown"][0, seat].copy()
            wanted = [a for name, a in moves.items() if name in ("pass", "take top", "keep down")]
            move = rng.choice(wanted or list(moves.values()))
            table.take(move)
            passed = table.moves[-1] == "pass" and not face_up[:2].any()
            if before == phase or (phase == "PASS" and passed):
                met += 1
                assert table.last_move(seat) == table.last_move(None) == table.moves[-1]
                for other in set(range(4)) - {seat}:
                    assert table.last_move(other) is None
            elif before == "CARD":
                assert {table.last_move(other) for other in range(4)} == {table.moves[-1]}
        if met >= 5:
            break
    assert met >= 5
    assert table.thinker(None) == table.name(table.to_play)
    assert table.thinker(0) == "an agent"


def test_which_card_was_put_face_down_is_told_to_its_seat_alone():
    """In Saga (Sealand), and when it is taken back (Fieldland); everything else is public."""
    from ludotheque.cli.table import Table

    sides = ["crown", "crown", "reverse", "crown", "crown", "crown"]
    met = set()
    for seed in range(40):
        table = Table(get_game("saga"), seed, 3, {"sides": sides}, {})
        rng = random.Random(seed)
        while not table.over:
            seat, moves = table.to_play, table.legal_moves()
            rare = [a for name, a in moves.items() if name.split()[0] in ("down", "hidden", "take")]
            chosen = table.moves[-1] if table.moves else ""
            table.take(rng.choice(rare or list(moves.values())))
            told = {other: table.last_move(other) for other in (None, 0, 1, 2)}
            hidden = table.moves[-1].startswith("hidden")
            if hidden:
                met.add(chosen.split()[0])
            for other, move in told.items():
                known = not hidden or other in (None, seat)
                assert move == (table.moves[-1] if known else None)
        if met == {"down", "take"}:
            break
    assert met == {"down", "take"}


# rate


def test_an_agent_is_rated_and_its_record_checked(tmp_path: Path):
    pytest.importorskip("openskill")
    record = tmp_path / "record.json"
    few = ("--rounds", 1, "--seed", 3)
    found = run_json("rate", "random", *few, "--out", record)
    assert [row["games"] for row in found["rows"]] == [16] * len(found["rows"])
    assert found["rating"] < min(row["rung_rating"] for row in found["rows"][1:])
    checked = run("rate", "--check", record)
    assert checked.returncode == 0 and "the results and the rating are the same" in checked.stdout
    assert_refused(run("rate", "--check", record, "greedy"), "came out")


def test_a_rating_that_is_killed_goes_on_with_the_rounds_it_wrote(tmp_path: Path):
    pytest.importorskip("openskill")
    record, whole = tmp_path / "record.json", tmp_path / "whole.json"
    how = ("rate", "random", "--seed", 3, "--precision", 0.001)
    process = start(*how, "--rounds", 1000, "--out", record)
    wait_for(process, record.exists)
    process.kill()
    process.communicate()
    games = json.loads(record.read_text())["games"]
    rounds = len(games) // len({one["rung"] for one in games}) // 16
    assert_refused(run("rate", "greedy", "--resume", "--out", record), "record of random")
    assert_refused(run(*how, "--out", record), "exists already", "--resume")
    done = run(*how[:2], *how[4:], "--rounds", rounds + 1, "--resume", "--out", record)
    assert done.returncode == 0, done.stderr
    assert run(*how, "--rounds", rounds + 1, "--out", whole).returncode == 0
    assert record.read_text() == whole.read_text()


def test_a_rating_is_shown_before_its_record_fails_to_be_written(monkeypatch, tmp_path, capsys):
    """If the disk is full after hours, the rating used to be lost with the record."""
    pytest.importorskip("openskill")
    from ludotheque.cli import rate
    from ludotheque.cli.common import FailedError
    from ludotheque.envs.core import files

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for as_json in (False, True):
        with monkeypatch.context() as patched, pytest.raises(FailedError, match="No space"):
            patched.setattr(files, "_flush_to_disk", full)
            rate.rate("random", rounds=1, seed=3, record=tmp_path / "record", as_json=as_json)
        shown = capsys.readouterr().out
        assert '"rating": ' in shown if as_json else "random: rating " in shown
        assert not list(tmp_path.iterdir())


def test_what_cannot_be_rated_is_told():
    assert_refused(run("rate"), "name an agent")
    assert_refused(run("rate", "no.module:Agent"), "no Agent in no.module")
    told = "bench strength --game sagani --players 1"
    assert_refused(run("rate", "greedy", "--game", "sagani", "--players", 1), told)


def test_a_record_that_cannot_be_written_is_refused_before_anything_is_played(tmp_path: Path):
    done = run("rate", "random", "--seed", 1, "--out", tmp_path / "nowhere" / "record.json")
    assert_refused(done, "nowhere of record.json does not exist")
    assert_refused(run("rate", "random", "--seed", 1, "--out", tmp_path), "is a folder")


# exploit


@pytest.mark.training
@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        ("greedy", "td"),
        ("mcts:simulations=2", "ppo"),
        ("random", "ppo"),
        ("ludotheque.agents.greedy:GreedyAgent", "ppo"),  # as one's own would be named
    ],
)
def test_a_response_to_an_agent_is_trained_and_measured(agent, kind, tmp_path: Path):
    from ludotheque.agents import make_agent

    few = ("--game", "sarena", "--steps", "500", "--seed", "0")
    found = run_json("exploit", agent, *few, "--out", tmp_path)
    assert found["fair"] == 0.5 and found["found"]["games"] == 400
    assert found["found"]["opponent"] == agent
    assert Path(found["model_path"]).is_file() and found["steps"] >= 500
    assert found["response"] == f"{kind}:{found['model_path']}"
    assert make_agent(found["response"], "sarena").name == kind
    assert_refused(run("exploit", agent, *few, "--out", tmp_path), "another --out")


def test_what_cannot_be_responded_to_is_told(tmp_path: Path):
    to = ("--game", "sarena", "--out", tmp_path / "none")
    assert_refused(run("exploit", "mtcs", *to), "mcts")
    assert_refused(run("exploit", "no.module:Agent", *to), "no Agent in no.module")
    assert_refused(run("exploit", "mcts:simulation=2", *to), "simulations")
    assert_refused(run("exploit", "ppo:none.zip", *to), "none.zip")
    assert_refused(run("exploit", "td:none.zip", *to), "no model")
    alone = ("--game", "sagani", "--players", 1, "--out", tmp_path / "none")
    assert_refused(run("exploit", "greedy", *alone), "2, 3, 4")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("where", ["--terminal", "--web"])
def test_games_of_an_earlier_session_are_not_replaced(where, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("kept")
    assert_refused(run("play", where, "--save", path), "games.jsonl exists", "another --save")
    assert path.read_text() == "kept"


@pytest.mark.training
def test_a_response_that_can_not_be_written_names_its_folder(tmp_path, monkeypatch):
    import ludotheque.agents.exploit
    from ludotheque.cli.common import FailedError
    from ludotheque.cli.exploit import exploit

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(ludotheque.agents.exploit, "exploit", full)
    with pytest.raises(FailedError, match=r"response could not be .*written.*No space"):
        exploit("greedy", game="sarena", steps=10, folder=tmp_path / "response", seed=1)


@pytest.mark.training
def test_learning_curves_of_a_run_are_drawn(tmp_path: Path):
    run_ = tmp_path / "run"
    few = ("--game", "sarena", "--steps", "300", "--seed", "0", "--out", run_)
    run_json("train", *few)
    picture = tmp_path / "curves.svg"
    done = run("bench", "curves", f"Sàrèná={run_}", "--out", picture)
    assert done.returncode == 0, done.stderr
    labels = re.findall(r"<!-- (.+) -->", picture.read_text("utf-8"))
    assert {"Sàrèná", "games won against random", "games won against greedy"} <= set(labels)
    assert_refused(run("bench", "curves", tmp_path, "--out", picture), "no evaluations")
    refused = run("bench", "curves", run_, "--opponent", "mcts", "--out", picture)
    assert_refused(refused, "no evaluation against mcts")
    (run_ / "evaluations.jsonl").write_text('{"steps": -1}\n')
    assert_refused(run("bench", "curves", run_, "--out", picture), "damaged")


@pytest.mark.training
def test_methods_are_compared_and_what_is_done_is_kept(tmp_path: Path):
    picture, out = tmp_path / "methods.svg", tmp_path / "runs"
    few = ("--minutes", "0.01", "--opponent", "random", "--games", "4")
    where = ("--out", out, "--picture", picture)
    done = run("bench", "methods", "--method", "td=4000", *few, *where)
    assert done.returncode == 0, done.stderr
    drawn = picture.read_text("utf-8")
    assert {"td", "games won against random"} <= set(re.findall(r"<!-- (.+) -->", drawn))
    folder = out / "sarena-2" / "td"
    lines = (folder / "evaluations.jsonl").read_text("utf-8").splitlines()
    steps = [json.loads(line)["steps"] for line in lines]
    assert sorted(int(one.stem) for one in (folder / "models").iterdir()) == steps
    before = (folder / "model.zip").stat().st_mtime_ns
    again = run("bench", "methods", "--method", "td", *few, *where)
    assert again.stdout == done.stdout
    assert (folder / "model.zip").stat().st_mtime_ns == before
    assert_refused(run("bench", "methods", "--method", "sac", *where), "ppo, td, search, policy")
    assert_refused(run("bench", "methods", "--method", "td=many", *where), "td=N")
    assert_refused(run("bench", "methods", "--opponent", "mtcs", *where), "mcts")
    alone = ("--game", "sagani", "--players", "1")
    assert_refused(run("bench", "methods", *alone, *where), "at least 2 --players")
