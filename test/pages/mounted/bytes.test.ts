// What the pages answer over HTTP, header by header. `npx vitest run test/pages --update` writes it
// anew: read the difference.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ada, type FakeProvider } from '../../provider-sign-in/provider-host.js'
import { password } from '../../support/host.js'
import { addressOf, forms, signIn } from './forms.js'
import { type MountedHost, queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { startPasskeyPages } from './passkey-host.js'
import {
  callbackOf,
  comeBack,
  connect,
  leave,
  signInAt,
  startProviderPages,
} from './provider-visits.js'
import { openVisitor, type PageAnswer, type Visitor } from './visitor.js'

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

// What is drawn anew each time, or depends on the time.
const drawn: readonly (readonly [RegExp, string])[] = [
  [/(\bmar_\w+_dev)_\d+=/g, '$1='],
  [/\bmar_pre_[0-9a-f]{2}_dev=/g, 'mar_pre_XX_dev='],
  [/"disconnect [\w-]+"/g, '"disconnect ID"'],
  [/state=[\w-]{43}/g, 'state=STATE'],
  [/ticket=[\w-]+/g, 'ticket=TICKET'],
  [/(_dev=)[\w.-]{20,}/g, '$1VALUE'],
  [/\bflow=[\w.-]+/g, 'flow=FLOW'],
  [/\bcode=[\w.-]{20,}/g, 'code=CODE'],
  [/name="csrf" value="[^"]*"/g, 'name="csrf" value="TOKEN"'],
  [/(?:127\.0\.0\.1|localhost)(:|%3A)\d+/g, 'host$1PORT'],
  [/secret=[A-Z2-7]+/g, 'secret=SECRET'],
  [/<code class="secret"[^>]*>[^<]*/g, '<code>SECRET'],
  [/<li><code>[^<]*/g, '<li><code>RECOVERY'],
  [/<code dir="ltr">[\w-]{20,}</g, '<code>REFERENCE<'],
  [/data-passkey="[^"]*"/g, 'data-passkey="OPTIONS"'],
]

function masked(text: string): string {
  return drawn.reduce((given, [what, by]) => given.replaceAll(what, by), text)
}

const unsaid = new Set(['date', 'connection', 'keep-alive', 'x-request-id', 'content-length'])

function linesOf({ status, headers, text, heading }: PageAnswer): string[] {
  const said = Object.entries(headers)
    .filter(([name]) => !unsaid.has(name))
    .flatMap(([name, value]) => [value].flat().map((one) => masked(`${name}: ${one}`)))
  return [`${status} ${heading}`, ...said, `${masked(text).length} ${digestOf(masked(text))}`]
}

/** Notes all that a visitor is answered. */
function noting(host: MountedHost) {
  const visitor = openVisitor(host)
  const lines: string[] = []
  const note = (what: string, answer: PageAnswer) => {
    lines.push(`## ${what}`, ...linesOf(answer), '')
    return answer
  }
  return { visitor, note, text: () => lines.join('\n') }
}

type Step = readonly [what: string, ask: (visitor: Visitor) => Promise<PageAnswer>]

const asking = (host: MountedHost): readonly Step[] => [
  ['a request', (one) => one.get(addressOf(host, 'authorize'))],
  ['an unknown client', (one) => one.get(addressOf(host, 'authorize', 'client_id=nobody'))],
  ['no request', (one) => one.get(addressOf(host, 'sign-in', ''))],
  ['nobody to say no to', (one) => one.get(addressOf(host, 'authorize', silent()))],
  ['a request as a form', (one) => one.send(addressOf(host, 'authorize', ''), queryOf(wiki))],
  ['another method', (one) => one.get(addressOf(host, 'sign-in'), {}, 'HEAD')],
  ['a foreign form', (one) => one.send(addressOf(host, 'sign-in'), '', foreign)],
  ['no cookie', (one) => one.send(addressOf(host, 'sign-in'), 'csrf=x', { Cookie: undefined })],
  ['cancel', (one) => one.send(addressOf(host, 'sign-in'), 'choice=cancel')],
  ['another account', (one) => one.send(addressOf(host, 'sign-in'), 'choice=other')],
  [
    'another language',
    (one) => one.get(addressOf(host, 'sign-in', `${queryOf(wiki)}&language=de`)),
  ],
  ['a wrong password', async (one) => one.post(await one.open(addressOf(host, 'sign-in')), wrong)],
  ['nobody signs out', (one) => one.get(`${host.base}/oauth/sign-out`)],
  ['no such file', (one) => one.get(`${host.base}/oauth/assets/page.css`)],
]

const silent = () => queryOf(wiki, { prompt: 'none' })
const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
const wrong = { username: 'alice', password: 'wrong' }

describe('What is answered', () => {
  it('to whom is not signed in', async () => {
    const host = await startMounted()
    const { visitor, note, text } = noting(host)
    for (const [what, ask] of asking(host)) note(what, await ask(visitor))
    await expect(text()).toMatchFileSnapshot('../snapshots/asking.txt')
  })

  it('to each form, as it is sent and as it is sent late', async () => {
    const written: string[] = []
    for (const form of forms) {
      const host = await startMounted()
      const { visitor, note, text } = noting(host)
      const page = note(form.page, await form.reach(visitor, host))
      note(`${form.page}, sent empty`, await visitor.post(page, {}))
      note(`${form.page}, sent`, await visitor.post(page, form.typed(page, host)))
      note(`${form.page}, sent late`, await visitor.post(page, form.typed(page, host)))
      written.push(text())
    }
    await expect(written.join('\n')).toMatchFileSnapshot('../snapshots/forms.txt')
  })

  it('to a device that may have passkeys', async () => {
    const host = await startPasskeyPages()
    const { visitor, note, text } = noting(host)
    const page = note('sign-in', await visitor.open(addressOf(host, 'authorize')))
    const typed = { username: 'alice', password: 'correct horse battery staple', capable: 'yes' }
    note('an offer', await visitor.post(page, typed))
    note('a passkey that is none', await visitor.post(page, { passkey: '{}' }))
    note('an enrolment', await signIn(openVisitor(host), host, 'carol'))
    note('a consent', await signIn(openVisitor(host), host, 'dora', queryOf(tracker)))
    await expect(text()).toMatchFileSnapshot('../snapshots/passkeys.txt')
  })

  it('to whoever comes back from a provider', async () => {
    const written: string[] = []
    for (const unknown of ['refuse', 'connect'] as const) {
      const host = await startProviderPages({ unknown })
      const { visitor, note, text } = noting(host)
      const { answer } = host.provider
      const backWith = async (what: string, given: FakeProvider['answer']) => {
        host.provider.answer = given
        const { callback, there } = await leave(host, visitor)
        const back = await visitor.get(callback)
        note(`${unknown}: there`, there)
        note(`${unknown}: back with ${what}`, back)
        return note(`${unknown}: ${what}`, await visitor.open(back.headers.location ?? callback))
      }
      note(`${unknown}: sign-in`, await visitor.open(signInAt(host)))
      await backWith('nothing', { outcome: 'refused', reason: 'access-denied' })
      await backWith('an error', { outcome: 'refused', reason: 'code' })
      await backWith('an outage', () => Promise.reject(new Error('away')))
      await backWith('an unknown account', answer)
      await connect(host, 'u-bob')
      await backWith('a known account', answer)
      written.push(text())
    }
    await expect(written.join('\n')).toMatchFileSnapshot('../snapshots/providers.txt')
  })

  it('to whoever connects an account, or chooses a name', async () => {
    const host = await startProviderPages({ unknown: 'create' })
    const identity = { ...ada, username: 'alice' }
    host.provider.answer = { outcome: 'identified', identity }
    const { visitor, note, text } = noting(host)
    const { page } = await comeBack(host, visitor)
    note('a new name', page)
    note('a name that is taken', await visitor.post(page, { username: 'bob' }))
    note('a name that is free', await visitor.post(page, { username: 'grace' }))
    const other = openVisitor(host)
    const account = await other.open(`${host.base}/account/identities`)
    const none = note('no other account', await other.fill(account, { username: 'dora', password }))
    const leaving = note('connect', await other.post(none, { choice: 'connect fake' }))
    note('somebody else’s', await other.open(callbackOf(host, leaving)))
    host.provider.answer = { outcome: 'identified', identity: { ...ada, subject: 'other' } }
    const again = await other.post(none, { choice: 'connect fake' })
    const one = note('connected', await other.open(callbackOf(host, again)))
    const id = /value="disconnect ([^"]+)"/.exec(one.text)?.[1]
    note('disconnected', await other.post(one, { choice: `disconnect ${id}`, sure: 'yes' }))
    note('an answer once more', await other.get(callbackOf(host, again)))
    await expect(text()).toMatchFileSnapshot('../snapshots/identities.txt')
  })
})
