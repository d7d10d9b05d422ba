// Requests and sockets. Every failure is an Error whose message is a sentence for people.

/** GET, or POST if there is a body, or what `method` says; resolves to the JSON answer. */
export async function call(path, body, method = body === undefined ? "GET" : "POST") {
  const options = body === undefined ? {method} : {
    method, headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Is `gametree web` still running?");
  }
  let data = null;
  try {
    data = await response.json();
  } catch { /* told by the status below */ }
  if (!response.ok) throw new Error((data && data.error) || `The server answered ${response.status}.`);
  return data;
}

/**
 * A WebSocket that comes back by itself. `on` has functions by message type, plus optionally `open` and `lost`.
 * `send(message)` waits for the connection if need be; `close()` ends it for good.
 */
export function connect(path, on) {
  let socket = null, closed = false, wait = 250, timer = 0;
  const unsent = [];
  function open() {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
    socket.addEventListener("open", () => {
      wait = 250;
      if (on.open) on.open();
      while (unsent.length) socket.send(unsent.shift());
    });
    socket.addEventListener("message", event => {
      const message = JSON.parse(event.data);
      if (on[message.type]) on[message.type](message);
    });
    socket.addEventListener("close", event => {
      if (closed) return;
      // Codes of a refusal: coming back would not help.
      if ([1003, 1008, 4404].includes(event.code)) {
        closed = true;
        if (on.refused) on.refused(event.reason || "The server refused the connection.");
        return;
      }
      if (on.lost) on.lost();
      timer = setTimeout(open, wait);
      wait = Math.min(8000, wait * 2);
    });
  }
  open();
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
      else unsent.push(text);
    },
    close() {
      closed = true;
      clearTimeout(timer);
      socket.close();
    },
  };
}
