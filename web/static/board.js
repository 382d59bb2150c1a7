// The board: shows what a seat sees of a table, and turns clicks, touches and keys into moves.
//
// It has two hosts: a page calls `mount(el, transport)`, a notebook `render({ model, el })` (the
// default export, as anywidget wants it). A transport has `send(message)`; the board sets its
// `onmessage(message)` and `onstatus(text)`. The messages are described in web/guest.py.

const NS = "http://www.w3.org/2000/svg";
const STEP_MS = 700; // between moves that come faster than they can be followed
const PLAY_MS = 1100; // between positions of a game that plays by itself
const MOST_WAITING = 6; // moves that are shown one by one; more are skipped
const TAP_WIDTH = 860; // on a screen narrower than this, pictures are at least so wide
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const begins = (move, parts) => parts.every((part, k) => move[k] === part);
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function make(tag, parent, properties = {}, attributes = {}) {
  const node = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent?.append(node);
  return node;
}

class Board {
  constructor(el, transport) {
    this.transport = transport;
    this.frames = new Map(); // frame number -> view
    this.waiting = []; // views that are still to be shown, one after the other
    this.count = 0; // frames that there are
    this.age = -1;
    this.view = null; // what is shown
    this.chosen = []; // the parts of a move that were clicked so far
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.build(el);
    transport.onmessage = (message) => this.receive(message);
    transport.onstatus = (text) => this.warn(text);
  }

  build(el) {
    this.el = make("div", el, { className: "ludo", board: this });
    this.head = make("div", this.el, { className: "ludo-head" });
    this.seats = make("ul", this.head, { className: "ludo-seats" }, { "aria-label": "players" });
    this.status = make("p", this.el, { className: "ludo-status" },
      { role: "status", "aria-live": "polite" });
    this.alarm = make("p", this.el, { className: "ludo-alarm", hidden: true }, { role: "alert" });
    this.stage = make("div", this.el, { className: "ludo-stage", tabIndex: -1 });
    this.stage.addEventListener("click", (event) => this.clicked(event.target));
    this.stage.addEventListener("keydown", (event) => this.typed(event));
    this.bar = make("div", this.el, { className: "ludo-bar" });
    this.buttons = {};
    const eyes = make("label", this.head, { className: "ludo-eyes", textContent: "show " });
    this.eyes = make("select", eyes);
    this.eyes.addEventListener("change", () => {
      this.age = -1; // all frames are others now
      this.transport.send({ do: "look", seat: Number(this.eyes.value) });
    });
    const steps = make("div", this.bar, { className: "ludo-group" });
    this.button(steps, "first", "|◀", "first position", () => this.go(0));
    this.button(steps, "back", "◀", "one position back", () => this.go(this.at - 1));
    this.slider = make("input", steps, { type: "range", min: 0, value: 0 },
      { "aria-label": "position" });
    this.slider.addEventListener("change", () => this.go(Number(this.slider.value)));
    this.button(steps, "on", "▶", "one position on", () => this.forward());
    this.button(steps, "last", "▶|", "newest position", () => this.go(this.count - 1));
    this.button(steps, "play", "Play", "let the game play by itself", () => this.toggle());
    const deeds = make("div", this.bar, { className: "ludo-group" });
    this.button(deeds, "undo", "Take back", "take back your last move", () => this.ask("undo"));
    this.button(deeds, "again", "New game", "a new game, same seats", () => this.ask("again"));
    this.button(deeds, "save", "Save", "save the game as a replay",
      () => this.transport.send({ do: "save" }));
    this.button(deeds, "closer", "+", "larger picture", () => this.zoom(this.scale * 1.3));
    this.button(deeds, "wider", "−", "smaller picture", () => this.zoom(this.scale / 1.3));
    this.mind = make("section", this.el, { className: "ludo-mind", hidden: true },
      { "aria-label": "what the agent thinks" });
    this.list = this.fold("Moves", "ludo-moves");
    this.rules = this.fold("Rules in short", "ludo-rules");
    this.scale = 1;
  }

  button(parent, name, text, label, work) {
    const node = make("button", parent, { type: "button", textContent: text, title: label },
      { "aria-label": label, "data-button": name });
    node.addEventListener("click", work);
    this.buttons[name] = node;
  }

  fold(title, className) {
    const details = make("details", this.el, { className });
    make("summary", details, { textContent: title });
    return make("ul", details);
  }

  // What comes in

  receive(message) {
    if (message.kind === "table") this.sit(message);
    else if (message.kind === "view") this.take(message);
    else if (message.kind === "mind") this.think(message);
    else if (message.kind === "file") this.download(message);
    else if (message.kind === "error") this.fail(message.text);
  }

  sit(table) {
    this.table = table;
    this.warn("");
    this.el.dataset.game = table.game;
    this.seats.replaceChildren(...table.seats.map((seat) => {
      const chip = make("li", null);
      make("span", chip, { className: "ludo-name", textContent: seat.name });
      make("span", chip, { className: "ludo-who", textContent: seat.who });
      make("b", chip, { className: "ludo-points" });
      return chip;
    }));
    this.eyes.parentNode.hidden = !table.chooses;
    this.eyes.replaceChildren(new Option("everything", -1),
      ...table.seats.map(({ name }, seat) => new Option(`what ${name} sees`, seat)));
    this.eyes.value = table.seat ?? -1;
    this.rules.replaceChildren(...table.rules.map((text) => make("li", null, { textContent: text })));
    this.rules.parentNode.hidden = !table.rules.length;
  }

  take(view) {
    const anew = view.age !== this.age;
    if (anew) {
      this.age = view.age;
      this.frames.clear();
      this.waiting = [];
      this.count = 0;
    }
    const live = anew || !this.view || this.at === this.count - 1;
    const known = view.frame < this.count;
    this.frames.set(view.frame, view);
    this.count = Math.max(this.count, view.frames);
    if (anew) this.show(view);
    else if (this.wanted === view.frame) this.show(view);
    else if (known && view.frame !== this.at) this.update();
    else if (known) this.show(view, true);
    else if (live || this.waiting.length) this.queue(view);
    else this.update();
  }

  async queue(view) {
    this.waiting.push(view);
    if (this.waiting.length > 1) return;
    while (this.waiting.length) {
      if (this.waiting.length > MOST_WAITING) this.waiting.splice(0, this.waiting.length - 2);
      const next = this.waiting[0];
      this.show(next);
      if (!this.calm.matches) await new Promise((done) => setTimeout(done, STEP_MS));
      if (this.waiting[0] === next) this.waiting.shift();
    }
  }

  fail(text) {
    this.warn(text);
    this.pending = false;
    this.chosen = [];
    if (this.view) this.mark();
  }

  warn(text) {
    this.alarm.textContent = text;
    this.alarm.hidden = !text;
  }

  download({ name, text }) {
    const url = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    make("a", null, { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  // Showing a position

  get at() {
    return this.view ? this.view.frame : -1;
  }

  get focused() {
    return this.stage.contains(this.stage.getRootNode().activeElement);
  }

  show(view, still = false) {
    const { focused } = this;
    const before = this.svg;
    const moved = !still && this.view && view.frame === this.at + 1;
    this.view = view;
    this.wanted = null;
    this.chosen = [];
    this.pending = false;
    const parsed = new DOMParser().parseFromString(view.svg, "image/svg+xml").documentElement;
    this.svg = document.importNode(parsed, true);
    for (const name of ["width", "height"]) this.svg.removeAttribute(name);
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", `${this.table.title}, the board`);
    this.stage.replaceChildren(this.svg);
    this.under = null;
    if (moved && before && !this.calm.matches) this.animate(before, view.trace);
    if (!before) this.zoom(this.stage.clientWidth < 640 ? TAP_WIDTH / this.stage.clientWidth : 1);
    this.mark();
    this.update();
    if (focused) (this.spots[0] || this.stage).focus({ preventScroll: true });
    if (view.yours && this.scale > 1) this.reveal();
    this.consider();
  }

  // Whatever is new fades in; what was moved flies from where it was.
  animate(before, trace) {
    const old = new Set([...before.children].map((node) => node.outerHTML));
    for (const node of this.svg.children) {
      if (node.tagName !== "defs" && !old.has(node.outerHTML)) node.classList.add("ludo-fresh");
    }
    if (!trace.length) return;
    const ghost = document.createElementNS(NS, "g");
    ghost.setAttribute("class", "ludo-ghost");
    const outlines = trace.map((d) => {
      const path = document.createElementNS(NS, "path");
      path.setAttribute("d", d);
      return path;
    });
    this.svg.append(ghost);
    ghost.append(...outlines);
    const [from, to] = [outlines[0], outlines.at(-1)].map((path) => path.getBBox());
    const right = to.x + to.width / 2 - from.x - from.width / 2;
    const down = to.y + to.height / 2 - from.y - from.height / 2;
    for (const path of outlines.slice(1)) path.remove();
    if (right || down) {
      const id = `ludo-${Math.random().toString(36).slice(2)}`;
      const clip = document.createElementNS(NS, "clipPath");
      clip.id = id;
      clip.append(outlines[0]);
      const piece = document.createElementNS(NS, "g");
      piece.setAttribute("clip-path", `url(#${id})`);
      piece.append(...[...before.children].filter((node) => !node.matches(".spots, .ludo-minds")));
      ghost.append(clip, piece);
    }
    const frames = [{ transform: "none" }, { transform: `translate(${right}px, ${down}px)` }];
    const flight = ghost.animate(right || down ? frames : [{ opacity: 0.9 }, { opacity: 0 }],
      { duration: 450, easing: "ease-in-out" });
    flight.onfinish = flight.oncancel = () => ghost.remove();
  }

  update() {
    const { view, buttons } = this;
    if (!view) return;
    const newest = this.at === this.count - 1;
    const alone = this.table.seats.filter((seat) => ["you", "person"].includes(seat.who)).length === 1;
    const { watching } = this.table;
    this.el.classList.toggle("ludo-yours", view.yours && newest);
    [...this.seats.children].forEach((chip, seat) => {
      chip.classList.toggle("ludo-turn", seat === view.to_play);
      chip.classList.toggle("ludo-won", view.result.some((row) => row.seat === seat && row.rank === 1));
      if (seat === view.to_play) chip.setAttribute("aria-current", "true");
      else chip.removeAttribute("aria-current");
      const row = view.result.find((result) => result.seat === seat);
      chip.querySelector(".ludo-points").textContent = row ? row.points : view.points[seat];
    });
    this.slider.max = this.count - 1;
    this.slider.value = this.at;
    buttons.first.disabled = buttons.back.disabled = this.at <= 0;
    buttons.last.disabled = newest;
    buttons.on.disabled = newest && !this.grows();
    buttons.play.hidden = !watching;
    buttons.play.textContent = this.playing ? "Pause" : "Play";
    buttons.undo.hidden = buttons.again.hidden = !alone || watching;
    buttons.undo.disabled = !newest || !view.undo;
    buttons.save.hidden = !(view.over || watching);
    const text = this.told();
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  // Whether the agents that are watched go on when they are asked to.
  grows() {
    return this.table.watching && this.table.live && !this.frames.get(this.count - 1)?.over;
  }

  told() {
    const { view, table } = this;
    const words = view.words ? `${view.words}. ` : "";
    if (this.at < this.count - 1) return `${words}Position ${this.at + 1} of ${this.count}.`;
    if (view.over) return `${words}The game is over: ${this.outcome()}.`;
    if (view.yours && this.chosen.length) return "And where? Choose a highlighted place.";
    if (view.yours) return `${words}Your turn: choose a highlighted place.`;
    if (view.to_play === null) return `${words}Waiting for the others.`;
    const seat = table.seats[view.to_play];
    return `${words}${seat.name} (${seat.who}) is to play.`;
  }

  outcome() {
    const { result } = this.view;
    const alone = result.length === 1;
    if (alone) {
      return `${result[0].points} points, the goal is ${result[0].rank === 1 ? "" : "not "}reached`;
    }
    const first = result.filter((row) => row.rank === 1);
    const names = first.map((row) => (row.seat === this.table.seat ? "you" : `player_${row.seat}`));
    const won = names.length > 1 ? "share the victory" : names[0] === "you" ? "win" : "wins";
    return `${names.join(" and ")} ${won} with ${first[0].points} points`;
  }

  // Stepping

  go(frame) {
    if (frame < 0 || frame >= this.count) return;
    this.waiting = [];
    const view = this.frames.get(frame);
    if (view) {
      this.show(view);
    } else {
      this.wanted = frame;
      this.transport.send({ do: "frame", at: frame });
    }
  }

  forward() {
    if (this.at < this.count - 1) this.go(this.at + 1);
    else if (this.grows()) this.transport.send({ do: "next" });
  }

  toggle() {
    clearInterval(this.playing);
    this.playing = this.playing ? null : setInterval(() => {
      if (this.at === this.count - 1 && !this.grows()) this.toggle();
      else this.forward();
    }, PLAY_MS);
    this.update();
  }

  // Choosing a move

  moves() {
    return this.view.yours && this.at === this.count - 1 && !this.pending ? this.view.moves : [];
  }

  fitting(parts) {
    const on = [...this.chosen, ...parts];
    const fits = this.moves().filter(([, move]) => begins(move, on));
    if (fits.length || !this.chosen.length) return { fits, clicked: on, anew: false };
    return { fits: this.moves().filter(([, move]) => begins(move, parts)), clicked: parts, anew: true };
  }

  mark() {
    this.spots = [];
    const above = this.covered();
    for (const path of this.svg.querySelectorAll("[data-place]")) {
      const parts = JSON.parse(path.dataset.place);
      const { fits, anew } = this.fitting(parts);
      path.classList.toggle("ludo-legal", fits.length > 0 && !anew);
      path.classList.toggle("ludo-anew", fits.length > 0 && anew);
      path.classList.toggle("ludo-under", above.has(path));
      path.classList.toggle("ludo-chosen",
        this.chosen.length > 0 && parts.length <= this.chosen.length && begins(this.chosen, parts));
      for (const name of ["tabindex", "role", "aria-label"]) path.removeAttribute(name);
      path.replaceChildren();
      if (!fits.length) continue;
      const texts = fits.map(([, , text]) => text);
      const label = texts.length > 4 ? `${texts.slice(0, 3).join(", ")} and ${texts.length - 3} more`
        : texts.join(", ");
      path.setAttribute("role", "button");
      path.setAttribute("aria-label", label);
      path.setAttribute("tabindex", "-1");
      const title = document.createElementNS(NS, "title");
      title.textContent = label;
      path.append(title);
      if (!anew && !above.has(path)) this.spots.push(path);
    }
    this.spots.sort((a, b) => this.middle(a)[1] - this.middle(b)[1] || this.middle(a)[0] - this.middle(b)[0]);
    this.spots[0]?.setAttribute("tabindex", "0");
    this.listMoves();
  }

  // The shapes below another of the same place, as a circle below its stack: one of them is marked.
  covered() {
    if (this.under) return this.under;
    this.under = new Set();
    const tops = new Map();
    for (const path of [...this.svg.querySelectorAll("[data-place]")].reverse()) {
      const box = path.getBBox();
      const same = tops.get(path.dataset.place) || [];
      const meets = (top) => box.x < top.x + top.width && top.x < box.x + box.width
        && box.y < top.y + top.height && top.y < box.y + box.height;
      if (same.some(meets)) this.under.add(path);
      tops.set(path.dataset.place, [...same, box]);
    }
    return this.under;
  }

  listMoves() {
    const moves = this.moves();
    this.list.parentNode.hidden = !moves.length;
    this.list.previousElementSibling.textContent = `Moves: ${plural(moves.length, "possibility")}`
      .replace("possibilitys", "possibilities");
    this.list.replaceChildren(...moves.map(([action, , text]) => {
      const item = make("li", null);
      const button = make("button", item, { type: "button", textContent: text });
      button.addEventListener("click", () => this.act(action));
      return item;
    }));
  }

  clicked(target) {
    const path = target.closest?.("[data-place]");
    if (!path || !this.view) {
      this.unchoose();
      return;
    }
    const { fits, clicked } = this.fitting(JSON.parse(path.dataset.place));
    const whole = fits.length === 1 && fits[0][1].length === clicked.length;
    if (whole) {
      this.act(fits[0][0]);
      return;
    }
    const { focused } = this;
    this.chosen = fits.length ? clicked : [];
    this.mark();
    this.update();
    if (focused && this.spots.length) this.spots[0].focus({ preventScroll: true });
  }

  unchoose() {
    if (!this.chosen.length) return;
    this.chosen = [];
    this.mark();
    this.update();
  }

  act(action) {
    this.warn("");
    this.pending = true;
    // What has the keys now is about to go; the board keeps them.
    if (this.focused) this.stage.focus({ preventScroll: true });
    this.transport.send({ do: "act", action, frame: this.at, age: this.age });
    this.mark();
  }

  ask(what) {
    this.warn("");
    const { age } = this;
    this.transport.send(what === "again" ? { do: what, age } : { do: what, frame: this.at, age });
  }

  typed(event) {
    const path = event.target.closest("[data-place]");
    if (event.key === "Escape") this.unchoose();
    else if (path && (event.key === "Enter" || event.key === " ")) this.clicked(path);
    else if (event.key in STEPS) this.neighbour(path, STEPS[event.key])?.focus();
    else return;
    event.preventDefault();
  }

  // The nearest place in a direction; what lies more aside than ahead is another direction.
  neighbour(path, [right, down]) {
    if (!path) return this.spots[0];
    const [x, y] = this.middle(path);
    let best = null;
    for (const spot of this.spots) {
      const [dx, dy] = this.middle(spot).map((value, k) => value - [x, y][k]);
      const ahead = dx * right + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * right);
      if (ahead <= 1 || aside > 2 * ahead) continue;
      const far = ahead + 2 * aside;
      if (!best || far < best.far) best = { spot, far };
    }
    return best?.spot;
  }

  middle(path) {
    const box = path.getBBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  // The size of the picture

  zoom(scale) {
    this.scale = Math.min(6, Math.max(1, scale));
    this.stage.classList.toggle("ludo-zoomed", this.scale > 1);
    this.stage.style.setProperty("--zoom", this.scale);
    if (this.buttons.wider) this.buttons.wider.disabled = this.scale === 1;
  }

  // Scroll to what can be chosen, where the picture is larger than its frame.
  reveal() {
    if (!this.spots.length) return;
    const boxes = this.spots.map((spot) => spot.getBoundingClientRect());
    const frame = this.stage.getBoundingClientRect();
    const left = Math.min(...boxes.map((box) => box.left)) - frame.left;
    const top = Math.min(...boxes.map((box) => box.top)) - frame.top;
    const right = Math.max(...boxes.map((box) => box.right)) - frame.left;
    const bottom = Math.max(...boxes.map((box) => box.bottom)) - frame.top;
    if (left < 0 || right > frame.width) this.stage.scrollLeft += Math.min(left - 12, (left + right - frame.width) / 2);
    if (top < 0 || bottom > frame.height) this.stage.scrollTop += Math.min(top - 12, (top + bottom - frame.height) / 2);
  }

  // The agent's mind

  consider() {
    this.mind.hidden = true;
    const { table, view } = this;
    if (!table.explain || view.over) return;
    const ended = this.frames.get(this.count - 1)?.over;
    if (table.watching || view.to_play === table.seat || table.cheat || ended) {
      this.transport.send({ do: "mind", at: this.at });
    }
  }

  think(mind) {
    if (mind.frame !== this.at || mind.age !== this.age) return;
    const own = mind.thinker === this.table.seat;
    this.mind.replaceChildren();
    const title = own ? `${mind.agent} in your place` : `player_${mind.thinker} (${mind.agent})`;
    make("h3", this.mind, { textContent: `What ${title} thinks` });
    const rows = make("ol", this.mind);
    const best = Math.max(...mind.candidates.map(({ share }) => share ?? 0), 0.0001);
    for (const { text, share, value } of mind.candidates) {
      const row = make("li", rows);
      make("span", row, { className: "ludo-move", textContent: text });
      if (share !== null) {
        const bar = make("span", row, { className: "ludo-share" });
        make("i", bar).style.width = `${(100 * share) / best}%`;
        make("span", row, { textContent: `${Math.round(100 * share)} %` });
      }
      if (value !== null) make("span", row, { className: "ludo-value", textContent: `value ${value}` });
    }
    make("p", this.mind, { textContent: `It expects: ${mind.line.join(", ")}` });
    this.mind.hidden = false;
    this.drawMind(mind.candidates);
  }

  drawMind(candidates) {
    this.svg.querySelector(".ludo-minds")?.remove();
    const layer = document.createElementNS(NS, "g");
    layer.setAttribute("class", "ludo-minds");
    const places = [...this.svg.querySelectorAll("[data-place]")].reverse()
      .map((path) => [JSON.parse(path.dataset.place), path]);
    candidates.slice().reverse().forEach(({ parts, share }, k) => {
      const spots = this.spotsOf(parts, places);
      if (!spots.length) return;
      const [from, to] = [spots[0], spots.at(-1)].map((path) => this.middle(path));
      const rank = candidates.length - k;
      const add = (tag, attributes) => {
        const node = document.createElementNS(NS, tag);
        for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
        layer.append(node);
        return node;
      };
      const weight = share === null ? 1 / rank : share;
      if (spots.length > 1) {
        add("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], "stroke-width": 3 + 9 * weight });
      }
      add("circle", { cx: to[0], cy: to[1], r: 19 });
      add("text", { x: to[0], y: to[1] + 5 }).textContent =
        share === null ? `${rank}.` : `${Math.round(100 * share)}%`;
    });
    this.svg.append(layer);
  }

  spotsOf(parts, places) {
    const found = [];
    let left = parts;
    while (left.length) {
      const near = places.filter(([name]) => name.length <= left.length && begins(left, name));
      if (!near.length) return [];
      const [name, path] = near.reduce((a, b) => (b[0].length > a[0].length ? b : a));
      found.push(path);
      left = left.slice(name.length);
    }
    return found;
  }
}

export function mount(el, transport) {
  return new Board(el, transport);
}

function render({ model, el }) {
  const transport = { send: (message) => model.send(message) };
  const board = mount(el, transport);
  const hear = (message) => board.receive(message);
  model.on("msg:custom", hear);
  model.send({ do: "hello" });
  return () => {
    clearInterval(board.playing);
    model.off("msg:custom", hear);
  };
}

export default { render };
