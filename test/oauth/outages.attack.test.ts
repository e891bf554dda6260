// What test/host-failures/every-call.attack.test.ts asks of every request, and for those of apps
// more: nonsense is an outage too, people get a page, and an app loses nothing that it still needs.
import { describe, expect, it } from 'vitest'
import { startTapped } from '../support/call-sites.js'
import { type Answered, askWith, isDoneInPassing } from '../support/failing-calls.js'
import { oauthRequests } from '../support/oauth-call-sites.js'

const names = Object.keys(oauthRequests)
const reject = () => Promise.reject(new Error('the database is away'))

/** Nothing is read of what these answer, if they answer at all. */
const unread = [
  'codes.save',
  'deviceCodes.save',
  'sessions.create',
  'sessions.touch',
  'consents.grant',
]
/** Whatever this answers but nothing is a refusal of the host's, as at every other door. */
const refusing = 'hooks.beforeLogin'
/** To the router a token is some text. */
const signing = ['signer.sign', 'signer.signIdToken']

async function eachCall(
  name: string,
  how: () => unknown,
  judge: (usual: Answered, place: number, answered: Answered) => Promise<void>,
  isLeftOut: (call: string) => boolean = () => false,
): Promise<void> {
  const { newScene } = await startTapped()
  // The first session of a process tries whether the stores keep all of their members.
  await askWith(name, newScene())
  const usual = await askWith(name, newScene())
  expect(usual.outcome.status).toBeLessThan(400)
  for (const [place, call] of usual.calls.entries())
    if (!isLeftOut(call)) await judge(usual, place, await askWith(name, newScene(), { place, how }))
}

function isBelieved(name: string, calls: readonly string[], place: number, answer: unknown) {
  const call = calls[place] as string
  if (signing.includes(call)) return typeof answer === 'string'
  if (call === 'apps.claims') return typeof answer === 'object'
  // What is done in passing is so whatever it comes to, and a failure changes nothing.
  return isDoneInPassing(name, calls, place) || unread.includes(call)
}

// A browser whose user is refused is sent to where somebody else can sign in.
function isRefused({ status, text }: Answered['outcome'], usual: number): boolean {
  return status !== usual || (status === 303 && !text.includes('code='))
}

// After the code was used up nobody can tell whether the app has got its session. A consent whose
// row is gone has nothing left to take back.
function statusAfter(before: readonly string[], usual: Answered): number {
  if (before.includes('codes.consume')) return 400
  return before.includes('consents.revoke') ? 404 : usual.outcome.status
}

describe.each(names)('%s', (name) => {
  const nonsense: [string, unknown][] = [
    ['text', 'yes'],
    ['a number', 42],
    ['an outcome that there is not', { outcome: 'ok' }],
    ['an error, returned', new Error('an error, returned')],
  ]

  it.each(nonsense)(
    'is 503 where a call that it needs answers %s, and never a refusal',
    async (_what, answer) => {
      const got: string[] = []
      await eachCall(
        name,
        async () => answer,
        async (usual, place, { calls, outcome }) => {
          const call = calls[place] as string
          const { status } = usual.outcome
          const isRight =
            call === refusing
              ? isRefused(outcome, status)
              : outcome.status === (isBelieved(name, calls, place, answer) ? status : 503)
          if (!isRight) got.push(`${call}, call ${place}: ${outcome.status}`)
        },
        // An object that is no client, or another one, is no client, and is told of in the log.
        (call) => call === 'clients.find' && typeof answer === 'object',
      )
      expect(got).toEqual([])
    },
  )

  it('is done when it is asked again, until the one write that uses up what was sent', async () => {
    const lost: string[] = []
    await eachCall(name, reject, async (usual, place, { calls, outcome, ask }) => {
      if (outcome.status !== 503) return
      const { status } = await ask()
      if (status !== statusAfter(calls.slice(0, place), usual))
        lost.push(`${calls[place]}, call ${place}: ${status}`)
    })
    expect(lost).toEqual([])
  })
})

describe('an authorization request in an outage', () => {
  it('gets a page for people, which says when to try again, and sends nobody anywhere', async () => {
    await eachCall('GET /oauth/authorize', reject, async (_usual, _place, { outcome }) => {
      if (outcome.status !== 503) return
      expect(outcome.text).toMatch(/^<!doctype html>/)
      const wait = `${outcome.retryAfter} seconds`
      expect(outcome.text).toContain(`Please try again in <bdi>${wait}</bdi>.`)
      expect(outcome.retryAfter).toBeGreaterThan(0)
    })
  })
})
