'use strict';
// The page has all routes as in routes.json, and before them, if there are many, the
// rows that are on the screen first. This script shows them as a tree of prefixes,
// and requests explain.json for the route of a request. It creates only elements and
// text nodes, never HTML from strings.

const base = location.pathname.replace(/\/*$/, '/');
const $ = id => document.getElementById(id);
let routes = []; // as in routes.json

// el returns an element with a class and with children: nodes, or text.
function el(tag, cls, ...children) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  e.append(...children.map(c => typeof c === 'string' ? seen(c) : c));
  return e;
}

// seen returns a text with the characters that can't be seen, such as those for
// right-to-left text, as their numbers.
const seen = text => text.replace(/[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu, c => '\\u{' + c.codePointAt(0).toString(16) + '}');

function button(text, cls, onclick) {
  const b = el('button', cls, text);
  b.type = 'button';
  b.addEventListener('click', onclick);
  return b;
}

// grouped returns a number with commas between thousands. The first call of
// toLocaleString would take longer than all first rows.
const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const plural = (n, noun) => grouped(n) + ' ' + noun + (n === 1 ? '' : 's');
const methodOf = r => r.Method || 'any';
const fileOf = r => r.File.slice(r.File.lastIndexOf('/') + 1) + ':' + r.Line;

// trim returns a function's name without what the compiler adds, and short also
// without its package's directories. A closure has the name of the function
// around it.
const trim = name => name.replace(/(?:(?:\.glob\.)?\.(?:func|gowrap|deferwrap)?\d+|-range\d+|-fm)+$/, '') || name;
const short = name => trim(name.replace(/^([^[]*)\/v(?:[2-9]|\d\d+)\./, '$1.').replace(/^[^[]*\//, ''));

function method(name) {
  return el('span', /^\w+$/.test(name) ? 'method ' + name : 'method', name);
}

// textOf returns the text that is searched.
const textOf = r => r.text ||= [methodOf(r), r.Host + r.Pattern, trim(r.Handler), fileOf(r), r.Warning || '', r.Hits === 0 ? 'unused' : '', ...(r.Notes || []), ...(r.Middleware || [])].join(' ').toLowerCase();

// draw shows the routes that match the search and the filters.
function draw() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const checked = [...$('filters').querySelectorAll(':checked')].map(c => c.value);
  const only = { '⚠': r => r.Warning, open: r => !r.Guard, unused: r => !r.Hits };
  const methods = checked.filter(v => !Object.hasOwn(only, v));
  const shown = routes.filter(r => (!methods.length || methods.includes(methodOf(r))) && checked.every(v => !Object.hasOwn(only, v) || only[v](r)) && words.every(w => textOf(r).includes(w)));
  const root = tree(shown);
  $('tree').classList.toggle('many', shown.length > 1000);
  unfold(root);
  const focused = document.activeElement.key;
  $('tree').replaceChildren(shown.length ? list('ul', '', rows(root), item => row(item, root)) : nothing());
  const summaries = [...$('tree').querySelectorAll('summary')];
  const again = focused && summaries.find(s => s.key === focused);
  if (again) focusRow(again);
  else if (summaries.length) summaries[0].tabIndex = 0;
  $('summary').textContent = shown.length === routes.length ? plural(routes.length, 'route') : grouped(shown.length) + ' of ' + plural(routes.length, 'route');
  remember();
}

function nothing() {
  const q = $('search').value.trim();
  const box = el('div', 'empty', el('p', '', routes.length ? 'No routes match.' : 'There are no routes.'));
  if (q.startsWith('/')) box.append(button('Explain ' + q, '', () => ask('GET', q)));
  return box;
}

// reveal opens the tree at a route and focuses the route.
function reveal(r) {
  $('search').value = '';
  for (const c of $('filters').querySelectorAll(':checked')) c.checked = false;
  let prefix = '';
  for (const label of r.labels) toggled.set(prefix += label, true);
  draw();
  const more = [...$('tree').querySelectorAll('.more')];
  for (let i = 0; !r.element?.isConnected && i < more.length; i++) {
    more[i].click();
    more.push(...$('tree').querySelectorAll('.more'));
  }
  r.element.open = true;
  focusRow(r.element.firstChild);
}

// first shows the rows that are on the screen first, if there are many.
function first() {
  listen();
  const root = JSON.parse($('first').textContent);
  if (!root) return;
  $('summary').textContent = plural(root.count, 'route');
  $('tree').append(list('ul', '', root.rows, item => row(item, root)));
}

// painted waits until the first rows are on the screen. A hidden page has no frames.
const painted = () => new Promise(done => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, 500);
});

// load reads all routes and shows them, and what to filter them by.
async function load() {
  if ($('tree').firstChild) await painted();
  routes = JSON.parse($('routes').textContent) || [];
  const counts = new Map();
  for (const r of routes) {
    counts.set(methodOf(r), (counts.get(methodOf(r)) || 0) + 1);
    let at = 0;
    for (const s of r.Scopes) {
      const middleware = (r.Middleware || []).slice(at, at += s.Middleware);
      const known = scopes.get(r.Host + s.Prefix) || [];
      if (s.Kind === 'with' || !s.Prefix && s.Kind !== 'host' || known.some(k => k.kind === s.Kind)) continue;
      scopes.set(r.Host + s.Prefix, [...known, { kind: s.Kind, middleware }]);
    }
  }
  const usual = [...$('method').options].map(o => o.value);
  for (const m of new Set([...usual, ...counts.keys()])) {
    if (m !== 'any' && !usual.includes(m)) $('method').append(el('option', '', m));
    if (counts.has(m)) chip(m, method(m), counts.get(m));
  }
  const outer = routes.find(r => r.Scopes[0].Middleware && !r.Fast);
  if (outer) $('everywhere').append('Around every route: ', el('code', '', outer.Middleware.slice(0, outer.Scopes[0].Middleware).map(short).join(' → ')));
  const count = f => routes.filter(f).length;
  const warnings = count(r => r.Warning), open = count(r => !r.Guard), counted = count(r => 'Hits' in r);
  if (warnings) chip('⚠', el('span', 'warning', 'suspicious'), warnings);
  if (open < routes.length) chip('open', el('span', '', 'without login'), open);
  if (counted) chip('unused', el('span', '', 'unused'), count(r => !r.Hits));
  for (const name of ['routes.json', 'openapi.json', ...counted ? ['coverage.json'] : []]) {
    const a = el('a', '', name);
    a.href = base + name;
    $('data').append(a);
  }
  const state = new URLSearchParams(location.hash.slice(1));
  $('search').value ||= state.get('search') || '';
  draw();
  document.documentElement.dataset.ready = '';
  if (state.get('path')) explain(state.get('method') || 'GET', state.get('path'));
}

// chip adds a filter.
function chip(value, label, count) {
  const box = el('input');
  box.type = 'checkbox';
  box.value = value;
  $('filters').append(el('label', '', box, label, el('span', 'count', grouped(count))));
}

// remember stores the search and the request in the page's URL.
function remember() {
  const state = new URLSearchParams();
  if ($('search').value) state.set('search', $('search').value);
  if ($('path').value) state.set('method', $('method').value), state.set('path', $('path').value);
  history.replaceState(null, '', state.size ? '#' + state : location.pathname + location.search);
}

function focusRow(summary) {
  for (const s of $('tree').querySelectorAll('summary[tabindex="0"]')) s.tabIndex = -1;
  summary.tabIndex = 0;
  summary.focus();
}

// move handles a key in the tree and reports whether the key has a meaning there.
function move(key, summary) {
  const details = summary.parentNode;
  const visible = [...$('tree').querySelectorAll('summary')].filter(s => s.checkVisibility());
  const at = visible.indexOf(summary);
  const targets = { ArrowDown: visible[at + 1], ArrowUp: visible[at - 1], Home: visible[0], End: visible[visible.length - 1] };
  if (key in targets) {
    (targets[key] ? focusRow(targets[key]) : key === 'ArrowUp' && $('search').focus());
  } else if (key === 'ArrowRight') {
    if (!details.open) summary.click();
    else if (visible[at + 1] && details.contains(visible[at + 1])) focusRow(visible[at + 1]);
  } else if (key === 'ArrowLeft') {
    const outer = details.parentNode.closest('details');
    if (details.open) summary.click();
    else if (outer) focusRow(outer.firstChild);
  } else {
    return false;
  }
  return true;
}

document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const field = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'checkbox';
  const summary = $('tree').contains(e.target) && e.target.closest('summary');
  if (!field && (e.key === '/' || e.key === 'e')) {
    $(e.key === '/' ? 'search' : 'path').focus();
    $(e.key === '/' ? 'search' : 'path').select();
  } else if (e.target === $('search') && e.key === 'Escape') {
    $('search').value = '';
    draw();
  } else if (e.target === $('search') && e.key === 'ArrowDown') {
    const first = $('tree').querySelector('summary');
    if (first) focusRow(first);
  } else if (!summary || !move(e.key, summary)) {
    return;
  }
  e.preventDefault();
});

// listen adds what happens at a click and while the user types.
function listen() {
  $('tree').addEventListener('click', e => {
    const summary = e.target.closest('summary');
    if (summary) focusRow(summary);
  });
  $('search').addEventListener('input', draw);
  $('filters').addEventListener('change', draw);
  for (const [id, value] of [['open', true], ['close', false]]) {
    $(id).addEventListener('click', () => {
      all = value;
      toggled.clear();
      draw();
    });
  }
  $('explain').addEventListener('submit', e => {
    e.preventDefault();
    ask($('method').value, $('path').value);
  });
}
