// The exchanges with undici: node undici.mjs URL 1 or 2
import {Readable} from 'node:stream'
import {Agent, request} from 'undici'

const url = process.argv[2] + '/exchange'
const dispatcher = new Agent({allowH2: process.argv[3] === '2', connections: 1, pipelining: 1, connect: {rejectUnauthorized: false}})
const body = Buffer.alloc(20_000_000)
const parts = () => Readable.from((function* () { for (let i = 0; i < body.length; i += 50_000) yield body.subarray(i, i + 50_000) })())

async function check(name, want, f) {
  let got
  try { got = await f() } catch (e) { got = `${e.code} ${e.message}` }
  console.log(got === want ? `${name} ok` : `${name}: got ${got}, want ${want}`)
}
const ask = (path, options) => request(url + path, {dispatcher, ...options})

await check('one connection', 10000, async () => { // first: after a refused upload, undici opens a connection for each request
  for (let i = 1; i < 10000; i++) await (await ask('/count')).body.text()
  return Number(await (await ask('/count')).body.text())
})
await check('refused', 413, async () => {
  const r = await ask('/refuse', {method: 'POST', body: parts()})
  await r.body.text()
  return r.statusCode
})
await check('continue', true, async () => {
  const r = await ask('/echo', {method: 'POST', body: parts(), expectContinue: process.argv[3] === '2'})
  return body.equals(Buffer.from(await r.body.arrayBuffer()))
})
await check('trailers', 'trailer  7', async () => {
  const r = await ask('/trailers')
  return `${await r.body.text()} ${r.trailers['x-sum']}`
})
await check('hints', '103 page', async () => {
  let hint
  const r = await ask('/hints', {onInfo: i => { hint = i.statusCode }})
  return `${hint} ${await r.body.text()}`
})
await check('shutdown', 'the last response', async () => (await ask('/shutdown')).body.text())
await dispatcher.destroy()
