// What an app says of how its user is to be asked, by the router's own pages: which of them are
// shown, and that all of it leads back to the app.
import { expect, it, test } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { totpCode } from '../../src/testing/testing.js'
import { totpSecret } from '../support/host.js'
import { byPages } from './by-pages.js'
import {
  clients,
  desktop,
  type Form,
  formOf,
  issuer,
  ledger,
  requestOf,
  startRelyingParties,
  tracker,
  wiki,
} from './relying-party.js'

/** On a port of the device, and by a scheme of its own. */
const phone: OAuthClient = {
  ...desktop,
  id: 'phone',
  name: 'Phone',
  redirectUris: ['http://127.0.0.1/callback', 'com.example.phone:/callback'],
}

async function start() {
  const at = await startRelyingParties({ oauth: { clients: [...clients, phone] } })
  const pages = byPages(at)
  return { ...at, ...pages, browser: pages.openBrowser() }
}

test.each<[string, OAuthClient, Form, string[]]>([
  ['prompt=login', wiki, { prompt: 'login' }, ['sign-in']],
  ['prompt=login, as max_age=0', wiki, { max_age: '0' }, ['sign-in']],
  ['prompt=create', wiki, { prompt: 'create' }, ['sign-in']],
  ['prompt=consent, of an app of the host', wiki, { prompt: 'consent' }, []],
  ['prompt=consent', tracker, { prompt: 'consent' }, ['consent']],
  ['prompt=login consent', tracker, { prompt: 'login consent' }, ['sign-in', 'consent']],
  ['prompt=select_account', wiki, { prompt: 'select_account' }, ['continue']],
  // Whoever has typed a name has selected an account.
  ['prompt=login select_account', wiki, { prompt: 'login select_account' }, ['sign-in']],
  [
    'prompt=select_account consent',
    tracker,
    { prompt: 'select_account consent' },
    ['continue', 'consent'],
  ],
  ['nothing', wiki, {}, []],
])('%s leads alice, who is signed in, to a code', async (_asked, client, said, shown) => {
  const { flow, browser } = await start()
  await flow(client, {}, browser)
  const { seen, claims } = await flow(client, said, browser)
  expect([seen, claims.sub]).toEqual([shown, 'u-alice'])
  // It was for that request: the next one that says it is asked again.
  expect((await flow(client, said, browser)).seen).toEqual(shown)
})

test.each([
  ['a port of the device', 'http://127.0.0.1:50123/callback'],
  ['a scheme of its own', 'com.example.phone:/callback'],
])('an app by %s gets a code of who is signed in after a question', async (_how, redirect_uri) => {
  const { flow, pass, browser } = await start()
  await flow(wiki, {}, browser)
  const asked = await flow(phone, { redirect_uri }, browser)
  expect(asked.seen).toEqual(['continue'])
  expect(asked.texts[0]).toContain('is an app on this device')
  const query = formOf({ ...requestOf(phone), redirect_uri })
  const refused = await pass(query, browser, { agrees: false })
  expect([refused.seen, refused.params]).toEqual([
    ['continue'],
    {
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'af0ifjsldkj',
      iss: issuer,
    },
  ])
  const silently = await pass(`${query}&prompt=none`, browser)
  expect([silently.seen, silently.params['error']]).toEqual([[], 'consent_required'])
})

it('is told of consent that was refused, and asks again', async () => {
  const { flow, pass, browser } = await start()
  const refused = await pass(formOf(requestOf(tracker)), browser, { agrees: false })
  expect([refused.seen, refused.params['error']]).toEqual([['sign-in', 'consent'], 'access_denied'])
  expect((await flow(tracker, {}, browser)).seen).toEqual(['consent'])
  expect((await flow(tracker, {}, browser)).seen).toEqual([])
  const more = await flow(tracker, { scope: 'openid messages:read' }, browser)
  expect(more.seen).toEqual(['consent'])
})

it('is sent the account that id_token_hint names, or nobody', async () => {
  const { flow, pass, addUser, browser } = await start()
  addUser('bob')
  const { tokens } = await flow(ledger, {}, browser, { username: 'bob' })
  const said = { id_token_hint: String(tokens['id_token']) }
  await flow(wiki, { prompt: 'login' }, browser)
  const again = await flow(ledger, said, browser, { username: 'bob' })
  expect([again.seen, again.claims.sub]).toEqual([['sign-in'], 'u-bob'])
  await flow(wiki, { prompt: 'login' }, browser)
  const query = formOf({ ...requestOf(ledger), ...said })
  // She signs in as herself: asked again and again, she would never get out.
  const another = await pass(query, browser)
  expect([another.seen, another.params['error']]).toEqual([['sign-in'], 'login_required'])
  const silently = await pass(`${query}&prompt=none`, browser)
  expect([silently.seen, silently.params['error']]).toEqual([[], 'login_required'])
})

it('is sent who has shown a second factor, where that is asked for and there', async () => {
  const { flow, browser, host, clock } = await start()
  const before = await flow(wiki, { acr_values: 'urn:mar:2fa' }, browser)
  expect([before.seen, before.claims['acr']]).toEqual([['sign-in'], 'urn:mar:1fa'])
  await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
  const code = () => totpCode(totpSecret, clock())
  const after = await flow(wiki, { acr_values: 'urn:mar:2fa' }, browser, { code })
  expect(after.claims['acr']).toBe('urn:mar:2fa')
  expect(after.seen).toEqual(['sign-in', 'second-factor'])
  const silently = await flow(wiki, { acr_values: 'urn:mar:2fa', prompt: 'none' }, browser)
  expect(silently.claims['acr']).toBe('urn:mar:2fa')
})
