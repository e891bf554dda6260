// A session that an identity at a provider has opened says so, for as long as it lives.
import { expect, it } from 'vitest'
import { noRequest } from '../../src/audit/events.js'
import type { ApprovedSignIn } from '../../src/sessions/approved-sign-in.js'
import { createIssueSession } from '../../src/sessions/issuing.js'
import { createSessionOpening } from '../../src/sessions/opening.js'
import type { SessionRowsKit } from '../../src/sessions/rows-kit.js'
import { createSessionTimes } from '../../src/sessions/session-times.js'
import type { UserSessionsKit } from '../../src/sessions/sessions-kit.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { kitOf } from '../support/kit-of.js'
import { at } from '../support/records.js'

const upstream = 'work digest-of-identity digest-of-session'
const approved = {
  user: { id: 'u-alice', username: 'alice', passwordHash: null },
  methods: ['host'],
} as unknown as ApprovedSignIn

function start() {
  const { sessions: store } = memoryStores()
  const clock = () => at(1)
  const sessions = createSessionOpening(
    kitOf<SessionRowsKit>({
      store,
      redeem: () => Promise.reject(new Error('no codes here')),
      createUnlessThere: () => Promise.reject(new Error('no services here')),
      maxSessionsPerUser: 2,
      passwordWatch: { marksOf: () => ({}) },
      clock,
      audit: () => {},
    }),
    createSessionTimes({ sessionIdle: 3600, sessionAbsolute: 7200 }, clock),
    (session, reason) => store.end(session.id, reason, clock()),
  )
  const issueSession = createIssueSession(
    kitOf<UserSessionsKit>({
      sessions,
      accessTokens: {
        issue: async () => ({ token: 'token', expiresIn: 60, expiresAt: at(61) }) as never,
      },
      longestSession: 7200,
      accessTokenLifetime: 60,
      clock,
    }),
  )
  return { store, issueSession }
}

it.each(['session', 'refreshable', 'cookie'] as const)(
  'with %s, a session keeps what opened it, and one that nothing opened has no such member',
  async (tokens) => {
    const { store, issueSession } = start()
    const request = { approved, tokens, lifetime: undefined }
    const { session } = await issueSession({ ...request, upstream }, noRequest)
    expect(await store.find(session.id)).toMatchObject({ upstream, userId: 'u-alice' })
    const { session: plain } = await issueSession(request, noRequest)
    expect(await store.find(plain.id)).not.toHaveProperty('upstream')
  },
)
