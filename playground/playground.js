// The form of the playground. The program in main.go defines explain.
const fields = Object.fromEntries(['routes', 'method', 'host', 'path'].map(id => [id, document.getElementById(id)]));
const answer = document.getElementById('answer');
const example = {
  routes: `GET /
GET /users/me
GET /users/{id:int}
GET /users/{name}
DELETE /users/{id:int}
GET /files/*path
GET /files/{name}.{format:json|csv}
api.example.com/v1/
{tenant}.example.com/{page...}`,
  method: 'GET', host: '', path: '/users/42',
};

// load fills the form from the fragment of the address.
function load() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const id in fields) fields[id].value = given.get(id) ?? (given.has('routes') ? '' : example[id]);
  show();
}

function element(name, text, ...children) {
  const e = document.createElement(name);
  e.textContent = text;
  e.append(...children);
  return e;
}

// show explains the request of the form.
function show() {
  const values = Object.values(fields).map(f => f.value);
  const result = explain(...values);
  if (result.error) {
    answer.replaceChildren(element('pre', '', element('code', result.error)));
    return;
  }
  const rows = result.rows.map(([method, pattern, reason]) => element('tr', '',
    element('td', method || 'any'), element('td', '', element('code', pattern)), element('td', reason || 'serves it')));
  const head = element('tr', '', ...['Method', 'Route', 'Why'].map(title => element('th', title)));
  answer.replaceChildren(element('p', '', element('strong', result.verdict)),
    element('table', '', element('thead', '', head), element('tbody', '', ...rows)));
}

async function start() {
  const response = await fetch('playground.wasm.gz');
  const program = response.body.pipeThrough(new DecompressionStream('gzip'));
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(await new Response(program).arrayBuffer(), go.importObject);
  go.run(instance);
  load();
  addEventListener('hashchange', load);
  document.getElementById('request').addEventListener('input', () => {
    history.replaceState(null, '', '#' + new URLSearchParams(Object.entries(fields).map(([id, f]) => [id, f.value])));
    show();
  });
}

document.getElementById('request').addEventListener('submit', e => e.preventDefault());
start().catch(e => { answer.textContent = 'The router does not start: ' + e; });
