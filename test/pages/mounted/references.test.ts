// Each reference that a page shows is in the events: a user reads it out, and support finds it.
import { describe, expect, it } from 'vitest'
import { addressOf, forms } from './forms.js'
import { type MountedHost, queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { openVisitor, type PageAnswer } from './visitor.js'

const referenceOf = ({ text }: PageAnswer) => /[\da-f]{8}-[\da-f-]{27}/.exec(text)?.[0]
// Signing out is of no request of an app.
const ofRequests = forms.map(({ page }) => page).filter((page) => page !== 'sign-out')
const pages = ['authorize', ...ofRequests]

const faults: readonly (readonly [query: string, reason: string, clientId: string | null])[] = [
  [queryOf(wiki, { client_id: 'nobody' }), 'unknown-client', null],
  [queryOf(wiki, { client_id: 'x'.repeat(4000) }), 'too-long', null],
  [queryOf(tracker, { redirect_uri: 'https://evil.example/cb' }), 'redirect-mismatch', 'tracker'],
  [`${queryOf(wiki)}&client_id=wiki`, 'repeated-parameter', null],
]

function eventOf(host: MountedHost, reference: string | undefined) {
  const found = host.host().events.filter(({ requestId }) => requestId === reference)
  return found.find(({ type }) => type === 'page.refused')
}

describe('the reference on an error page', () => {
  it.each(faults)('leads to its event: %#', async (query, reason, clientId) => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    for (const page of pages) {
      const answer = await visitor.open(`${host.base}/oauth/${page}?${query}`)
      const reference = referenceOf(answer)
      expect([page, answer.status]).toEqual([page, 400])
      expect([page, eventOf(host, reference)]).toEqual([
        page,
        {
          type: 'page.refused',
          reason,
          clientId,
          requestId: reference,
          ip: '127.0.0.1',
          at: expect.any(Date),
        },
      ])
    }
    expect(JSON.stringify(host.host().events)).not.toMatch(/nobody|x{101}|evil/)
  })

  it('of a form that another page sends, or that is no form, as well', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    for (const { page } of forms) {
      const refused = await visitor.send(addressOf(host, page), 'a=b', foreign, 'POST')
      expect(eventOf(host, referenceOf(refused))).toMatchObject({ reason: 'refused' })
      const long = await visitor.send(addressOf(host, page), 'a'.repeat(200_000), {}, 'POST')
      expect(eventOf(host, referenceOf(long))).toMatchObject({ reason: 'too-long' })
    }
  })

  it('of an outage leads to its event, too', async () => {
    const down = async () => {
      throw new Error('down')
    }
    const host = await startMounted({ oauth: { clients: { find: down } } })
    const answer = await openVisitor(host).open(`${host.base}/oauth/authorize?${queryOf(wiki)}`)
    expect(answer.status).toBe(503)
    expect(eventOf(host, referenceOf(answer))).toMatchObject({ reason: 'busy', clientId: null })
  })

  it('is on no page where all is well, and there is no such event', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const shown = await visitor.open(`${host.base}/oauth/authorize?${queryOf(wiki)}`)
    expect(shown.status).toBe(200)
    expect(referenceOf(shown)).toBeUndefined()
    expect(host.host().events.filter(({ type }) => type === 'page.refused')).toEqual([])
  })
})
