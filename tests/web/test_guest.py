"""The requests of a page: who may do what, and refused requests change nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest
from interrupts import Interrupt, all_steps

from ludotheque.agents.policy import PolicyAgent
from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.replay import Replay
from ludotheque.web.guest import FIELDS, Guest, Refused
from ludotheque.web.mind import mind_of
from ludotheque.web.table import CHEAT, Table
from ludotheque.web.view import Film

SARENA = get_game("sarena")


def table_of(seed: int = 3, **specs: str) -> Table:
    seats = {int(name[1:]): spec for name, spec in specs.items()}
    return Table(SARENA, seed, 2, {}, seats)


def to_the_person(table: Table) -> Guest:
    """Let agents play to the turn of seat 0."""
    while table.agent_is_next:
        table.agent_acts()
    guest = Guest(table, 0)
    guest.hello()
    return guest


def newest(guest: Guest) -> dict:
    return guest.film.message(len(guest.film) - 1)


def act(guest: Guest, number: int | None = None, **changed) -> dict:
    view = newest(guest)
    action = view["moves"][0][0] if number is None else number
    message = {"do": "act", "action": action, "frame": view["frame"], "age": view["age"]}
    return message | changed


@pytest.mark.parametrize(
    "message",
    [
        None,
        "act",
        [],
        {},
        {"do": "quit"},
        {"do": ["act"]},
        {"do": "act"},
        {"do": "act", "action": 3, "frame": 0, "age": 0, "seat": 1},
        {"do": "act", "action": "3", "frame": 0, "age": 0},
        {"do": "act", "action": True, "frame": 0, "age": 0},
        {"do": "act", "action": 1.5, "frame": 0, "age": 0},
        {"do": "frame", "at": -1},
        {"do": "frame", "at": 10**30},
        {"do": "mind", "at": 0},
        {"do": "next"},
        {"do": "look", "seat": 1},
        {"do": "undo", "frame": 0, "age": 0},
        {"do": "__init__"},
    ],
)
def test_what_can_not_be_done_is_refused_and_changes_nothing(message):
    table = table_of()
    guest = Guest(table, table.to_play)
    before = table.game.digest(table.states), table.age, len(table.actions)
    with pytest.raises(Refused) as refusal:
        guest.ask(message)
    assert str(refusal.value)
    assert (table.game.digest(table.states), table.age, len(table.actions)) == before


def test_a_legal_action_is_played_and_told_to_every_page_of_the_table():
    table = table_of()
    first, second, other = Guest(table, 0), Guest(table, 0), Guest(table, 1)
    for guest in (first, second, other):
        guest.hello()
    seat = first if table.to_play == 0 else other
    assert seat.ask(act(seat)) == []
    assert [len(guest.news()) for guest in (first, second, other)] == [1, 1, 1]
    assert first.news() == []


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"frame": 5}, "moved on"),
        ({"age": 1}, "moved on"),
        ({"action": 10**9}, "actions 0 to 119"),
        ({"action": -1}, "actions 0 to 119"),
    ],
)
def test_what_is_out_of_date_or_no_action_is_refused(changed, why):
    guest = to_the_person(table_of(p1="random"))
    with pytest.raises(Refused, match=why):
        guest.ask(act(guest, **changed))
    assert newest(guest)["yours"]


def test_an_illegal_action_is_refused():
    table = table_of(p1="random")
    for _ in range(6):
        table.take(next(iter(table.legal_moves().values())))
    guest = to_the_person(table)
    illegal = next(a for a in range(120) if not SARENA.legal_mask(guest.table.states)[a])
    with pytest.raises(Refused, match="not legal"):
        guest.ask(act(guest, illegal))


def test_nobody_plays_for_another():
    table = table_of()
    other = Guest(table, 1 - table.to_play)
    view = newest(other)
    action = next(iter(table.legal_moves().values()))
    with pytest.raises(Refused, match="not your turn"):
        other.ask({"do": "act", "action": action, "frame": view["frame"], "age": view["age"]})


def test_a_person_takes_back_to_the_own_last_decision():
    guest = to_the_person(table_of(p1="random"))
    table = guest.table
    before = table.game.digest(table.states)
    guest.ask(act(guest))
    while table.agent_is_next:
        table.agent_acts()
    view = newest(guest)
    assert view["undo"]
    guest.ask({"do": "undo", "frame": view["frame"], "age": view["age"]})
    assert table.game.digest(table.states) == before
    (news,) = guest.news()
    assert news["age"] == 1 and news["yours"]
    # Earlier requests are outdated.
    with pytest.raises(Refused, match="moved on"):
        guest.ask(act(guest, age=0))


def test_people_who_play_each_other_take_nothing_back():
    table = table_of()
    guest = Guest(table, table.to_play)
    guest.ask(act(guest))
    view = newest(guest)
    assert not view["undo"]
    with pytest.raises(Refused, match="alone"):
        guest.ask({"do": "undo", "frame": view["frame"], "age": view["age"]})
    with pytest.raises(Refused, match="alone"):
        guest.ask({"do": "again", "age": 0})


def test_a_new_game_has_the_same_seats_and_another_deal():
    guest = to_the_person(table_of(p1="random"))
    before = guest.table.game.digest(guest.table.states)
    guest.ask({"do": "again", "age": 0})
    (news,) = guest.news()
    assert (news["frame"], news["age"]) == (0, 1)
    assert guest.table.game.digest(guest.table.states) != before


def test_who_comes_late_gets_one_frame_and_can_ask_for_the_others():
    guest = to_the_person(table_of(p1="random"))
    for _ in range(3):
        guest.ask(act(guest))
        while guest.table.agent_is_next:
            guest.table.agent_acts()
    late = Guest(guest.table, 0)
    table, view = late.hello()
    assert table["kind"] == "table" and view["frame"] == len(guest.film) - 1 and view["yours"]
    (first,) = late.ask({"do": "frame", "at": 0})
    assert first["frame"] == 0 and not first["yours"] and first["moves"] == []


def test_agents_that_are_watched_play_when_they_are_asked_to():
    table = table_of(p0="random", p1="random")
    guest = Guest(table, None)
    guest.hello()
    while not table.over:
        guest.ask({"do": "next"})
        (news,) = guest.news()
    assert news["over"] and news["result"]
    with pytest.raises(Refused, match="no agent to wait for"):
        guest.ask({"do": "next"})


def test_who_watches_may_look_with_other_eyes():
    guest = Guest(table_of(p0="random", p1="random"), None)
    everything = guest.hello()[1]
    table, seen = guest.ask({"do": "look", "seat": 1})
    assert table["seat"] == 1 and table["chooses"]
    assert seen["svg"] != everything["svg"]
    assert guest.ask({"do": "look", "seat": -1})[1]["svg"] == everything["svg"]
    with pytest.raises(Refused, match="no seat 2"):
        guest.ask({"do": "look", "seat": 2})


def test_a_finished_game_is_saved_as_a_replay_that_shows_it():
    table = table_of(p1="random")
    guest = to_the_person(table)
    while not table.over:
        guest.ask(act(guest))
        while table.agent_is_next:
            table.agent_acts()
    (file,) = guest.ask({"do": "save"})
    replay = Replay.from_json(file["text"])
    assert file["name"].startswith("sarena-") and replay.agents == ["person", "random"]
    shown = Table.of_replay(replay)
    assert shown.game.digest(shown.states) == table.game.digest(table.states)
    head, first = Guest(shown, None).hello()
    assert first["frame"] == 0 and first["frames"] == len(table.positions)
    assert not head["live"]


def test_a_game_that_was_lost_by_no_action_at_all_is_shown():
    replay = Replay.record("sarena", 2, 3, [-1], illegal="lose")
    table = Table.of_replay(replay)
    assert table.replay().digest == replay.digest
    for seat in (None, 0, 1):
        guest = Guest(table, seat)
        view = guest.film.message(1)
        assert view["over"] and "plays no action" in view["words"] and not view["trace"]
    table.draw(None)


def test_every_message_is_json():
    guest = to_the_person(table_of(p1="greedy"))
    guest.table.explain = True
    messages = [*guest.hello(), *guest.ask({"do": "mind", "at": len(guest.film) - 1})]
    for message in messages:
        assert json.loads(json.dumps(message))["kind"] == message["kind"]
    assert set(FIELDS) == {"act", "undo", "again", "frame", "next", "look", "mind", "save"}


# The agent's mind


@pytest.mark.parametrize("spec", ["mcts:simulations=30", "greedy", "random", "baseline"])
def test_an_agent_tells_what_it_would_do(spec):
    table = table_of(p1=spec)
    table.explain = True
    guest = to_the_person(table)
    mind = mind_of(table, 0, len(table.actions))
    legal = table.legal_moves()
    assert mind["thinker"] == 0
    assert 1 <= len(mind["candidates"]) <= 5
    for candidate in mind["candidates"]:
        assert candidate["text"] in legal
        assert candidate["share"] is None or 0 <= candidate["share"] <= 1
    assert mind["line"][0] == mind["candidates"][0]["text"]
    # The answer is reproducible, and thinking changes nothing.
    assert mind_of(table, 0, len(table.actions)) == mind
    assert newest(guest)["yours"]


class Ascending:
    """A policy that prefers actions with higher numbers."""

    valued_by = ()

    def logits(self, observations, masks):
        assert observations.shape[0] == masks.shape[0] == 1
        return np.arange(masks.shape[1], dtype=np.float32)[None] / 10


def test_a_policy_tells_its_probabilities():
    table = table_of(p1="random")
    table.explain = True
    to_the_person(table)
    table.agents = {1: PolicyAgent(SARENA, Ascending())}
    mind = mind_of(table, 0, len(table.actions))
    shares = [candidate["share"] for candidate in mind["candidates"]]
    assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 1
    legal = sorted(table.legal_moves().values())
    texts = [SARENA.action_to_string(action, table.states[0]) for action in legal[:-6:-1]]
    assert [candidate["text"] for candidate in mind["candidates"]] == texts
    assert all(candidate["value"] is None for candidate in mind["candidates"])


class ByValue:
    """A policy on afterstates that is as sharp as greedy's values."""

    valued_by = ("greedy",)

    def logits(self, observations, masks):
        return observations[:, -masks.shape[1] :]


def test_a_policy_on_afterstates_tells_its_probabilities():
    table = table_of(p0="greedy", p1="greedy")
    table.explain = True
    told = mind_of(table, None, 0)["candidates"]
    values = {one["text"]: one["value"] for one in told}
    best = {text for text, value in values.items() if value == max(values.values())}
    table.agents = dict.fromkeys((0, 1), PolicyAgent(SARENA, ByValue()))
    candidates = mind_of(table, None, 0)["candidates"]
    shares = [candidate["share"] for candidate in candidates]
    assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 1
    assert len(best) == 5 or candidates[0]["text"] in best


def test_greedy_values_are_those_it_chooses_by():
    table = table_of(p0="greedy", p1="greedy")
    table.explain = True
    mind = mind_of(table, None, 0)
    values = [candidate["value"] for candidate in mind["candidates"]]
    assert values == sorted(values, reverse=True)
    best = {c["text"] for c in mind["candidates"] if c["value"] == values[0]}
    table.agent_acts()
    assert len(best) == 5 or table.moves[0] in best


def test_minds_of_others_are_shown_at_the_end_or_to_who_cheats():
    table = table_of(p1="random")
    table.explain = True
    guest = to_the_person(table)
    guest.ask(act(guest))
    assert table.to_play == 1
    ask = {"do": "mind", "at": len(guest.film) - 1}
    with pytest.raises(Refused, match="when the game is over"):
        guest.ask(ask)
    assert table.replay().agents == ["person", "random"]
    table.cheat = True
    assert guest.ask(ask)[0]["thinker"] == 1
    assert table.replay().agents == [CHEAT, "random"]
    table.cheat = False
    while not table.over:
        table.take(next(iter(table.legal_moves().values())))
    assert guest.ask(ask)[0]["thinker"] == 1
    with pytest.raises(Refused, match="nobody is to play"):
        guest.ask({"do": "mind", "at": len(guest.film) - 1})


def test_what_another_person_could_think_is_shown_to_nobody_who_plays():
    """It would reveal what that person knows, and that person didn't ask."""
    table = table_of()
    table.explain = table.cheat = True
    guest = Guest(table, 1 - table.to_play)
    with pytest.raises(Refused, match="when the game is over"):
        guest.ask({"do": "mind", "at": len(guest.film) - 1})


class Spy:
    """An agent that keeps the records it is given to search."""

    name = "spy"
    needs_states = True

    def __init__(self):
        self.seen = []

    def act(self, observations, masks, *, states=None, seeds=None):
        self.seen.append(states.copy())
        return masks.argmax(axis=1)


def test_what_is_hidden_from_a_seat_is_drawn_anew_before_anybody_thinks_for_it():
    others = []
    for seed in range(12):
        table, spy = Table(SARENA, seed, 2, {}, {}, {}), Spy()
        own, other = table.to_play, 1 - table.to_play
        table.agents = {other: spy}
        table.explain = True
        mind_of(table, own, 0)
        thought, true = spy.seen[0]["secret"][0], table.states["secret"][0]
        assert thought[own] == true[own]
        others.append(thought[other] == true[other])
    assert not all(others)


def test_a_page_that_is_loaded_again_draws_only_what_it_shows(monkeypatch):
    shamans = get_game("shamans")
    table = Table(shamans, 3, 3, {}, {1: "greedy", 2: "greedy"})
    for _ in range(6):
        guest = to_the_person(table)
        guest.ask(act(guest))
    drawn = []
    draw = type(shamans).draw
    monkeypatch.setattr(type(shamans), "draw", lambda *a, **k: drawn.append(1) or draw(*a, **k))
    Guest(table, 0).hello()
    assert len(table.actions) > 6 and len(drawn) <= 1


def take_first(table: Table) -> None:
    table.take(min(table.legal_moves().values()))


CHANGING = {
    "take": take_first,
    "undo": lambda table: table.undo(0),
    "deal": lambda table: table.deal(9),
}


# An interrupt of a generator that is being closed, which Python reports and drops.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("what", CHANGING)
def test_an_interrupt_at_any_moment_leaves_the_game_before_or_after_the_change(what):
    """A notebook's board is called in the thread that Ctrl-C interrupts."""
    call, module = CHANGING[what], "ludotheque.web.table"
    untouched, table = played_table(), played_table()
    steps = all_steps(lambda: call(table), module)
    allowed = [course_of(untouched), course_of(table)]
    for moment in range(max(0, steps - 400), steps):
        table = played_table()
        Interrupt(moment, module).strikes(lambda one=table: call(one))
        assert course_of(table) in allowed, f"interrupted at step {moment}"


def played_table() -> Table:
    table = table_of(p1="random")
    take_first(table)
    table.agent_acts()
    take_first(table)
    return table


def course_of(table: Table) -> tuple:
    digests = [table.game.digest(states) for states in table.positions]
    return table.age, table.seed, table.actions, table.moves, digests


@pytest.mark.parametrize("again", [False, True], ids=["move", "deal"])
def test_an_interrupt_while_frames_are_made_leaves_none_out_and_repeats_none(again):
    module = "ludotheque.web"
    game = get_game("shamans")
    table = Table(game, 5, 3, {}, {}, {})
    for _ in range(12):
        take_first(table)
    whole = Guest(table, 0)
    whole.hello()
    plies = whole.film._plies
    assert len(plies) > 3
    moment, struck = 0, True
    while struck:
        guest = Guest(table, 0)
        guest.film = Film(table, 0)
        if again:
            guest.hello()
            table.age += 1  # as after a new deal
        struck = Interrupt(moment, module).strikes(guest.hello)
        frames = [view["frame"] for view in guest.hello()[1:] + guest.news()]
        assert frames == [len(plies) - 1], f"interrupted at step {moment}"
        assert guest.film._plies == plies, f"interrupted at step {moment}"
        moment = 2 * moment + 7
    assert moment > 1000


def test_an_interrupt_leaves_news_to_be_told():
    steps = all_steps(heard_no_move().news, "ludotheque.web")
    for moment in range(0, steps - 30, steps // 25):  # the last steps come after the news
        guest = heard_no_move()
        assert Interrupt(moment, "ludotheque.web").strikes(guest.news)
        assert [view["frame"] for view in guest.news()] == [1], f"interrupted at step {moment}"


def heard_no_move() -> Guest:
    """Return a guest who hasn't been told of the first move."""
    table = table_of()
    guest = Guest(table, 0)
    guest.hello()
    take_first(table)
    return guest
