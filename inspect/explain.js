// The form that explains which route serves a request, and its result.

const few = 8; // number of candidates shown at first
let asked = 0; // number of requests, to ignore late responses

// explain requests explain.json and shows the result.
async function explain(verb, target) {
  if (!/^\/|:\/\//.test(target)) target = '/' + target;
  if (![...$('method').options].some(o => o.value === verb)) $('method').append(el('option', '', verb));
  $('method').value = verb;
  $('path').value = target;
  remember();
  const turn = ++asked;
  let content;
  try {
    const res = await fetch(base + 'explain.json?' + new URLSearchParams({ method: verb, path: target }));
    if (!res.ok) throw new Error(await res.text());
    content = answer(await res.json());
  } catch (err) {
    content = [el('div', 'verdict', el('p', '', el('strong', '', err.message)))];
  }
  if (turn !== asked) return;
  $('answer').replaceChildren(...content);
}

const statuses = { 204: 'No Content', 307: 'Temporary Redirect', 400: 'Bad Request', 404: 'Not Found', 405: 'Method Not Allowed' };

// ask is explain for a click or a key. With one column, it scrolls to the result.
async function ask(verb, target) {
  await explain(verb, target);
  if (matchMedia('(max-width: 1040px)').matches) $('answer').scrollIntoView();
}

// answer returns the content for an explanation: the result, values and other routes.
function answer(x) {
  const pattern = r => [method(methodOf(r)), ' ', path(r.Host + r.Pattern, 0)];
  const verdict = el('div', 'verdict');
  const pairs = [];
  if (x.Route) {
    const known = find(x.Route);
    verdict.classList.add('served');
    verdict.append(el('p', '', el('strong', '', 'Served by')), el('p', '', ...pattern(x.Route)));
    for (const v of x.Values || []) pairs.push([el('code', 'param', v.Key), el('code', '', v.Value)]);
    pairs.push(['Handler', el('code', '', short(x.Route.Handler))], ['Registered', el('code', '', fileOf(x.Route))]);
    if (known) pairs.push(['Middleware', chain(known)], ['', button('Show in the list', 'small', () => reveal(known))]);
  } else {
    verdict.append(el('p', '', el('strong', '', 'No route: ' + x.Status + ' ' + (statuses[x.Status] || ''))));
    if (x.Location) pairs.push(['Location', el('code', '', x.Location)]);
    if (x.Allow) pairs.push(['Allow', el('code', '', x.Allow)]);
    if (x.Prefix) pairs.push(['Response from', el('code', '', x.Prefix)]);
  }
  const content = [verdict, definitions(pairs)];
  const lost = (x.Candidates || []).filter(c => c.Reason);
  if (lost.length) content.push(el('h3', '', x.Route ? 'Why no other route' : 'Why no route'), ...others(lost, c => el('div', '', ...pattern(c), el('p', '', c.Reason))));
  return content;
}

// others returns the first candidates, and a button that shows the rest.
function others(lost, make) {
  const first = list('ol', 'others', lost.slice(0, few), make);
  if (lost.length <= few) return [first];
  const rest = button('Show all ' + grouped(lost.length), 'more', () => rest.replaceWith(list('ol', 'others', lost.slice(few), make)));
  return [first, rest];
}

// find returns the list's route for a route of an explanation. The list has the root
// of a group and a mount once, for the prefix with and without a slash.
function find(r) {
  const same = c => c.Method === r.Method && c.Host === r.Host;
  return routes.find(c => same(c) && c.Pattern === r.Pattern) || routes.find(c => same(c) && c.Pattern === r.Pattern + '/' && c.File === r.File && c.Line === r.Line);
}
