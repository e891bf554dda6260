// The lists of docs/clients.md name every method of the account, of passkeys and of providers, and
// the request that it sends.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AuthClient, createAuthClient } from '../../src/client/client.js'
import { type Passkeys, passkeys } from '../../src/client/passkeys/passkeys.js'
import { type ProvidersClient, providers } from '../../src/client/providers/providers.js'
import { startBrowser } from '../client/passkeys-browser.js'
import { newPasskey } from '../passkeys/authenticator.js'

const text = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8')

/** A row of a list: what is called, and what it sends, as the text has it. */
interface Row {
  readonly name: string
  readonly request: string | null
}

/** The first list of methods after a text, in their order. */
function listAfter(heading: string): Row[] {
  const part = text.slice(text.indexOf(heading))
  const list = /^(?:- `.*\n)+/m.exec(part)?.[0] ?? ''
  return [...list.matchAll(/^- `([\w.]+)\(.*?\)`(?:.*: \[`(.*?)`\]\(.*?\)$)?/gm)].map(
    ([, name = '', request = null]) => ({ name, request }),
  )
}

/** Whatever is asked is answered, and noted. */
function recordingClient() {
  const sent: string[] = []
  const client = createAuthClient({
    baseUrl: 'https://chat.example.com/api/v1',
    async fetch(url, { method, body }) {
      sent.push(`${method} ${url.replace('https://chat.example.com/api/v1', '')}`)
      const login = { userId: 'u', authToken: 't', refreshToken: 'r', expiresIn: 600, me: {} }
      const lists = {
        sessions: [],
        accessTokens: [],
        consents: [],
        recoveryCodes: [],
        documents: [],
      }
      const ceremony = { passkeys: [], challenge: 'AAAA', user: { id: 'AAAA' } }
      const { state } = JSON.parse(String(body ?? '{}'))
      const led = { url: `https://x/?state=${state}`, providers: [], identities: [] }
      return Response.json({ _id: 'u', data: { ...login, ...lists, ...ceremony, ...led } })
    },
  })
  return { client, sent }
}

type Call = (client: AuthClient) => Promise<unknown>
const parts = [
  'sessions',
  'tokens',
  'totp',
  'acceptance',
  'consents',
  'password',
  'email',
  'phone',
] as const

const ofAccount: Readonly<Record<string, Call>> = {
  me: (client) => client.me(),
  'sessions.list': (client) => client.sessions.list(),
  'sessions.end': (client) => client.sessions.end(':id'),
  'sessions.endOthers': (client) => client.sessions.endOthers(),
  'tokens.list': (client) => client.tokens.list(),
  'tokens.create': (client) => client.tokens.create({ name: 'bot' }),
  'tokens.end': (client) => client.tokens.end(':id'),
  'tokens.endAll': (client) => client.tokens.endAll(),
  'totp.status': (client) => client.totp.status(),
  'totp.begin': (client) => client.totp.begin('password'),
  'totp.confirm': (client) => client.totp.confirm('123456'),
  'totp.disable': (client) => client.totp.disable('password', '123456'),
  'totp.newRecoveryCodes': (client) => client.totp.newRecoveryCodes('password', '123456'),
  'acceptance.list': (client) => client.acceptance.list(),
  'acceptance.accept': (client) => client.acceptance.accept([{ id: 'terms', version: '1' }]),
  'consents.list': (client) => client.consents.list(),
  'consents.revoke': (client) => client.consents.revoke(':clientId'),
  'password.forgot': (client) => client.password.forgot({ username: 'alice' }),
  'password.reset': (client) => client.password.reset('mar_pr_token', 'password'),
  'password.change': (client) => client.password.change('password', { password: 'old' }),
  'email.get': (client) => client.email.get(),
  'email.verify': (client) => client.email.verify(),
  'email.change': (client) => client.email.change('new@example.com'),
  'email.confirm': (client) => client.email.confirm('request', '12345678'),
  'email.setSecondFactor': (client) => client.email.setSecondFactor(true),
  'email.undo': (client) => client.email.undo('mar_eu_token'),
  'phone.get': (client) => client.phone.get(),
  'phone.verify': (client) => client.phone.verify(),
  'phone.change': (client) => client.phone.change('+4917087654321'),
  'phone.confirm': (client) => client.phone.confirm('request', '12345678'),
  'phone.setSecondFactor': (client) => client.phone.setSecondFactor(true),
  'phone.undo': (client) => client.phone.undo('mar_eu_token'),
}

const ofPasskeys: Readonly<Record<keyof Passkeys, Call | null>> = {
  signIn: (client) => passkeys(client).signIn(),
  // What it sends is what `client.signIn` sends: its result does so itself.
  submit: null,
  list: (client) => passkeys(client).list(),
  add: (client) => passkeys(client).add(),
  rename: (client) => passkeys(client).rename(':id', 'Phone'),
  remove: (client) => passkeys(client).remove(':id'),
  reauthenticate: (client) => passkeys(client).reauthenticate(),
  isSupported: null,
  hasSuggestions: null,
}

describe('the list of the account', () => {
  const rows = listAfter('### The account')

  it('names every method that a client has, and no other', () => {
    const { client } = recordingClient()
    const methods = parts.flatMap((part) =>
      Object.keys(client[part]).map((method) => `${part}.${method}`),
    )
    expect(rows.map(({ name }) => name)).toEqual(['me', ...methods])
  })

  it.each(rows)('$name sends $request, as it says', async ({ name, request }) => {
    const { client, sent } = recordingClient()
    await client.signIn({ user: 'alice', password: 'password' })
    sent.length = 0
    await ofAccount[name]?.(client)
    expect(sent.map(decodeURIComponent)).toEqual([request])
  })
})

describe('the list of passkeys', () => {
  const rows = listAfter('## Passkeys\n')

  it('names every method that there is, and no other', () => {
    const { client } = recordingClient()
    const methods = Object.keys(passkeys(client))
    expect(rows.map(({ name }) => name).toSorted()).toEqual(methods.toSorted())
  })

  it.each(rows)('$name sends $request, as it says', async ({ name, request }) => {
    const call = ofPasskeys[name as keyof Passkeys]
    if (call === null) return
    startBrowser().held.push(newPasskey())
    const { client, sent } = recordingClient()
    await client.signIn({ user: 'alice', password: 'password' })
    sent.length = 0
    await call(client)
    expect(sent.map(decodeURIComponent)).toContain(request)
  })
})

const returnTo = 'https://x/'

/** An answer to a start, whose request is not noted. */
async function answerTo(start: ProvidersClient['start'], sent: string[]): Promise<string> {
  const state = new URL(await start(':id', { returnTo })).searchParams
  sent.length = 0
  return `https://x/?ticket=t&iss=https://chat.example.com&${state}`
}

type OfProviders = (all: ProvidersClient, sent: string[]) => Promise<unknown>
const ofProviders: Readonly<Record<string, OfProviders | null>> = {
  list: (all) => all.list(),
  start: (all) => all.start(':id', { returnTo }),
  isAnswer: null,
  finish: async (all, sent) => all.finish(await answerTo(all.start, sent)),
  'identities.list': ({ identities }) => identities.list(),
  'identities.start': ({ identities }) => identities.start(':id', { returnTo }),
  'identities.isAnswer': null,
  'identities.finish': async ({ identities }, sent) =>
    identities.finish(await answerTo(identities.start, sent)),
  'identities.remove': ({ identities }) => identities.remove(':id'),
}

describe('the list of providers', () => {
  const rows = listAfter('## Sign-in with the account of a provider\n')

  it('names every method that there is, and no other', () => {
    const all = providers(recordingClient().client)
    const { identities, ...own } = all
    const ofUser = Object.keys(identities).map((method) => `identities.${method}`)
    const methods = [...Object.keys(own), ...ofUser]
    expect(rows.map(({ name }) => name).toSorted()).toEqual(methods.toSorted())
  })

  it.each(rows)('$name sends $request, as it says', async ({ name, request }) => {
    const call = ofProviders[name]
    if (call === null) return
    const { client, sent } = recordingClient()
    await client.signIn({ user: 'alice', password: 'password' })
    sent.length = 0
    await call?.(providers(client), sent)
    expect(sent.map(decodeURIComponent)).toContain(request)
  })
})
