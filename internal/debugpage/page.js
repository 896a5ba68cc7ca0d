'use strict';
const base = location.pathname.replace(/\/?$/, '/');
const $ = id => document.getElementById(id);
const el = (tag, text, cls) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (cls) e.className = cls; return e; };
const short = s => s.slice(s.lastIndexOf('/') + 1).replace(/-fm$/, '');
let routes = [], shown = [], drawn = 0;

function item(r) {
  const li = el('li'), d = el('details'), s = el('summary');
  s.append(el('span', r.Method || 'any', 'm'), el('code', r.Host + r.Pattern), el('span', short(r.Handler), 'h mono'));
  d.append(s);
  if (r.Warning) { const w = el('span', '⚠ ' + r.Warning, 'warn'); s.append(w); }
  d.addEventListener('toggle', () => {
    if (!d.open || d.children.length > 1) return;
    const dl = el('dl');
    const add = (k, v) => { const dd = el('dd'); dd.append(el('code', v)); dl.append(el('dt', k), dd); };
    add('handler', r.Handler + (r.Fast ? ' (fast)' : ''));
    add('registered', r.File + ':' + r.Line);
    (r.Middleware || []).forEach((m, i) => add(i ? '' : 'middleware', m));
    d.append(dl);
  });
  li.append(d);
  return li;
}
function draw(n) {
  const f = document.createDocumentFragment();
  for (const end = Math.min(shown.length, drawn + n); drawn < end; drawn++) f.append(item(shown[drawn]));
  $('list').append(f);
  $('more').hidden = drawn >= shown.length;
  $('more').textContent = 'Show ' + Math.min(500, shown.length - drawn) + ' more';
}
function filter() {
  const words = $('q').value.toLowerCase().split(/\s+/).filter(Boolean), m = $('fm').value, w = $('fw').value;
  shown = routes.filter(r => (!m || r.Method === m || m === 'any' && !r.Method) && (!w || r.Warning) && words.every(x => r.text.includes(x)));
  drawn = 0;
  $('list').replaceChildren();
  draw(200);
  const warn = routes.filter(r => r.Warning).length;
  $('count').textContent = shown.length + ' of ' + routes.length + ' routes' + (warn ? ', ' + warn + ' with a warning' : '');
}
async function load() {
  const res = await fetch(base + 'routes.json');
  if (!res.ok) throw new Error(await res.text());
  routes = await res.json() || [];
  for (const r of routes) r.text = [r.Method || 'any', r.Host + r.Pattern, r.Handler, r.File, ...(r.Middleware || [])].join(' ').toLowerCase();
  const methods = [...new Set(routes.map(r => r.Method || 'any'))];
  for (const m of methods) $('fm').append(el('option', m));
  for (const m of new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...methods.filter(m => m !== 'any')])) $('em').append(el('option', m));
  filter();
}
$('q').addEventListener('input', filter);
$('fm').addEventListener('change', filter);
$('fw').addEventListener('change', filter);
$('more').addEventListener('click', () => draw(500));
document.addEventListener('keydown', e => {
  if (e.key === '/' && !/INPUT|SELECT/.test(document.activeElement.tagName)) { e.preventDefault(); $('q').focus(); }
});
$('explain').addEventListener('submit', async e => {
  e.preventDefault();
  const out = $('result');
  out.replaceChildren();
  const res = await fetch(base + 'explain.json?' + new URLSearchParams({ method: $('em').value, path: $('ep').value }));
  if (!res.ok) { out.append(el('p', await res.text(), 'warn')); return; }
  const x = await res.json();
  const head = el('p');
  if (x.Route) {
    head.append(el('span', 'Served by ', 'win'), el('code', (x.Route.Method || 'any') + ' ' + x.Route.Host + x.Route.Pattern), ' — ', el('code', short(x.Route.Handler) + ', ' + x.Route.File + ':' + x.Route.Line));
  } else {
    head.append(el('span', 'No route serves it: ' + x.Status + (x.Location ? ', to ' + x.Location : '') + (x.Allow ? ', Allow: ' + x.Allow : '') + (x.Prefix ? ', answered by the routes below ' + x.Prefix : ''), 'warn'));
  }
  out.append(head);
  if (x.Values && x.Values.length) {
    const dl = el('dl');
    
    for (const v of x.Values) { const dd = el('dd'); dd.append(el('code', v.Value)); dl.append(el('dt', v.Key), dd); }
    out.append(dl);
  }
  const lost = (x.Candidates || []).filter(c => c.Reason).slice(0, 20);
  if (lost.length) {
    out.append(el('p', 'Others, the closest first:'));
    const ol = el('ol');
    for (const c of lost) { const li = el('li'); li.append(el('code', (c.Method || 'any') + ' ' + c.Host + c.Pattern), ' — ' + c.Reason); ol.append(li); }
    out.append(ol);
  }
});
load().catch(e => { $('count').textContent = e.message; });
