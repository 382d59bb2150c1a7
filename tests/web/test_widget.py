"""The board in a notebook: its use by code, its messages, and the page without Python."""

from __future__ import annotations

import json
import re

import gymnasium
import numpy as np
import pytest

pytest.importorskip("anywidget", reason="the board in a notebook needs the extra [notebook]")

import ludotheque.envs  # noqa: E402, F401
from ludotheque.agents import make_agent  # noqa: E402
from ludotheque.envs import get_game, sarena_v0  # noqa: E402
from ludotheque.envs.core.errors import IllegalActionError  # noqa: E402
from ludotheque.widget import Board  # noqa: E402
from ludotheque.widget.static import page_of  # noqa: E402


class Cell:
    """The notebook's end of the connection."""

    def __init__(self, board: Board, monkeypatch: pytest.MonkeyPatch):
        self.board = board
        self.heard: list[dict] = []
        monkeypatch.setattr(board, "send", lambda message: self.heard.append(message))

    def ask(self, **message) -> list[dict]:
        """Send a message like the page; return the answer."""
        self.heard.clear()
        json.dumps(message)
        self.board._handle_custom_msg(message, [])
        return json.loads(json.dumps(self.heard))


def test_clicks_and_code_play_one_game(monkeypatch):
    board = Board("sarena", opponents="random", seed=3)
    cell = Cell(board, monkeypatch)
    table, view = cell.ask(do="hello")
    assert table["seats"][1]["who"] == "random" and view["yours"]
    action = view["moves"][0][0]
    views = cell.ask(do="act", action=action, frame=view["frame"], age=view["age"])
    assert [view["yours"] for view in views] == [False, True]
    before = board.states["ply"][0]
    cell.heard.clear()
    board.play(board.legal_moves()[0])
    assert board.states["ply"][0] == before + 2
    assert [message["kind"] for message in cell.heard] == ["view", "view"]
    board.undo()
    assert board.states["ply"][0] == before
    assert cell.heard[-1]["age"] == 1
    with pytest.raises(IllegalActionError):
        board.play(_illegal(board))
    (error,) = cell.ask(do="act", action=action, frame=0, age=0)
    assert error["kind"] == "error" and board.states["ply"][0] == before


def _illegal(board: Board) -> int:
    while board.game.legal_mask(board.states).all():
        board.play(board.legal_moves()[0])
    return int(np.flatnonzero(board.game.legal_mask(board.states) == 0)[0])


def test_one_seed_is_one_game_and_its_replay_says_who_played():
    boards = [Board("sarena", opponents="greedy", seed=5) for _ in range(2)]
    for board in boards:
        while not board.over:
            board.play(board.legal_moves()[0])
        assert board.legal_moves() == []
    one, two = (board.replay() for board in boards)
    assert one == two and one.agents == ["person", "greedy"]
    one.verify()


class Stopped:
    """An agent that is interrupted while it thinks, the first times."""

    def __init__(self, times: int):
        self.times = times

    def act(self, observations, masks, *, states=None, seeds=None):
        self.times -= 1
        if self.times >= 0:
            raise KeyboardInterrupt
        return masks.argmax(axis=1)


@pytest.mark.parametrize("how", ["hello", "mind", "play", "refresh"])
def test_an_agent_that_was_interrupted_plays_with_the_next_call(how, monkeypatch):
    board = Board("sarena", opponents=Stopped(1), seed=3)
    cell = Cell(board, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        board.play(board.legal_moves()[0])
    assert board.to_play == 1
    if how == "play":
        with pytest.raises(ValueError, match="nonsense"):
            board.play("nonsense")
    elif how == "refresh":
        board.refresh()
    else:
        cell.ask(do=how, **({"at": 0} if how == "mind" else {}))
    assert board.to_play == 0 and board.states["ply"][0] == 2
    assert cell.heard[-1]["yours"] and cell.heard[-1]["frame"] == 2


def test_agents_may_be_objects_and_one_for_each_seat():
    agents = [make_agent("random", game="sarena"), "greedy"]
    board = Board("sarena", opponents=agents, seat=1, num_players=3, seed=1)
    assert board.table.specs == {0: "random", 2: "greedy"}
    assert board.to_play == 1 or board.over
    with pytest.raises(ValueError, match="3 opponents for 2 seats"):
        Board("sarena", opponents=["random"] * 3, num_players=3)


@pytest.mark.parametrize(
    ("what", "how", "error", "why"),
    [
        ("chess", {}, ValueError, "chess"),
        ("sarena", {"seat": 2}, ValueError, "seat is 2"),
        ("sarena", {"num_players": 9}, ValueError, "num_players"),
        ("sarena", {"opponents": "stockfish"}, ValueError, "stockfish"),
        ("sarena", {"dealer": 1}, TypeError, "no option"),
        (3, {}, TypeError, "a board shows"),
        (np.zeros(2), {}, TypeError, "belong to no game"),
        (get_game("sarena").new_states(0), {}, ValueError, "no records"),
    ],
)
def test_what_can_not_be_shown_is_told(what, how, error, why):
    with pytest.raises(error, match=why):
        Board(what, **how)


def test_an_environment_is_stepped_by_clicks_and_by_code(monkeypatch):
    env = sarena_v0.env()
    env.reset(seed=1)
    board = Board(env)
    cell = Cell(board, monkeypatch)
    head, view = cell.ask(do="hello")
    # The owner of an environment sees and plays everything.
    assert head["seat"] is None and view["yours"]
    action = view["moves"][0][0]
    (news,) = cell.ask(do="act", action=action, frame=view["frame"], age=view["age"])
    assert news["yours"] and env.get_state()["states"]["ply"][0] == 1
    env.step(env.sample_legal())
    cell.heard.clear()
    board.refresh()
    assert [message["frame"] for message in cell.heard] == [2]
    env.reset(seed=2)
    board.refresh()
    assert (cell.heard[-1]["frame"], cell.heard[-1]["age"]) == (0, 1)
    (error,) = cell.ask(do="undo", frame=0, age=1)
    assert "can't play" in error["text"] or "nothing" in error["text"]


def test_what_lies_between_the_fields_of_a_record_is_no_news(monkeypatch):
    """A copy of a record has other padding bytes."""
    env = sarena_v0.env()
    env.reset(seed=1)
    board = Board(env)
    board.play(board.legal_moves()[0])
    record = board.table.states.copy()
    between = np.ones(record.dtype.itemsize, np.bool_)
    for kind, at in record.dtype.fields.values():
        between[at : at + kind.itemsize] = False
    assert between.any()
    record.view(np.uint8)[between] ^= 0xFF
    board.table.positions[-1] = record
    cell = Cell(board, monkeypatch)
    board.refresh()
    assert (len(board.table.positions), board.table.age, cell.heard) == (2, 0, [])


def test_an_environment_of_one_seat_shows_what_that_seat_sees(monkeypatch):
    env = gymnasium.make("ludotheque/Sarena-v0", opponents="random")
    env.reset(seed=4)
    board = Board(env)
    cell = Cell(board, monkeypatch)
    head, view = cell.ask(do="hello")
    assert head["seat"] == board.seat is not None
    action = view["moves"][0][0]
    views = cell.ask(do="act", action=action, frame=view["frame"], age=view["age"])
    assert views[-1]["yours"] or views[-1]["over"]
    assert board.states["ply"][0] > view["frame"]
    with pytest.raises(ValueError, match="no actions between them"):
        board.replay()


def test_records_and_replays_are_stepped_through(monkeypatch):
    played = Board("sarena", opponents="random", seat=None, seed=6)
    while not played.over:
        played._guest.ask({"do": "next"})
    replay = played.replay()
    records = np.concatenate([*replay.states()])
    for board in (Board(replay), Board(records)):
        cell = Cell(board, monkeypatch)
        head, view = cell.ask(do="hello")
        assert (view["frame"], view["frames"]) == (0, len(records))
        assert head["watching"] and not head["live"] and not view["yours"]
        (last,) = cell.ask(do="frame", at=len(records) - 1)
        assert last["over"]


def test_a_page_for_where_no_widget_lives_is_in_the_cell(tmp_path):
    board = Board("sarena", opponents="random", seed=3)
    data, _ = board._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    page = data["text/html"]
    assert page.startswith("<iframe sandbox=") and len(page) < 200_000
    board.save_html(tmp_path / "game.html")
    saved = (tmp_path / "game.html").read_text("utf-8")
    assert saved == page_of(board.table, board.seat)
    # It makes no requests.
    addresses = set(re.findall(r"https?://[^\"' ]+", saved)) - {"http://www.w3.org/2000/svg"}
    assert addresses == set()


def test_without_anywidget_the_import_says_what_to_install(run_python):
    done = run_python(
        "import sys; sys.modules['anywidget'] = None\nfrom ludotheque.widget import Board"
    )
    assert done.returncode == 1 and "ludotheque[notebook]" in done.stderr


def test_an_absurd_number_of_players_is_refused_before_any_are_seated(monkeypatch):
    def seat(*_):
        raise MemoryError

    monkeypatch.setattr("ludotheque.widget.board._others", seat)
    with pytest.raises(ValueError, match="num_players of sarena is 1000000000000; allowed: 2, 3"):
        Board("sarena", num_players=10**12)


def test_a_board_follows_the_seat_that_its_environment_draws(monkeypatch):
    """A reset draws another seat: the board must not show what that seat can't know."""
    env = gymnasium.make("ludotheque/Sarena-v0", num_players=2)
    env.reset(seed=1)
    board = Board(env)
    cell = Cell(board, monkeypatch)
    first = env.unwrapped.seat
    for seed in range(2, 40):
        env.reset(seed=seed)
        if env.unwrapped.seat != first:
            break
    other = 1 - first
    stale = cell.ask(do="act", action=0, frame=0, age=0)
    assert stale[-1]["kind"] == "error", "a click on the earlier game"
    for refresh in (lambda: None, board.refresh):
        refresh()
        game, state = board.game, board.states[0]
        assert board.seat == other == env.unwrapped.seat
        assert [one["seat"] for one in cell.heard if one["kind"] == "table"] == [other]
        views = [one for one in cell.heard if one["kind"] == "view"]
        assert views and all(view["yours"] for view in views)
        hidden = game.draw(state, first).svg()
        assert all(view["svg"] != hidden for view in views)
    board.play(board.legal_moves()[0])
    assert board.seat == other


def test_a_board_for_all_eyes_stays_for_all_eyes(monkeypatch):
    env = gymnasium.make("ludotheque/Sarena-v0", num_players=2)
    env.reset(seed=1)
    board = Board(env, seat=None)
    for seed in range(2, 6):
        env.reset(seed=seed)
        board.refresh()
        assert board.seat is None
