// The start page: choose a game, who plays, the variants; then sit down, and share the other links.

const at = (id) => document.getElementById(id);
// The key to begin tables is after #, which browsers send nowhere; it stays in this tab.
const key = location.hash.slice(1) || sessionStorage.getItem("ludotheque-key") || "";
if (key) sessionStorage.setItem("ludotheque-key", key);

const WHO = { you: "me", person: "another person (with a link)" };
let game, chosen = {};

function select(parent, label, choices, value, names = {}) {
  const box = document.createElement("label");
  box.append(label);
  const node = document.createElement("select");
  for (const choice of choices) {
    const text = names[choice] ?? String(choice);
    node.add(new Option(text, JSON.stringify(choice), choice === value, choice === value));
  }
  box.append(node);
  parent.append(box);
  return node;
}

function keepLegend(fieldset) {
  fieldset.replaceChildren(fieldset.querySelector("legend"));
}

function drawSeats(count, former = []) {
  const fieldset = at("seats");
  keepLegend(fieldset);
  const players = select(fieldset, "players", game.players, count);
  players.addEventListener("change", () => drawSeats(JSON.parse(players.value), chosen.seats));
  const agents = game.agents[String(count)];
  chosen.players = count;
  chosen.seats = Array.from({ length: count }, (_, seat) => {
    const usual = former[seat] ?? (seat === 0 ? "you" : agents[0]);
    return ["you", "person", ...agents].includes(usual) ? usual : agents[0];
  });
  chosen.seats.forEach((who, seat) => {
    const node = select(fieldset, `player_${seat}`, ["you", "person", ...agents], who, WHO);
    node.addEventListener("change", () => { chosen.seats[seat] = JSON.parse(node.value); });
  });
}

function choose(picked) {
  game = picked;
  for (const button of at("games").children) {
    button.setAttribute("aria-pressed", String(button.dataset.game === game.name));
  }
  at("title").textContent = game.title;
  at("rules").replaceChildren(...game.rules.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  chosen = { options: {} };
  drawSeats(game.usual);
  const fieldset = at("options");
  keepLegend(fieldset);
  fieldset.hidden = !game.options.length;
  for (const option of game.options) {
    const node = select(fieldset, option.name, option.choices, option.default,
      { true: "yes", false: "no" });
    node.title = option.meaning;
    node.addEventListener("change", () => { chosen.options[option.name] = JSON.parse(node.value); });
  }
  at("form").hidden = false;
  at("links").replaceChildren();
  at("told").textContent = "";
}

function share(links) {
  at("told").textContent = "Send each of the others the link of a seat, then sit down.";
  at("links").replaceChildren(...links.map(({ seat, link }) => {
    const url = `${location.origin}/table#${link}`;
    const line = document.createElement("p");
    const mine = chosen.seats[seat] === "you";
    line.append(`player_${seat}${mine ? " (you)" : ""}: `);
    if (mine) {
      line.append(Object.assign(document.createElement("a"), { href: url, textContent: "sit down" }));
    } else {
      const field = Object.assign(document.createElement("input"), { value: url, readOnly: true });
      field.setAttribute("aria-label", `link of player_${seat}`);
      field.addEventListener("focus", () => field.select());
      line.append(field);
    }
    return line;
  }));
}

async function begin(event) {
  event.preventDefault();
  at("go").disabled = true;
  at("told").textContent = "Laying the table … (a game is compiled when it is first played: up to half a minute)";
  try {
    const answer = await fetch("/tables", {
      method: "POST",
      body: JSON.stringify({ key, game: game.name, explain: at("explain").checked, ...chosen }),
    });
    const { links, error } = await answer.json();
    if (error) throw new Error(error);
    if (links.length === 1) location.href = `/table#${links[0].link}`;
    else share(links);
  } catch (error) {
    at("told").textContent = `That did not work: ${error.message}`;
  }
  at("go").disabled = false;
}

const games = await (await fetch("/games")).json();
for (const offered of games) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.game = offered.name;
  const picture = Object.assign(document.createElement("img"), { src: `/${offered.name}.png`, alt: "" });
  const words = document.createElement("span");
  const name = Object.assign(document.createElement("b"), { textContent: offered.title });
  const [first, last] = [offered.players[0], offered.players.at(-1)];
  const note = Object.assign(document.createElement("small"), { textContent: `${first}–${last} players` });
  words.append(name, note);
  button.append(picture, words);
  button.addEventListener("click", () => choose(offered));
  at("games").append(button);
}
at("form").addEventListener("submit", begin);
choose(games[0]);
