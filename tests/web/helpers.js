// What the tests do inside a page, so that a whole game is one round trip.

window.test = {
  sockets: [],

  // A point of the window where a click reaches this shape and no other.
  pointOf(path) {
    const box = path.getBoundingClientRect();
    for (const down of [0.5, 0.3, 0.7, 0.15, 0.85, 0.95, 0.05]) {
      for (const right of [0.5, 0.3, 0.7, 0.1, 0.9, 0.03]) {
        const x = box.x + right * box.width, y = box.y + down * box.height;
        const hit = document.elementFromPoint(x, y);
        if (hit === path || !path.dataset.place) return [x, y];
      }
    }
    return null;
  },

  // The names of the places at points of the picture, whatever may be chosen now.
  placesAt(points) {
    for (const path of board.svg.querySelectorAll("[data-place]")) {
      path.style.setProperty("pointer-events", "all", "important");
    }
    const matrix = board.svg.getScreenCTM();
    return points.map(([x, y]) => {
      const at = new DOMPoint(x, y).matrixTransform(matrix);
      const hit = document.elementFromPoint(at.x, at.y)?.closest("[data-place]");
      return hit ? JSON.parse(hit.dataset.place) : null;
    });
  },

  async until(condition) {
    // A game may be compiled meanwhile, on a machine that has other work.
    const end = Date.now() + 120_000;
    while (Date.now() < end) {
      const found = condition();
      if (found) return found;
      await new Promise((done) => setTimeout(done, 5));
    }
    throw new Error(`waited in vain: ${condition}`);
  },

  // Play by clicks on places, drawn by a seed, to the end or so many decisions; count the clicks.
  async playOn(seed, decisions = Infinity) {
    let clicks = 0, word = seed;
    const below = (count) => {
      word = (word * 48271 + 11) % 2147483647;
      return word % count;
    };
    const ready = () => board.view.over
      || (board.view.yours && !board.pending && board.at === board.count - 1);
    for (let done = 0; done < decisions; done += 1) {
      await test.until(ready);
      if (board.view.over) return clicks;
      const { at, age } = board;
      let depth = 0;
      while (board.at === at && board.age === age && !board.pending) {
        if (!board.spots.length) throw new Error("it is my turn, and nothing can be clicked");
        const path = board.spots[below(board.spots.length)];
        const point = test.pointOf(path);
        if (!point) {
          // Another one names the same place, or all of it is covered by what was chosen before.
          if ((depth += 1) > 60) throw new Error(`never reached: ${path.dataset.place}`);
          continue;
        }
        const [clientX, clientY] = point;
        const hit = document.elementFromPoint(clientX, clientY);
        hit.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX, clientY }));
        clicks += 1;
      }
      await test.until(() => board.at !== at || board.age !== age);
    }
    return clicks;
  },
};

window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    test.sockets.push(this);
  }
};
