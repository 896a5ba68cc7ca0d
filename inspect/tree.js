// The tree of prefixes: its nodes, its rows, and their details.

const chunk = 200; // number of rows created at a time
const roomy = 250; // maximum number of rows shown at first

let scopes = new Map(); // prefix -> [{kind, middleware}] of groups and mounts
let toggled = new Map(); // key of a row -> whether the user has opened or closed it
let all; // true after Open all, false after Close all

// split returns the segments of a pattern. A slash inside braces doesn't separate
// segments.
function split(pattern) {
  if (!/\{[^}]*[{/]/.test(pattern)) return pattern.split('/').filter(s => s && s !== '{$}');
  const segments = [];
  let segment = '', depth = 0;
  const end = () => {
    if (segment && segment !== '{$}') segments.push(segment);
    segment = '';
  };
  for (const c of pattern) {
    if (c === '{') depth++;
    if (c === '}') depth--;
    if (c === '/' && depth === 0) end();
    else segment += c;
  }
  end();
  return segments;
}

// A tree node is a prefix with its routes and child nodes.
const childless = new Map();
const newNode = (label, prefix) => ({ label, prefix, routes: [], children: childless, count: 0, warnings: 0, rows: null, open: false });

const isFolder = item => 'label' in item;

function tree(list) {
  const root = newNode('', '');
  for (const r of list) {
    let n = root;
    r.labels ||= split(r.Host + r.Pattern).map((s, i) => i || !r.Host ? '/' + s : s);
    for (const label of r.labels) {
      if (n.children === childless) n.children = new Map();
      let c = n.children.get(label);
      if (!c) n.children.set(label, c = newNode(label, n.prefix + label));
      n = c;
      n.count++;
      if (r.Warning) n.warnings++;
    }
    n.routes.push(r);
  }
  join(root);
  return root;
}

// join merges a node with its only child.
function join(n) {
  for (const [key, c] of n.children) {
    let only = c;
    while (only.children.size === 1 && only.routes.length === 0 && !scopes.has(only.prefix)) {
      const [next] = only.children.values();
      next.label = only.label + next.label;
      only = next;
    }
    n.children.set(key, only);
    join(only);
  }
}

// rows returns the rows of a node: routes, and nodes with child nodes.
function rows(n) {
  return n.rows ||= [...n.routes, ...[...n.children.values()].flatMap(c => c.children.size || scopes.has(c.prefix) ? [c] : c.routes)];
}

// unfold marks nodes as open: those that the user has opened and, level by level,
// others as long as there is room.
function unfold(root) {
  const inner = nodes => nodes.flatMap(n => rows(n).filter(isFolder));
  let room = roomy - rows(root).length;
  for (let level = inner([root]); level.length > 0; level = inner(level.filter(n => n.open))) {
    room -= level.reduce((sum, n) => sum + rows(n).length, 0);
    for (const n of level) n.open = toggled.get(n.prefix) ?? all ?? room >= 0;
  }
}

// path returns an element that shows a pattern, with its parameters marked and its
// first characters dimmed. A long one breaks after these.
function path(text, dimmed) {
  const e = el('span', 'path');
  const parameter = /\{(?:[^{}]|\{[^{}]*\})*\}|(?<=\/[^{}/]*):\w+(?=\/|$)|(?<=\/)\*\w*$/g;
  let at = 0;
  const add = (end, cls) => {
    for (const [from, to, dim] of [[at, Math.min(end, dimmed), true], [Math.max(at, dimmed), end, false]]) {
      if (from < to && from === dimmed && from) e.append(el('wbr'));
      if (from < to) e.append(cls || dim ? el('span', dim ? 'dim' : cls, text.slice(from, to)) : seen(text.slice(from, to)));
    }
    at = end;
  };
  for (const m of text.matchAll(parameter)) {
    add(m.index);
    add(m.index + m[0].length, 'param');
  }
  add(text.length);
  return e;
}

// list returns a list of items. It creates the first ones immediately, and others
// when the end becomes visible.
function list(tag, cls, items, make) {
  const ul = el(tag, cls);
  let made = 0;
  const grow = () => {
    const next = items.slice(made, made + chunk);
    made += next.length;
    ul.append(...next.map(item => el('li', '', make(item))));
    if (made >= items.length) return;
    const more = el('li', '', button('Show more (' + grouped(items.length - made) + ' left)', 'more', () => {
      watch.disconnect();
      more.remove();
      grow();
    }));
    const watch = new IntersectionObserver(entries => entries.some(e => e.isIntersecting) && more.firstChild.click(), { rootMargin: '600px' });
    watch.observe(more);
    ul.append(more);
  };
  grow();
  return ul;
}

// disclosure returns a row whose content is created when it is first opened. The key
// stays the same when the rows are drawn again.
function disclosure(key, cls, summary, open, content) {
  const d = el('details', cls, summary);
  const fill = () => d.children.length === 1 && d.append(content());
  if (open) fill();
  d.open = open;
  summary.key = key;
  summary.tabIndex = -1; // the arrow keys move between rows
  summary.addEventListener('click', () => {
    toggled.set(key, !d.open);
    fill();
  });
  d.addEventListener('toggle', fill); // the browser's search also opens rows
  return d;
}

function row(item, parent) {
  return isFolder(item) ? folder(item) : route(item, parent);
}

function folder(n) {
  const s = el('summary', '', path(n.label, 0));
  for (const scope of n.scopes || scopes.get(n.prefix) || []) {
    s.append(el('span', 'badge', scope.kind));
    if (scope.middleware?.length) s.append(el('span', 'adds', '+ ' + scope.middleware.map(short).join(' → ')));
  }
  s.append(el('span', 'count', plural(n.count, 'route')));
  if (n.warnings) s.append(el('span', 'warning', plural(n.warnings, 'warning')));
  return disclosure(n.prefix, 'folder', s, n.open, () => list('ul', '', rows(n), item => row(item, n)));
}

function route(r, parent) {
  const text = r.Host + r.Pattern;
  const dimmed = Math.min(parent.prefix.length, text.replace(/\/$/, '').lastIndexOf('/'));
  const p = path(text, dimmed);
  if (r.Below && text.endsWith('/')) p.append(el('span', 'dim', '…'));
  if (r.Mount) p.append(' ', el('span', 'badge', 'mount'));
  const s = el('summary', '', method(methodOf(r)), p, el('span', 'handler', short(r.Handler)), el('span', 'file', fileOf(r)));
  const notes = el('span', 'notes');
  if (r.Guard) notes.append(el('span', 'badge guard', r.Guard.slice(r.Guard.lastIndexOf('.') + 1)));
  for (const note of r.Notes || []) notes.append(el('span', 'badge', note));
  const adds = unseen(r);
  if (adds.length) notes.append(el('span', 'adds', '+ ' + adds.map(short).join(' → ')));
  if ('Hits' in r) notes.append(el('span', r.Hits ? 'count' : 'badge unused', r.Hits ? plural(r.Hits, 'hit') + ', last ' + ago(r.Last) : 'unused'));
  if (notes.childNodes.length) s.append(notes);
  if (r.Warning) s.append(el('span', 'warning', r.Warning));
  const key = methodOf(r) + ' ' + text + ' ' + r.File + r.Line;
  return r.element = disclosure(key, 'route', s, toggled.get(key), () => details(r));
}

// unseen returns the middleware of a route that no row of a prefix shows: that of
// With, and of Groups without a prefix of their own.
function unseen(r) {
  let at = 0, prefix = '';
  return r.Scopes.flatMap((s, i) => {
    const names = (r.Middleware || []).slice(at, at += s.Middleware);
    const own = i === 0 || s.Kind === 'host' || s.Kind !== 'with' && s.Prefix !== prefix;
    prefix = s.Prefix;
    return own ? [] : names;
  });
}

// ago returns how long ago a time was.
function ago(time) {
  const seconds = Math.max(0, (Date.now() - new Date(time)) / 1000);
  for (const [unit, size] of [['day', 86400], ['hour', 3600], ['minute', 60]]) {
    if (seconds >= size) return plural(Math.floor(seconds / size), unit) + ' ago';
  }
  return 'less than a minute ago';
}

// definitions returns a list of names, each with a node or text.
function definitions(pairs) {
  const dl = el('dl');
  for (const [name, value] of pairs) dl.append(el('dt', '', name), el('dd', '', value));
  return dl;
}

// chain returns a route's middleware, outermost first, with the scopes that add it.
function chain(r) {
  if (!r.Middleware?.length) return el('span', 'dim', 'none');
  const ol = el('ol', 'chain');
  let at = 0;
  for (const s of r.Scopes) {
    const names = r.Middleware.slice(at, at += s.Middleware);
    const from = { mux: 'Mux', with: 'With', host: 'host ' + s.Host }[s.Kind] || s.Kind + ' ' + (s.Prefix || '/');
    if (names.length) ol.append(el('li', '', el('span', 'dim', from), ' ', el('code', '', names.map(short).join(' → '))));
  }
  return ol;
}

function details(r) {
  const pairs = [
    ['Handler', el('code', '', trim(r.Handler) + (r.Fast ? ' (fast)' : ''))],
    ['Registered', el('code', '', r.File + ':' + r.Line)],
    ['Middleware', chain(r)],
  ];
  if (r.Below) pairs.push(['Serves', 'also everything below its path']);
  const box = el('div', 'details', definitions(pairs));
  if (r.Example) {
    box.firstChild.append(el('dt', '', 'Example'), el('dd', '', method(r.ExampleMethod), ' ', el('code', '', r.Example), ' ', button('Explain it', 'small', () => ask(r.ExampleMethod, r.Example))));
  }
  return box;
}
