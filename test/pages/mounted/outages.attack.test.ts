// Each store of the host fails at each page, when it is opened and when its form is sent: a page
// says so with Retry-After, nobody is signed in or out by it, and the browser keeps its cookies.
import { describe, expect, it } from 'vitest'
import { effectsIn, type Form, forms } from './forms.js'
import { type MountedHost, recoveryCodes, startMounted } from './mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor } from './visitor.js'

/** Parts whose methods are watched, and the one that is away. */
interface Parts {
  readonly called: Set<string>
  away: string | null
}

/** Calls on which no answer hangs. */
const inPassing = ['sessions.touch', 'users.updatePasswordHash']

function watchParts({ stores, oauthStores, users }: MountedHost): Parts {
  const parts: Parts = { called: new Set(), away: null }
  const { sessions, secondFactors, codes } = stores
  const { consents, once } = oauthStores
  for (const [part, methods] of Object.entries({
    sessions,
    secondFactors,
    codes,
    consents,
    once,
    users,
  }))
    for (const [name, real] of Object.entries(methods)) {
      if (typeof real !== 'function') continue
      const watched = async (...given: unknown[]) => {
        if (!inPassing.includes(`${part}.${name}`)) parts.called.add(part)
        if (parts.away === part) throw new Error('the database is away')
        return (real as (...given: unknown[]) => unknown).apply(methods, given)
      }
      Object.assign(methods, { [name]: watched })
    }
  return parts
}

/** What a request needs: its answer where all is well, and which parts it asks. */
async function askedBy(parts: Parts, ask: () => Promise<PageAnswer>) {
  parts.called.clear()
  const usual = await ask()
  return { usual, needed: [...parts.called] }
}

function expectBusy({ status, headers, text }: PageAnswer, where: string): void {
  expect([where, status, headers['content-type']]).toEqual([where, 503, 'text/html; charset=utf-8'])
  expect(Number(headers['retry-after']), where).toBeGreaterThan(0)
  expect(headers['set-cookie'], where).toBeUndefined()
  expect(headers['x-frame-options'], where).toBe('DENY')
  expect(text, where).toMatch(/Please try again in <bdi>\d+ seconds?<\/bdi>\./)
  expect(text, where).not.toContain('away')
}

describe.each(forms)('The page $page', (form) => {
  it('says that it is busy where a store is away as it is opened', async () => {
    const host = await startMounted()
    const parts = watchParts(host)
    const visitor = openVisitor(host)
    const { url } = await form.reach(visitor, host)
    const ask = () => visitor.get(url, { 'Sec-Fetch-Site': 'same-origin' })
    // What was read before is forgotten.
    host.clock.advance(61)
    const { usual, needed } = await askedBy(parts, ask)
    expect(usual.heading).toBe(form.heading)
    for (const away of needed) {
      host.clock.advance(61 / needed.length)
      const before = await effectsIn(host)
      parts.away = away
      const answer = await ask()
      parts.away = null
      expectBusy(answer, `${away} of ${needed}`)
      expect(await effectsIn(host)).toEqual(before)
      expect((await ask()).heading, away).toBe(form.heading)
    }
    expect([form.page, needed.length > 0]).toEqual([form.page, form.page !== 'sign-in'])
  })

  it('says that it is busy where a store is away as its form is sent', async () => {
    const { needed } = await neededBy(form)
    const host = await startMounted()
    const parts = watchParts(host)
    for (const [at, away] of needed.entries()) {
      const visitor = openVisitor(host)
      const { page, typed } = await ready(form, host, visitor, at)
      const [before, kept] = [await effectsIn(host), new Map(visitor.cookies)]
      parts.away = away
      const answer = await visitor.post(page, typed)
      parts.away = null
      expectBusy(answer, `${away} of ${needed}`)
      expect([await effectsIn(host), visitor.cookies], away).toEqual([before, kept])
      if (form.page === 'sign-in') expect(answer.text).toContain('value="alice"')
    }
    expect(needed.length).toBeGreaterThan(0)
    expect(host.host().unforeseen).toEqual([])
  })
})

async function ready(form: Form, host: MountedHost, visitor: Visitor, at = 0) {
  host.clock.advance(61)
  const page = await form.reach(visitor, host)
  // What was right before the outage is used up, and is not right once more.
  const fresh = form.page === 'recovery-code' ? { code: recoveryCodes[at] as string } : {}
  return { page, typed: { ...form.typed(page, host), ...fresh } }
}

// In a host of its own, since what is done once cannot be done again there.
async function neededBy(form: Form) {
  const host = await startMounted()
  const parts = watchParts(host)
  const visitor = openVisitor(host)
  const { page, typed } = await ready(form, host, visitor)
  return askedBy(parts, () => visitor.post(page, typed))
}
