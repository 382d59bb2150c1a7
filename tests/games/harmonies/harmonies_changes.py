"""What a seat of Harmonies may know, and positions that differ from a given one in one thing.

A position is a game of the adapter: it has the oracle's attributes, and writes them into a record.
"""

from __future__ import annotations

import random

from harmonies_adapter import HarmoniesKernels
from oracles.harmonies import ANIMALS, SPIRITS, STACKS, TOKENS, HarmoniesOracle, Held, Player

# All that may be known, without the seat that it is about. Completed cards only score.
FACTS = {
    "bag",
    "board",
    "card taken",
    "cards",
    "choosing a spirit",
    "cubes",
    "deck",
    "first player",
    "in hand",
    "last round",
    "may discard",
    "over",
    "points",
    "shown",
    "space taken",
    "spaces",
    "spirit",
    "spirits seen",
    "turn",
    "turns finished",
}


def known(game: HarmoniesKernels, seat: int) -> dict[str, object]:
    """What a seat may know according to the oracle, as far as it can still matter.

    For a stack, this is its height and the colour on top: only a building hides what is below it,
    which doesn't count ("Les Bâtiments peuvent être de n'importe quel type").
    """
    facts = HarmoniesOracle.known(game, seat)
    for ahead in range(game.num_players):
        board = facts[f"board of {ahead}"]
        facts[f"board of {ahead}"] = [stack and (len(stack), stack[-1]) for stack in board]
        del facts[f"completed by {ahead}"]
    return facts


def anybody(game: HarmoniesKernels, rng: random.Random) -> Player:
    return rng.choice(game.players)


def other_stack(game: HarmoniesKernels, rng: random.Random) -> None:
    board = anybody(game, rng).board
    board[rng.randrange(len(board))] = list(rng.choice([*STACKS, ()]))


def other_cube(game: HarmoniesKernels, rng: random.Random) -> None:
    player = anybody(game, rng)
    hexagon = rng.randrange(len(player.board))
    if player.cubes.pop(hexagon, None) is None:
        player.cubes[hexagon] = min(ANIMALS)


def other_card(game: HarmoniesKernels, rng: random.Random) -> None:
    """One that nobody has seen yet instead of one of a player's, or beside the others."""
    player = anybody(game, rng)
    if game.deck and len(player.held) < 4:
        player.held.append(Held(game.deck.pop()))
    elif game.deck:
        player.held[rng.randrange(len(player.held))] = Held(game.deck.pop())


def other_order_of_cards(game: HarmoniesKernels, rng: random.Random) -> None:
    anybody(game, rng).held.reverse()


def one_more_cube_settled(game: HarmoniesKernels, rng: random.Random) -> None:
    held = [held for held in anybody(game, rng).held if held.placed + 1 < held.cubes]
    if held:
        rng.choice(held).placed += 1


def one_more_completed(game: HarmoniesKernels, rng: random.Random) -> None:
    if game.deck:
        card = game.deck.pop()
        anybody(game, rng).done.append(Held(card, len(ANIMALS[card].points)))


def other_card_shown(game: HarmoniesKernels, rng: random.Random) -> None:
    places = [place for place, card in enumerate(game.shown) if card]
    if places and game.deck:
        place = rng.choice(places)
        game.shown[place], game.deck[0] = game.deck[0], game.shown[place]


def other_deck(game: HarmoniesKernels, rng: random.Random) -> None:
    if game.deck:
        game.deck.pop(rng.randrange(len(game.deck)))


def other_space(game: HarmoniesKernels, rng: random.Random) -> None:
    other_token(rng.choice(game.spaces), game.bag, rng)


def other_hand(game: HarmoniesKernels, rng: random.Random) -> None:
    other_token(game.in_hand, game.bag, rng)


def other_token(tokens: list[str], bag: list[str], rng: random.Random) -> None:
    """A token of another colour, from the bag; the one that it replaces goes there."""
    others = [k for k, colour in enumerate(bag) if tokens and colour != tokens[-1]]
    if others:
        k = rng.choice(others)
        tokens[-1], bag[k] = bag[k], tokens[-1]


def other_bag(game: HarmoniesKernels, rng: random.Random) -> None:
    if game.bag:
        k = rng.randrange(len(game.bag))
        game.bag[k] = rng.choice([colour for colour in TOKENS if colour != game.bag[k]])


def other_turn(game: HarmoniesKernels, rng: random.Random) -> None:
    game.to_play = (game.to_play + 1) % game.num_players


def other_first_player(game: HarmoniesKernels, rng: random.Random) -> None:
    game.first_player = (game.first_player + 1) % game.num_players


def one_more_turn(game: HarmoniesKernels, rng: random.Random) -> None:
    anybody(game, rng).turns += 1


def last_round_or_not(game: HarmoniesKernels, rng: random.Random) -> None:
    game.last_round = not game.last_round


def over_or_not(game: HarmoniesKernels, rng: random.Random) -> None:
    game.over = not game.over


def card_taken_or_not(game: HarmoniesKernels, rng: random.Random) -> None:
    game.card_taken = not game.card_taken


def discard_or_not(game: HarmoniesKernels, rng: random.Random) -> None:
    if game.num_players == 1:
        game.may_discard = not game.may_discard


def other_spirit(game: HarmoniesKernels, rng: random.Random) -> None:
    """Of the two dealt, a player has kept the other one."""
    player = anybody(game, rng)
    if player.spirit:
        kept = next(held for held in player.cards() if held.card == player.spirit)
        (player.spirit,) = set(player.spirits_seen) - {player.spirit}
        kept.card = player.spirit


def other_spirit_dealt(game: HarmoniesKernels, rng: random.Random) -> None:
    """The one that a player didn't keep, or hasn't kept yet, is another."""
    player = anybody(game, rng)
    dealt = {card for other in game.players for card in other.spirits_seen}
    free = sorted(set(SPIRITS) - dealt)
    if player.spirits_seen:
        k = next(k for k, card in enumerate(player.spirits_seen) if card != player.spirit)
        player.spirits_seen[k] = rng.choice(free)
        if player.spirits_dealt:
            player.spirits_dealt = list(player.spirits_seen)


def next_decision(game: HarmoniesKernels, rng: random.Random) -> None:
    """One of those that are legal was taken."""
    legal = game.legal_decisions()
    if legal:
        game.play(rng.choice(legal))


CHANGES = (
    other_stack,
    other_cube,
    other_card,
    other_order_of_cards,
    one_more_cube_settled,
    one_more_completed,
    other_card_shown,
    other_deck,
    other_space,
    other_hand,
    other_bag,
    other_turn,
    other_first_player,
    one_more_turn,
    last_round_or_not,
    over_or_not,
    card_taken_or_not,
    discard_or_not,
    other_spirit,
    other_spirit_dealt,
    next_decision,
    next_decision,
)
