// The page of a table: the board, and the connection that takes its seat again when it was lost.

import { mount } from "/board.js";

const FIRST_WAIT_MS = 500, LONGEST_WAIT_MS = 8000;

function connect(link) {
  const transport = {};
  let socket, wait = FIRST_WAIT_MS, ended = false;
  const open = () => {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/play`);
    socket.onopen = () => socket.send(JSON.stringify({ link }));
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      ended ||= Boolean(message.end);
      wait = FIRST_WAIT_MS;
      transport.onmessage(message);
    };
    socket.onclose = () => {
      if (ended) return;
      transport.onstatus("The connection is lost. Trying again …");
      setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    };
  };
  transport.send = (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    else transport.onstatus("There is no connection at the moment.");
  };
  open();
  return transport;
}

// The secret is after #, which browsers send nowhere.
const link = location.hash.slice(1);
const transport = connect(link);
window.board = mount(document.getElementById("board"), transport);
window.addEventListener("hashchange", () => location.reload());

// Who may begin tables has the key from the start page.
const key = sessionStorage.getItem("ludotheque-key");
if (key) {
  const start = document.getElementById("start");
  start.hidden = false;
  start.href = `/#${key}`;
}
