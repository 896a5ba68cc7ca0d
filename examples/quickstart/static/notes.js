const list = document.getElementById("notes");
const status = document.getElementById("status");

async function call(method, path, value) {
  const response = await fetch(path, { method, body: value && JSON.stringify(value) });
  if (response.ok) {
    return response.status === 204 ? null : response.json();
  }
  const problem = await response.json();
  throw new Error(problem.detail ?? problem.title);
}

async function show() {
  const notes = await call("GET", "/api/notes");
  list.replaceChildren(...notes.map((note) => {
    const item = document.createElement("li");
    const remove = document.createElement("button");
    remove.textContent = "Remove";
    remove.setAttribute("aria-label", "Remove " + note.text);
    remove.onclick = () => act(() => call("DELETE", "/api/notes/" + note.id));
    item.append(note.text, remove);
    return item;
  }));
  status.textContent = notes.length ? "" : "No notes yet.";
}

async function act(f) {
  try {
    await f();
    await show();
  } catch (error) {
    status.textContent = "Failed: " + error.message;
  }
}

document.getElementById("new").onsubmit = (event) => {
  event.preventDefault();
  const form = event.target;
  act(async () => {
    await call("POST", "/api/notes", { text: form.elements.text.value });
    form.reset();
  });
};

// The server sends an event at once, and one after each change.
new EventSource("/events").onmessage = () => act(async () => {});
