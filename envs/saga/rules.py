"""The rules of Saga as kernels on one record: setting up, playing, conquering.

Moving cards is in ``cards.py``, legal actions in ``legal.py``, the final score in ``scoring.py``.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit, write_set
from ..core.jit import kernel
from ..core.rewards import rank_in_place
from ..core.rng import below, draw_below, shuffle
from ..core.state import begin, clear_from, seat_after
from .actions import (
    ADD,
    CARD,
    DOWN,
    HIDDEN,
    NEW,
    NUM_ACTIONS,
    PASS,
    RECRUIT,
    STRENGTHEN,
    TAKE_DEFENCE,
    TAKE_FORCE,
    TURN_UP,
)
from .cards import (
    add_down,
    add_open,
    defend,
    drop_force,
    find_down,
    free_card,
    gain_card,
    leave_defence,
    lose_card,
    recruit_card,
    recruits_of,
    remove_down,
    remove_open,
    rule_out,
    turn_up,
    update_strength,
)
from .components import (
    ADD_LAST,
    CASTLELAND,
    COLOUR_OF,
    FACE_DOWN,
    FIRST_GAME,
    FREE_RECRUIT,
    MAX_FAME,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    NUM_VALUES,
    PACK_SIZE,
    SEALAND,
    SHADOWLAND,
    VALUE_OF,
)
from .legal import FIRST_EXTRA, find_legal, only_pass
from .options import (
    MIXED,
    OPTION_DEAL,
    OPTION_KINGDOMS,
    OPTION_PACKS,
    OPTION_PACKS_KNOWN,
    OPTION_RETAKE,
    OPTION_SIDES,
    PER_KINGDOM,
)
from .scoring import kingdom_points, table_points, total_points
from .state import (
    CENTRE,
    EXTRAS,
    FIRST_BYTE,
    FREE_KNIGHTS,
    LAST_CARD,
    LAST_KNIGHT,
    MAX_PLIES,
    NO_TARGET,
    PLACES,
    PLACING,
    RECRUITING,
    SEEN_CARDS,
    TAKING,
    TURN,
    TURNING,
    UNSEEN_CARDS,
)

_NO_CHOICE = -1


@kernel
def setup(state, seed, options):
    """Turn the kingdoms, deal packs and defenders, draw the first player (Mise en place)."""
    num_players = options[0]
    begin(state, seed, num_players)
    _clear(state)
    _read_options(state, num_players, options)
    _draw_packs(state, num_players, options[OPTION_DEAL] == 1)
    if options[OPTION_DEAL] == 1:
        for kingdom in range(NUM_KINGDOMS):
            defend(state, kingdom, FIRST_GAME[kingdom, 0])
            defend(state, kingdom, FIRST_GAME[kingdom, 1])
    else:
        _deal_defenders(state, np.int64(state["pack"][num_players]))
    for kingdom in range(NUM_KINGDOMS):
        update_strength(state, kingdom)
    for seat in range(num_players):
        deal_pack(state, seat, np.int64(state["pack"][seat]))
    first = draw_below(state, num_players)
    state["first_player"] = first
    _begin_turn(state, first)


@kernel
def clear_table(states, i):
    """Empty the table of ``states[i]`` and all hands; players, options and chance stay."""
    state = states[i]
    first = state["first_player"]
    begin(state, state["seed"], state["num_players"])
    _clear(state)
    state["first_player"] = first
    _start_turn(state, 0)


@kernel
def _clear(state):
    clear_from(state, FIRST_BYTE)
    state["shown"] = 0
    state["chosen"] = _NO_CHOICE
    state["owner"][:] = CENTRE
    state["target"][:] = NO_TARGET


@kernel
def _read_options(state, num_players, options):
    state["at_once"] = options[OPTION_RETAKE] == 0
    state["powers"] = 0
    for kingdom in range(NUM_KINGDOMS):
        side = options[OPTION_SIDES + kingdom]
        if side == MIXED:
            side = draw_below(state, 2)
        at = OPTION_KINGDOMS + kingdom * PER_KINGDOM
        state["side"][kingdom] = side
        state["income"][kingdom] = options[at]
        state["powers"] |= options[at + 1 + side]
    from_setup = options[OPTION_PACKS_KNOWN] == 0
    state["shown"] = (1 << num_players) - 1 if from_setup else 0
    # Backs matter if cards may be laid face down.
    state["backs"] = from_setup and state["powers"] & FACE_DOWN != 0
    state["contents"][:] = 0
    for k in range(NUM_PACKS * PACK_SIZE):
        state["contents"][k // PACK_SIZE, options[OPTION_PACKS + k]] += 1


@kernel
def _draw_packs(state, num_players, first_game):
    """Draw the pack of each seat and of the centre, which is the castle's in the first game."""
    for pack in range(NUM_PACKS):
        state["pack"][pack] = NUM_PACKS - 1 - pack
    if first_game:
        shuffle(state, state["pack"], NUM_PACKS - 1)
        state["pack"][NUM_PACKS - 1] = state["pack"][num_players]
        state["pack"][num_players] = 0
    else:
        shuffle(state, state["pack"], NUM_PACKS)


@kernel
def _deal_defenders(state, pack):
    """Turn over a pack: to each kingdom a first card of its colour, then a second of another.

    The spare cards are shuffled. If one is dealt to its own colour, all are dealt again, so all
    layouts are equally likely.
    """
    cards = state["free"]  # used as scratch: no knights are free yet
    while not _turn_over(state, pack, cards):
        pass
    for kingdom in range(NUM_KINGDOMS):
        defend(state, kingdom, np.int64(cards[PACK_SIZE + kingdom]))
        defend(state, kingdom, np.int64(cards[kingdom]))
    cards[:] = 0


@kernel
def _turn_over(state, pack, cards):
    """Fill ``cards``: seconds of the kingdoms, from ``PACK_SIZE`` on firsts; return if they fit."""
    count = 0
    for knight in range(NUM_KNIGHTS):
        for _ in range(np.int64(state["contents"][pack, knight])):
            cards[count] = knight
            count += 1
    shuffle(state, cards, PACK_SIZE)
    led = 0
    spare = 0
    for k in range(PACK_SIZE):
        knight = np.int64(cards[k])
        colour = np.int64(COLOUR_OF[knight])
        if led >> colour & 1:
            cards[spare] = knight
            spare += 1
        else:
            cards[PACK_SIZE + colour] = knight
        led |= 1 << colour
    shuffle(state, cards, spare)
    own = False
    for kingdom in range(NUM_KINGDOMS):
        own |= COLOUR_OF[cards[kingdom]] == kingdom
    return not own


@kernel
def deal_pack(state, seat, pack):
    """Make a pack the hand of a seat."""
    held = 0
    for knight in range(NUM_KNIGHTS):
        count = np.int64(state["contents"][pack, knight])
        state["hand"][seat, knight] = count
        held |= np.int64(count > 0) << knight
    state["held"][seat] = held
    state["hand_size"][seat] = PACK_SIZE


# Playing


@kernel
def step(state, action):
    """Play a legal action and its forced consequences."""
    seat = np.int64(state["to_play"])
    state["ply"] += 1
    if action >= CARD:
        _choose_card(state, seat, (action - CARD) % NUM_CARDS, action >= HIDDEN)
    elif action >= RECRUIT:
        _recruit(state, seat, action - RECRUIT)
    elif action == PASS:
        _pass(state)
    elif action >= TURN_UP:
        _choose_down(state, seat, action)
    else:
        _choose_place(state, action)
    if state["ply"] >= MAX_PLIES and not state["terminated"]:
        state["truncated"] = True


@kernel
def _choose_place(state, action):
    state["chosen"] = action
    if action >= TAKE_FORCE:
        state["phase"] = TAKING
    elif state["phase"] == LAST_CARD:
        state["phase"] = LAST_KNIGHT
    else:
        state["phase"] = PLACING
    find_legal(state)


@kernel
def _choose_card(state, seat, card, hidden):
    chosen = np.int64(state["chosen"])
    state["chosen"] = _NO_CHOICE
    if state["phase"] == PLACING:
        _play_card(state, seat, chosen, card)
    elif state["phase"] == TAKING:
        _take_back(state, seat, chosen, card, hidden)
    elif state["phase"] == TURNING:
        slot = chosen - TURN_UP
        _turn_up(state, seat, find_down(state, seat, slot, card))
    else:
        _add_last(state, seat, chosen, card)


@kernel
def _play_card(state, seat, chosen, card):
    """Play the card of the turn (Jouer une carte chevalier); the last one ends the game."""
    slot = -1
    if chosen >= DOWN:
        add_down(state, seat, chosen - DOWN, card)
        state["fresh"] = True
        state["used"] |= 1 << SEALAND  # its card is turned around, as Shadowland's
    lose_card(state, seat, card)
    if chosen < ADD:
        slot = np.int64(state["num_forces"][seat]) if chosen == NEW else chosen - STRENGTHEN
        add_open(state, seat, slot, card)
    elif chosen < DOWN:
        defend(state, SHADOWLAND, card)
        update_strength(state, SHADOWLAND)
        state["used"] |= 1 << SHADOWLAND
    rule_out(state, seat, card)  # nothing, for a face-down card
    state["shown"] |= 1 << seat
    state["played"] = True
    state["ending"] = state["hand_size"][seat] == 0
    if slot >= 0:
        _attack(state, seat, slot)
    _go_on(state)


@kernel
def _take_back(state, seat, chosen, card, hidden):
    """Fieldland: take a card back into the hand; the kingdom may be lost (Récupérer 1 carte)."""
    state["took"] = True
    gain_card(state, seat, card)
    if chosen >= TAKE_DEFENCE:
        kingdom = chosen - TAKE_DEFENCE
        leave_defence(state, kingdom, card)
        update_strength(state, kingdom)
        _waiting_forces_attack(state, kingdom)
    elif hidden:
        remove_down(state, seat, find_down(state, seat, chosen - TAKE_FORCE, card))
    else:
        slot = chosen - TAKE_FORCE
        led = np.int64(state["target"][seat, slot]) == COLOUR_OF[card]
        if remove_open(state, seat, slot, np.int64(COLOUR_OF[card])) and led:
            # Another card leads now, maybe against a kingdom that is weaker than the force.
            _attack(state, seat, slot)
    _go_on(state)


@kernel
def _choose_down(state, seat, action):
    """Turn a face-down card up; ask which if the force has several from earlier turns."""
    slot = action - TURN_UP
    ripe = np.int64(state["num_down"][seat]) - np.int64(state["fresh"])
    count = 0
    for j in range(ripe):
        count += state["down_slot"][seat, j] == slot
    if count > 1:
        state["chosen"] = action
        state["phase"] = TURNING
        find_legal(state)
    else:
        _turn_up(state, seat, find_down(state, seat, slot, -1))


@kernel
def _turn_up(state, seat, j):
    slot = np.int64(state["down_slot"][seat, j])
    turn_up(state, seat, j)
    _attack(state, seat, slot)
    _go_on(state)


@kernel
def _recruit(state, seat, knight):
    """Recruit a free knight (Recruter un chevalier disponible, 1 Recrutement gratuit)."""
    recruit_card(state, seat, knight)
    if state["phase"] == RECRUITING:
        _after_free_recruit(state)
    else:
        state["fame"][seat] -= VALUE_OF[knight]
        state["recruited"] = True
        _go_on(state)


@kernel
def _pass(state):
    if state["phase"] == RECRUITING:
        _after_free_recruit(state)
    elif state["phase"] == LAST_CARD:
        _finish(state)
    else:
        _begin_turn(state, seat_after(state, state["turn_of"], 1))


# Conquests


@kernel
def _attack(state, seat, slot):
    """Conquer if the force is stronger than the kingdom that it names (Conquérir un royaume)."""
    kingdom = np.int64(state["target"][seat, slot])
    if kingdom < 0:
        return
    owner = np.int64(state["owner"][kingdom])
    if owner != seat and state["total"][seat, slot] > state["strength"][kingdom]:
        _conquer(state, seat, slot, kingdom)
        if state["at_once"] and state["phase"] != RECRUITING:
            _waiting_forces_attack(state, kingdom)


@kernel
def _waiting_forces_attack(state, kingdom):
    """Let the strongest force that waits at a seat's kingdom conquer it.

    If several are equally strong, it is that of the first seat clockwise after the owner. With
    ``at_once``, the previous owner may have a waiting force that conquers it back.
    """
    while True:
        owner = np.int64(state["owner"][kingdom])
        best = np.int64(state["strength"][kingdom])
        winner = -1
        best_slot = 0
        for ahead in range(1, state["num_players"]):
            seat = seat_after(state, owner, ahead)
            for slot in range(state["num_forces"][seat]):
                if state["target"][seat, slot] == kingdom:
                    total = np.int64(state["total"][seat, slot])
                    if total > best:
                        best = total
                        winner = seat
                        best_slot = slot
        if winner < 0:
            return
        _conquer(state, winner, best_slot, kingdom)
        if not state["at_once"] or state["phase"] == RECRUITING:
            return


@kernel
def _conquer(state, seat, slot, kingdom):
    """Make a force the defence of a kingdom; its old knights are freed or return to a hand."""
    owner = np.int64(state["owner"][kingdom])
    recruits = np.int64(state["recruits"][kingdom])
    for colour in range(NUM_COLOURS):
        value = np.int64(state["defence"][kingdom, colour])
        if value:
            knight = colour * NUM_VALUES + value - 1
            if owner == CENTRE:
                free_card(state, knight)
            else:
                gain_card(state, owner, knight + (recruits >> colour & 1) * NUM_KNIGHTS)
    # Face-down cards of the force are turned up, last first, so the others keep their places.
    for j in range(np.int64(state["num_down"][seat]) - 1, -1, -1):
        if state["down_slot"][seat, j] == slot:
            turn_up(state, seat, j)
    for colour in range(NUM_COLOURS):
        state["defence"][kingdom, colour] = state["attack"][seat, slot, colour]
    state["recruits"][kingdom] = recruits_of(np.int64(state["order"][seat, slot]))
    drop_force(state, seat, slot)
    update_strength(state, kingdom)
    state["owner"][kingdom] = seat
    state["used"] &= ~(1 << kingdom)
    if kingdom == CASTLELAND and state["powers"] & FREE_RECRUIT and state["free_knights"]:
        state["phase"] = RECRUITING
        state["to_play"] = seat


@kernel
def _after_free_recruit(state):
    state["phase"] = TURN
    if state["at_once"]:
        _waiting_forces_attack(state, CASTLELAND)
    _go_on(state)


# Turns


@kernel
def _go_on(state):
    """Continue the turn, start the next one if only passing is left, or end the game."""
    if state["phase"] != RECRUITING:
        state["phase"] = TURN
        state["to_play"] = state["turn_of"]
        if state["ending"]:
            _end(state)
            return
    find_legal(state)
    if state["phase"] == TURN and only_pass(state):
        _begin_turn(state, seat_after(state, state["turn_of"], 1))


@kernel
def _begin_turn(state, seat):
    """Begin a turn with the income of the seat's kingdoms (Piocher des points de renommée)."""
    _start_turn(state, seat)
    for kingdom in range(NUM_KINGDOMS):
        if state["owner"][kingdom] == seat:
            fame = np.int64(state["fame"][seat]) + state["income"][kingdom]
            state["fame"][seat] = min(fame, MAX_FAME)
    find_legal(state)


@kernel
def _start_turn(state, seat):
    state["to_play"] = seat
    state["turn_of"] = seat
    state["phase"] = TURN
    state["played"] = False
    state["recruited"] = False
    state["took"] = False
    state["fresh"] = False


@kernel
def _end(state):
    """End the game, once Shadowland's owner has added a card if it can (Fin du jeu)."""
    owner = np.int64(state["owner"][SHADOWLAND])
    if state["powers"] & ADD_LAST and owner != CENTRE and state["hand_size"][owner] > 0:
        state["phase"] = LAST_CARD
        state["to_play"] = owner
        find_legal(state)
        if not only_pass(state):
            return
    _finish(state)


@kernel
def _add_last(state, seat, chosen, card):
    """Shadowland: add a card to a force when the game is over; it conquers nothing."""
    lose_card(state, seat, card)
    if chosen >= ADD:
        defend(state, chosen - ADD, card)
        update_strength(state, chosen - ADD)
    else:
        add_open(state, seat, chosen - STRENGTHEN, card)
    rule_out(state, seat, card)
    _finish(state)


@kernel
def _finish(state):
    state["terminated"] = True
    find_legal(state)


@kernel
def legal_actions(state, mask):
    """Fill the int8 mask ``(230,)`` with 1 for each legal action; return how many there are."""
    places = state["legal"][PLACES]
    extras = state["legal"][EXTRAS]
    free = state["legal"][FREE_KNIGHTS]
    seen = state["legal"][SEEN_CARDS]
    unseen = state["legal"][UNSEEN_CARDS]
    write_set(places, FIRST_EXTRA, mask, 0)
    write_set(extras, RECRUIT - FIRST_EXTRA, mask, FIRST_EXTRA)
    write_set(free, NUM_KNIGHTS, mask, RECRUIT)
    write_set(seen, NUM_CARDS, mask, CARD)
    write_set(unseen, NUM_CARDS, mask, HIDDEN)
    upto_extras = count_bits(places) + count_bits(extras)
    return upto_extras + count_bits(free) + count_bits(seen) + count_bits(unseen)


@kernel
def is_legal(state, action):
    """Return whether an action number 0..229 is legal."""
    if action < FIRST_EXTRA:
        return state["legal"][PLACES] >> action & 1 == 1
    if action < RECRUIT:
        return state["legal"][EXTRAS] >> action - FIRST_EXTRA & 1 == 1
    if action < CARD:
        return state["legal"][FREE_KNIGHTS] >> action - RECRUIT & 1 == 1
    if action < HIDDEN:
        return state["legal"][SEEN_CARDS] >> action - CARD & 1 == 1
    return state["legal"][UNSEEN_CARDS] >> action - HIDDEN & 1 == 1


@kernel
def random_action(state, word):
    """Return the ``below(word, count)``-th legal action in ascending order; -1 if none is."""
    legal = state["legal"]
    upto_places = count_bits(legal[PLACES])
    upto_extras = upto_places + count_bits(legal[EXTRAS])
    upto_free = upto_extras + count_bits(legal[FREE_KNIGHTS])
    upto_seen = upto_free + count_bits(legal[SEEN_CARDS])
    count = upto_seen + count_bits(legal[UNSEEN_CARDS])
    if count == 0:
        return -1
    k = below(word, count)
    if k < upto_places:
        return select_bit(legal[PLACES], k)
    if k < upto_extras:
        return FIRST_EXTRA + select_bit(legal[EXTRAS], k - upto_places)
    if k < upto_free:
        return RECRUIT + select_bit(legal[FREE_KNIGHTS], k - upto_extras)
    if k < upto_seen:
        return CARD + select_bit(legal[SEEN_CARDS], k - upto_free)
    return HIDDEN + select_bit(legal[UNSEEN_CARDS], k - upto_seen)


@kernel
def returns(state, scores, ranks):
    """Fill scores and ranks (Fin du jeu); in mid-game, as if it ended now. Ties are shared."""
    num_players = np.int64(state["num_players"])
    for seat in range(num_players):
        points = total_points(state, seat)
        scores[seat] = points
        ranks[seat] = points
    rank_in_place(ranks, num_players)


@kernel
def points_by_category(state, seat, out):
    """Fill a seat's points by ``CATEGORIES`` as if the game ended now; the hand's are negative.

    Powers that count at the end, such as Fieldland's bonus, are a category of their own.
    """
    fame = np.int64(state["fame"][seat])
    kingdoms = kingdom_points(state, seat)
    on_table = table_points(state, seat)
    out[0] = fame
    out[1] = kingdoms
    out[2] = on_table - fame - kingdoms
    out[3] = total_points(state, seat) - on_table


assert RECRUIT == PASS + 1 and CARD == RECRUIT + NUM_KNIGHTS
assert HIDDEN == CARD + NUM_CARDS and HIDDEN + NUM_CARDS == NUM_ACTIONS
assert LAST_CARD > RECRUITING and TURN == 0
