import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuthorizationRequest } from '../../src/oauth/authorization-request.js'
import {
  type AuthorizationDecision,
  type AuthorizationFlow,
  type BrowserSignIn,
  decideAuthorization,
} from '../../src/oauth/decide-authorization.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { rounds } from '../support/rounds.js'
import { bridge, desktop, tracker, wiki } from './some-clients.js'

const now = new Date('2030-01-01T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)

function requestOf(
  client: OAuthClient,
  change: Partial<AuthorizationRequest> = {},
): AuthorizationRequest {
  return {
    at: 'request',
    raw: '',
    client,
    redirectUri: client.redirectUris[0] as string,
    responseMode: 'query',
    state: null,
    scopes: ['openid'],
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    nonce: null,
    prompt: [],
    maxAge: null,
    loginHint: null,
    idTokenHint: null,
    acrValues: [],
    uiLocales: [],
    resources: ['https://chat.example.com/api'],
    ...change,
  }
}

const alice: BrowserSignIn = {
  userId: 'u-alice',
  authenticatedAt: ago(600),
  acr: 'urn:mar:1fa',
  reachableAcrs: [],
  required: [],
  isByFormerSecret: false,
}
const openid = ['openid']
const actions = ['change-password', 'verify-address', 'enrol', 'accept'] as const
const fresh: AuthorizationFlow = { done: [], hintedUserId: null, now }

interface Case {
  readonly client?: OAuthClient
  readonly request?: Partial<AuthorizationRequest>
  readonly session?: Partial<BrowserSignIn> | null
  readonly granted?: readonly string[]
  readonly flow?: Partial<AuthorizationFlow>
}

function decide({ client = wiki, request, session = {}, granted = [], flow }: Case) {
  return decideAuthorization(
    requestOf(client, request),
    session === null ? null : { ...alice, ...session },
    (request?.scopes ?? openid).every((scope) => granted.includes(scope)),
    { ...fresh, ...flow },
  )
}

/** In one word what is next. */
function wordOf(decision: AuthorizationDecision): string {
  if (decision.next === 'page')
    return 'reason' in decision ? `${decision.page}: ${decision.reason}` : decision.page
  return decision.next === 'error' ? decision.error : 'code'
}

const silent = { prompt: ['none'] } as const
const loopback = { redirectUri: 'http://127.0.0.1:4711/callback' }
const scheme = { redirectUri: 'com.example.chat:/callback' }
const claimed = { redirectUri: 'https://app.example.com/callback' }

describe('the decision, in the order of its list,', () => {
  it.each<[string, Case, page: string, silently: string]>([
    ['nobody is signed in', { session: null }, 'sign-in', 'login_required'],
    [
      'nobody is, any more',
      { session: null, flow: { done: ['login'] } },
      'sign-in',
      'login_required',
    ],
    [
      'the sign-in is older than max_age',
      { request: { maxAge: 599 } },
      'sign-in',
      'login_required',
    ],
    ['it is exactly as old', { request: { maxAge: 600 } }, 'code', 'code'],
    [
      'max_age is 0, in the very moment of a sign-in',
      { request: { maxAge: 0 }, session: { authenticatedAt: now } },
      'sign-in',
      'login_required',
    ],
    [
      'max_age is 0, and the clock has been set back',
      { request: { maxAge: 0 }, session: { authenticatedAt: ago(-60) } },
      'sign-in',
      'login_required',
    ],
    [
      'id_token_hint names another account',
      { flow: { hintedUserId: 'u-bob' } },
      'sign-in',
      'login_required',
    ],
    ['id_token_hint names the account', { flow: { hintedUserId: 'u-alice' } }, 'code', 'code'],
    [
      'id_token_hint still names another after the sign-in',
      { flow: { hintedUserId: 'u-bob', done: ['login'] } },
      'login_required',
      'login_required',
    ],
    [
      'acr_values wants more, and the user has it',
      { request: { acrValues: ['urn:mar:2fa'] }, session: { reachableAcrs: ['urn:mar:2fa'] } },
      'second-factor',
      'interaction_required',
    ],
    ['the user has not', { request: { acrValues: ['urn:mar:2fa'] } }, 'code', 'code'],
    [
      'the user must set up a second factor',
      { session: { required: ['enrol'] } },
      'enrolment',
      'interaction_required',
    ],
    [
      'the user must set another password',
      { session: { required: ['change-password', 'enrol', 'accept'] } },
      'new-password',
      'interaction_required',
    ],
    [
      'the user must prove an address',
      { session: { required: ['verify-address', 'accept'] } },
      'address',
      'interaction_required',
    ],
    [
      'the user must accept something',
      { session: { required: ['accept'] } },
      'acceptance',
      'interaction_required',
    ],
    ['a third party has no consent', { client: tracker }, 'consent', 'consent_required'],
    [
      'the cookie is the former one',
      { client: tracker, session: { isByFormerSecret: true } },
      'continue: former',
      'consent_required',
    ],
    [
      'an app of the host asks from the device',
      { client: desktop, request: loopback },
      'continue: device',
      'consent_required',
    ],
    ['nothing is left to be asked', {}, 'code', 'code'],
  ])('where %s, is %s by page or %s', (_what, given, page, silently) => {
    expect(wordOf(decide(given))).toBe(page)
    const { request } = given
    expect(wordOf(decide({ ...given, request: { ...request, ...silent } }))).toBe(silently)
  })

  it.each(['login', 'create'] as const)('asks for a sign-in once where prompt is %s', (prompt) => {
    const request = { prompt: [prompt] }
    expect(wordOf(decide({ request }))).toBe('sign-in')
    const justNow = { authenticatedAt: ago(300) }
    const flow = { done: ['login'] } as const
    expect(wordOf(decide({ request, flow, session: justNow }))).toBe('code')
    expect(wordOf(decide({ request, flow, session: { authenticatedAt: ago(301) } }))).toBe(
      'sign-in',
    )
    expect(wordOf(decide({ request, flow: { done: ['select_account'] } }))).toBe('sign-in')
  })

  it('asks for a sign-in once where max_age is 0, or the account is another', () => {
    const flow = { done: ['login'] } as const
    const session = { authenticatedAt: ago(60) }
    for (const maxAge of [0, 1, 60])
      expect(wordOf(decide({ request: { maxAge }, flow, session }))).toBe('code')
    expect(wordOf(decide({ request: { maxAge: 599 }, flow }))).toBe('sign-in')
    expect(wordOf(decide({ flow: { ...flow, hintedUserId: 'u-alice' } }))).toBe('code')
  })

  it('asks which account once where prompt is select_account', () => {
    const request = { prompt: ['select_account'] } as const
    expect(wordOf(decide({ request }))).toBe('continue: select_account')
    expect(wordOf(decide({ request, session: null }))).toBe('sign-in')
    for (const done of ['select_account', 'login'] as const)
      expect(wordOf(decide({ request, flow: { done: [done] } }))).toBe('code')
  })

  it('asks for everything there is, one after the other', () => {
    const client = bridge
    const request: Partial<AuthorizationRequest> = {
      prompt: ['login', 'select_account', 'consent'],
      acrValues: ['phr'],
    }
    const asked: string[] = []
    const ask = (given: Case) => asked.push(wordOf(decide({ client, request, ...given })))
    ask({ session: null })
    ask({})
    const done = ['login'] as const
    ask({ flow: { done }, session: { reachableAcrs: ['phr'], required: ['enrol'] } })
    ask({ flow: { done }, session: { acr: 'phr', required: ['enrol'] } })
    ask({ flow: { done }, session: { acr: 'phr' } })
    // Which has taken her ten minutes, and she was to sign in now.
    const flow = { done: [...done, 'consent'] } as const
    ask({ flow, session: { acr: 'phr' }, granted: ['openid'] })
    ask({ flow, session: { acr: 'phr', authenticatedAt: now }, granted: ['openid'] })
    expect(asked).toEqual([
      'sign-in',
      'sign-in',
      'second-factor',
      'enrolment',
      'consent',
      'sign-in',
      'code',
    ])
  })
})

describe('acr_values', () => {
  it.each<[string, Case['request'], Partial<BrowserSignIn>, string | null]>([
    ['are nothing where there are none', {}, { reachableAcrs: ['phr'] }, null],
    [
      'are content with what was shown',
      { acrValues: ['urn:mar:2fa'] },
      { acr: 'urn:mar:2fa', reachableAcrs: ['phr'] },
      null,
    ],
    [
      'take a passkey for two factors',
      { acrValues: ['urn:mar:2fa'] },
      { acr: 'phr', reachableAcrs: ['urn:mar:2fa'] },
      null,
    ],
    [
      'do not take two factors for a passkey',
      { acrValues: ['phr'] },
      { acr: 'urn:mar:2fa', reachableAcrs: ['phr'] },
      'phr',
    ],
    [
      'bring a passkey where it is all that the user has',
      { acrValues: ['urn:mar:2fa'] },
      { reachableAcrs: ['phr'] },
      'urn:mar:2fa',
    ],
    [
      'fall back on the next that can be had',
      { acrValues: ['phr', 'urn:mar:2fa'] },
      { reachableAcrs: ['urn:mar:2fa'] },
      'urn:mar:2fa',
    ],
    [
      'go by the first that is fulfilled',
      { acrValues: ['urn:mar:1fa', 'phr'] },
      { reachableAcrs: ['phr'] },
      null,
    ],
  ])('%s', (_what, request = {}, session, acr) => {
    expect(decide({ request, session })).toEqual(
      acr === null ? { next: 'code' } : { next: 'page', page: 'second-factor', acr },
    )
  })
})

const partner: OAuthClient = { ...bridge, redirectUris: [...desktop.redirectUris] }
const consented = { request: { prompt: ['consent'] } } as const

describe('when the user is asked', () => {
  it.each<[who: string, where: string, Case, signedIn: string, sso: string, ssoAllowed: string]>([
    ['first party, web', 'https', { client: wiki }, 'code', 'code', 'code'],
    [
      'first party, native',
      'claimed https',
      { client: desktop, request: claimed },
      'code',
      'code',
      'code',
    ],
    [
      'first party, native',
      'private scheme',
      { client: desktop, request: scheme },
      'code',
      'continue: device',
      'continue: device',
    ],
    [
      'first party, native',
      'loopback',
      { client: desktop, request: loopback },
      'code',
      'continue: device',
      'continue: device',
    ],
    ['first party, web, with a secret', 'loopback', { request: loopback }, 'code', 'code', 'code'],
    [
      'first party, web, without a secret',
      'loopback',
      { client: { ...wiki, secretHashes: [] }, request: loopback },
      'code',
      'continue: device',
      'continue: device',
    ],
    ['third party, web', 'https', { client: tracker }, 'consent', 'consent', 'code'],
    [
      'third party, native',
      'claimed https',
      { client: partner, request: claimed },
      'consent',
      'consent',
      'code',
    ],
    [
      'third party, native',
      'private scheme',
      { client: partner, request: scheme },
      'consent',
      'consent',
      'continue: device',
    ],
    [
      'third party, native',
      'loopback',
      { client: partner, request: loopback },
      'consent',
      'consent',
      'continue: device',
    ],
  ])('by a client of a %s, on %s', (_who, _where, given, signedIn, sso, ssoAllowed) => {
    const flow = { done: ['login'] } as const
    expect(wordOf(decide({ ...given, flow }))).toBe(signedIn)
    expect(wordOf(decide(given))).toBe(sso)
    expect(wordOf(decide({ ...given, granted: openid }))).toBe(ssoAllowed)
    // Who has just signed in on the page and has allowed it before is not asked again.
    expect(wordOf(decide({ ...given, flow, granted: openid }))).toBe('code')
  })

  it('is once: whoever has passed the page goes on', () => {
    for (const done of ['login', 'select_account', 'consent'] as const)
      expect(wordOf(decide({ client: desktop, request: scheme, flow: { done: [done] } }))).toBe(
        'code',
      )
    expect(
      wordOf(
        decide({ client: partner, request: scheme, granted: openid, flow: { done: ['consent'] } }),
      ),
    ).toBe('code')
  })

  it('is anew for a scope that is not allowed yet', () => {
    const request = { scopes: ['openid', 'messages:read'] }
    const given = { client: tracker, request }
    expect(wordOf(decide({ ...given, granted: ['openid', 'profile'] }))).toBe('consent')
    expect(wordOf(decide({ ...given, granted: ['messages:read', 'openid'] }))).toBe('code')
  })

  it('is once with prompt=consent, also where all is allowed', () => {
    const given = { client: tracker, granted: openid, ...consented }
    expect(wordOf(decide(given))).toBe('consent')
    expect(wordOf(decide({ ...given, flow: { done: ['login'] } }))).toBe('consent')
    expect(wordOf(decide({ ...given, flow: { done: ['consent'] } }))).toBe('code')
  })

  it('is again where a consent was taken back while the page was passed', () => {
    expect(wordOf(decide({ client: tracker, flow: { done: ['consent'] } }))).toBe('consent')
  })

  it('is never for consent by a client of the first party', () => {
    expect(wordOf(decide({ client: wiki, ...consented }))).toBe('code')
    const undecided: OAuthClient = { ...tracker, firstParty: false }
    expect(wordOf(decide({ client: undecided }))).toBe('consent')
  })
})

describe('any decision', () => {
  const words = <Word extends string>(...some: Word[]) => fc.subarray(some)
  const given = fc.record({
    client: fc.constantFrom(wiki, desktop, tracker, bridge),
    redirectUri: fc.constantFrom(...desktop.redirectUris),
    prompt: fc.oneof(
      fc.constant(['none' as const]),
      words('login', 'consent', 'select_account', 'create'),
    ),
    maxAge: fc.option(fc.constantFrom(0, 60, 86_400)),
    acrValues: words('phr', 'urn:mar:2fa', 'urn:mar:1fa'),
    scopes: fc.constantFrom(openid, ['openid', 'messages:read']),
    granted: words<string>('openid', 'messages:read'),
    done: words('login', 'select_account', 'consent'),
    hintedUserId: fc.option(fc.constantFrom('u-alice', 'u-bob')),
    session: fc.option(
      fc.record({
        acr: fc.constantFrom('urn:mar:1fa' as const, 'urn:mar:2fa' as const, 'phr' as const),
        reachableAcrs: words('phr', 'urn:mar:2fa'),
        required: fc.oneof(fc.constant([]), words(...actions)),
        isByFormerSecret: fc.boolean(),
        authenticatedAt: fc.constantFrom(now, ago(30), ago(600)),
      }),
    ),
  })

  it('is the same for the same, shows no page that prompt=none forbids, and gives no code away', () => {
    const seen = { code: 0, page: 0, error: 0 }
    fc.assert(
      fc.property(given, ({ client, session, granted, done, hintedUserId, ...request }) => {
        const all: Case = { client, request, session, granted, flow: { done, hintedUserId } }
        const decision = decide(all)
        expect(decide(all)).toEqual(decision)
        seen[decision.next] += 1
        const prompt: readonly string[] = request.prompt
        if (prompt.includes('none')) expect(decision.next).not.toBe('page')
        if (decision.next !== 'code') return
        expect(session).toMatchObject({ required: [], isByFormerSecret: false })
        expect(hintedUserId ?? 'u-alice').toBe('u-alice')
        expect(session && isLongAgo(session, request)).toBe(false)
        const scopes: readonly string[] = request.scopes
        const isAllowed = scopes.every((scope) => granted.includes(scope))
        expect(client.firstParty === true || isAllowed).toBe(true)
        const isKnown =
          request.redirectUri.startsWith('https:') || client.secretHashes !== undefined
        expect(isKnown || done.length > 0).toBe(true)
      }),
      { numRuns: rounds(4000), seed: 20_261_122 },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(rounds(100))
  })

  it('leads to an end: whoever passes each page gets a code or an error', () => {
    fc.assert(
      fc.property(given, ({ client, session, granted, done, hintedUserId, ...request }) => {
        let state: Case = { client, request, session, granted, flow: { done, hintedUserId } }
        for (let pages = 0; pages < 9; pages += 1) {
          const decision = decide(state)
          if (decision.next !== 'page') return
          state = passed(state, decision)
        }
        throw new Error('asked again and again')
      }),
      { numRuns: rounds(500), seed: 4 },
    )
  })
})

/** Whether a sign-in that the request wants here and now was ten minutes ago. */
function isLongAgo(
  { authenticatedAt }: Pick<BrowserSignIn, 'authenticatedAt'>,
  { prompt, maxAge }: Pick<AuthorizationRequest, 'prompt' | 'maxAge'>,
): boolean {
  const isWantedNow = prompt.includes('login') || maxAge === 0
  return isWantedNow && authenticatedAt.getTime() === ago(600).getTime()
}

/** What is so when the user has done what the page asks for. */
function passed(state: Case, page: AuthorizationDecision & { next: 'page' }): Case {
  const done = state.flow?.done ?? []
  const flow = (step: AuthorizationFlow['done'][number]) => ({
    ...state.flow,
    done: [...done, step],
  })
  const session = state.session ?? {}
  switch (page.page) {
    case 'sign-in':
      return { ...state, session: { ...session, authenticatedAt: now }, flow: flow('login') }
    case 'continue':
      // By then the browser has its new cookie.
      return {
        ...state,
        session: { ...session, isByFormerSecret: false },
        flow: flow('select_account'),
      }
    case 'second-factor':
      return { ...state, session: { ...session, acr: page.acr } }
    case 'new-password':
    case 'address':
    case 'enrolment':
    case 'acceptance':
      return { ...state, session: { ...session, required: session.required?.slice(1) ?? [] } }
    case 'consent':
      return { ...state, granted: state.request?.scopes ?? openid, flow: flow('consent') }
  }
}
