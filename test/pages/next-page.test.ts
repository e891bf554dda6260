// Which page is next: the decision of the authorization endpoint and the flow, and nothing else. A
// browser is walked through all of it here, page by page.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuthorizationRequest } from '../../src/oauth/authorization-request.js'
import { type BrowserSignIn, decideAuthorization } from '../../src/oauth/decide-authorization.js'
import type { Flow } from '../../src/pages/flow.js'
import { mayShow, type NextStep, nextStep, type StepPage } from '../../src/pages/next-page.js'
import type { RequiredAction } from '../../src/principal/required-actions.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { bridge, desktop, ownResource, tracker, wiki } from '../oauth/some-clients.js'
import { rounds } from '../support/rounds.js'
import { flowParts, halfWay, now } from './flow-parts.js'

const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const { flows } = flowParts()
const half = flows.withPending(flows.begin(), halfWay)

const alice: BrowserSignIn = {
  userId: 'u-alice',
  authenticatedAt: ago(600),
  acr: 'urn:mar:1fa',
  reachableAcrs: [],
  required: [],
  isByFormerSecret: false,
}

/** All that a user may have to do first. */
const everything: readonly RequiredAction[] = [
  'change-password',
  'verify-address',
  'enrol',
  'accept',
]

interface World {
  readonly client: OAuthClient
  readonly request: Partial<AuthorizationRequest>
  readonly session: BrowserSignIn | null
  readonly granted: readonly string[]
  readonly flow: Flow | null
  readonly hintedUserId: string | null
}

const world: World = {
  client: wiki,
  request: {},
  session: alice,
  granted: [],
  flow: null,
  hintedUserId: null,
}

function decide({ client, request, session, granted, flow, hintedUserId }: World) {
  const asked: AuthorizationRequest = {
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
    resources: [ownResource],
    ...request,
  }
  const isAllowed = asked.scopes.every((scope) => granted.includes(scope))
  const done = flow?.done ?? []
  return decideAuthorization(asked, session, isAllowed, { done, hintedUserId, now })
}

function wordOf(step: NextStep): string {
  if (step.next === 'page') return step.page
  return step.answer === 'code' ? 'code' : step.error
}

const next = (at: World) => nextStep(decide(at), at.flow)

/** Whoever is at a page does what it asks for, as well as can be. */
function pass(page: StepPage, at: World): World {
  const flow = at.flow ?? flows.begin()
  const session = at.session ?? alice
  switch (page) {
    case 'sign-in':
      return {
        ...at,
        session: { ...session, authenticatedAt: now },
        flow: flows.withStep(flow, 'login'),
      }
    case 'second-factor': {
      const required = session.required.filter((one) => one !== 'enrol')
      const shown: BrowserSignIn = { ...session, acr: 'urn:mar:2fa', required }
      return flow.pending === null
        ? { ...at, session: shown, flow }
        : {
            ...at,
            session: { ...shown, authenticatedAt: now },
            flow: flows.withStep(flow, 'login'),
          }
    }
    case 'enrolment':
    case 'new-password':
    case 'address':
    case 'acceptance':
      return { ...at, session: { ...session, required: session.required.slice(1) }, flow }
    case 'consent':
      return {
        ...at,
        granted: [...at.granted, ...(at.request.scopes ?? ['openid'])],
        flow: flows.withStep(flow, 'consent'),
      }
    case 'continue':
      return { ...at, flow: flows.withStep(flow, 'select_account') }
    default:
      throw new Error(`no page: ${page}`)
  }
}

/** All that somebody is shown on the way, and how it ends. */
function walk(from: World): string[] {
  const shown: string[] = []
  let at = from
  for (;;) {
    const step = next(at)
    shown.push(wordOf(step))
    if (step.next !== 'page' || shown.length > 10) return shown
    expect(mayShow(step.page, decide(at), at.flow), 'a page that is next may be shown').toBe(true)
    at = pass(step.page, at)
  }
}

const native = { redirectUri: 'http://127.0.0.1:4711/callback' }
const scheme = { redirectUri: 'com.example.chat:/callback' }
const claimed = { redirectUri: 'https://app.example.com/callback' }
const nobody = { session: null }
const stepUp = {
  request: { acrValues: ['urn:mar:2fa'] as const },
  session: { ...alice, reachableAcrs: ['urn:mar:2fa'] as const },
}

describe('whoever follows a link is shown, in this order,', () => {
  it.each<[string, Partial<World>, string[]]>([
    ['nothing, where the session will do', {}, ['code']],
    ['the sign-in', nobody, ['sign-in', 'code']],
    [
      'the sign-in, again where prompt=login',
      { request: { prompt: ['login'] } },
      ['sign-in', 'code'],
    ],
    ['the sign-in once, where max_age=0', { request: { maxAge: 0 } }, ['sign-in', 'code']],
    ['the sign-in, where it is too old', { request: { maxAge: 60 } }, ['sign-in', 'code']],
    [
      'the sign-in once, where the hint names another',
      { hintedUserId: 'u-bob' },
      ['sign-in', 'login_required'],
    ],
    [
      'the accounts, where asked for',
      { request: { prompt: ['select_account'] } },
      ['continue', 'code'],
    ],
    [
      'the sign-in alone, who signs in has selected',
      { ...nobody, request: { prompt: ['select_account'] } },
      ['sign-in', 'code'],
    ],
    ['the second factor, where acr_values asks for it', stepUp, ['second-factor', 'code']],
    [
      'nothing of it, where the user has none',
      { request: { acrValues: ['urn:mar:2fa'] } },
      ['code'],
    ],
    [
      'the password and then the enrolment, where it is demanded',
      { session: { ...alice, required: ['enrol'] } },
      ['sign-in', 'enrolment', 'code'],
    ],
    [
      'the password and then all that must be done first',
      { session: { ...alice, required: everything }, client: tracker },
      ['sign-in', 'new-password', 'address', 'enrolment', 'acceptance', 'consent', 'code'],
    ],
    [
      'the documents without the password: nobody gains anything by accepting them',
      { session: { ...alice, required: ['accept'] } },
      ['acceptance', 'code'],
    ],
    // Part 2.6, row by row: nothing just typed, and just signed in.
    ['first party, web', {}, ['code']],
    ['first party, native, claimed', { client: desktop, request: claimed }, ['code']],
    ['first party, native, loopback', { client: desktop, request: native }, ['continue', 'code']],
    [
      'first party, native, loopback, just signed in',
      { client: desktop, request: native, ...nobody },
      ['sign-in', 'code'],
    ],
    [
      'first party, native, private scheme',
      { client: desktop, request: scheme },
      ['continue', 'code'],
    ],
    ['third party', { client: tracker }, ['consent', 'code']],
    ['third party, just signed in', { client: tracker, ...nobody }, ['sign-in', 'consent', 'code']],
    ['third party, all granted', { client: tracker, granted: ['openid'] }, ['code']],
    [
      'third party, granted less',
      { client: tracker, granted: ['openid'], request: { scopes: ['openid', 'messages:read'] } },
      ['consent', 'code'],
    ],
    [
      'third party, prompt=consent',
      { client: tracker, granted: ['openid'], request: { prompt: ['consent'] } },
      ['consent', 'code'],
    ],
    [
      'third party, native, all granted: never silent',
      {
        client: bridge,
        granted: ['openid'],
        request: { redirectUri: 'http://localhost:1/callback' },
      },
      ['continue', 'code'],
    ],
    [
      'third party, native, consent',
      { client: bridge, request: { redirectUri: 'net.example.bridge:/cb' } },
      ['consent', 'code'],
    ],
    [
      'all of it',
      {
        client: tracker,
        session: { ...alice, reachableAcrs: ['urn:mar:2fa'] },
        request: { prompt: ['login', 'consent', 'select_account'], acrValues: ['urn:mar:2fa'] },
      },
      ['sign-in', 'second-factor', 'consent', 'code'],
    ],
  ])('%s', (_name, change, shown) => {
    expect(walk({ ...world, ...change })).toEqual(shown)
  })

  it.each<[string, Partial<World>, string]>([
    ['nobody is signed in', nobody, 'login_required'],
    ['consent is due', { client: tracker }, 'consent_required'],
    ['a second factor is due', stepUp, 'interaction_required'],
    ['somebody is half way', { ...nobody, flow: half }, 'login_required'],
  ])('with prompt=none no page, but what the client is told: %s', (_name, change, told) => {
    const at = { ...world, ...change }
    const silent: World = { ...at, request: { ...at.request, prompt: ['none'] } }
    expect(walk(silent)).toEqual([told])
    const pages: StepPage[] = ['sign-in', 'second-factor', 'enrolment', 'consent', 'continue']
    expect(pages.filter((page) => mayShow(page, decide(silent), silent.flow))).toEqual([])
  })
})

describe('whoever is half way through signing in', () => {
  it('is asked for the second factor, and not for the password again', () => {
    expect(walk({ ...world, ...nobody, flow: half })).toEqual(['second-factor', 'code'])
    expect(walk({ ...world, request: { prompt: ['login'] }, flow: half })).toEqual([
      'second-factor',
      'code',
    ])
  })

  it('is not, once signed in by another tab', () => {
    expect(walk({ ...world, flow: half })).toEqual(['code'])
    expect(walk({ ...world, client: tracker, flow: half })).toEqual(['consent', 'code'])
  })

  it('may go back to the sign-in', () => {
    expect(mayShow('sign-in', decide({ ...world, ...nobody, flow: half }), half)).toBe(true)
  })
})

describe('nobody', () => {
  it('is shown the same page twice in a row, or asked for ever', () => {
    const steps = ['login', 'select_account', 'consent'] as const
    const after = steps.map((step) => flows.withStep(flows.begin(), step))
    const sessions: (BrowserSignIn | null)[] = [
      null,
      alice,
      ...everything.map((one) => ({ ...alice, required: [one] })),
      { ...alice, required: everything },
      { ...alice, reachableAcrs: ['urn:mar:2fa'] },
      { ...alice, authenticatedAt: now },
    ]
    const uris = [wiki, desktop, tracker, bridge].flatMap((client) =>
      client.redirectUris.map((redirectUri) => ({ client, redirectUri })),
    )
    const anyWorld = fc.record({
      uri: fc.constantFrom(...uris),
      prompt: fc.subarray(['login', 'consent', 'select_account', 'create'] as const),
      maxAge: fc.constantFrom(null, 0, 60, 3600),
      acrValues: fc.subarray(['phr', 'urn:mar:2fa', 'urn:mar:1fa'] as const),
      session: fc.constantFrom(...sessions),
      granted: fc.subarray(['openid']),
      hintedUserId: fc.constantFrom(null, 'u-alice', 'u-bob'),
      flow: fc.constantFrom(null, half, ...after),
    })
    fc.assert(
      fc.property(anyWorld, ({ uri: { client, ...uri }, prompt, maxAge, acrValues, ...rest }) => {
        const request = { ...uri, prompt, maxAge, acrValues }
        const shown = walk({ ...rest, client, request })
        expect(shown.length).toBeLessThan(11)
        const pages = shown.slice(0, -1)
        expect(pages).toEqual([...new Set(pages)])
      }),
      { numRuns: rounds(500) },
    )
  })

  it('is shown a page that is not due: its address leads to where it is decided', () => {
    const pages: StepPage[] = ['second-factor', 'enrolment', 'consent', 'continue']
    const shown = (at: World) => pages.filter((page) => mayShow(page, decide(at), at.flow))
    expect(shown(world)).toEqual([])
    expect(shown({ ...world, ...nobody })).toEqual([])
    expect(shown({ ...world, client: tracker })).toEqual(['consent'])
    expect(shown({ ...world, ...nobody, client: tracker })).toEqual([])
    expect(mayShow('recovery-code', decide({ ...world, ...nobody }), half)).toBe(true)
  })

  it('is kept from the way to another account, and sent on where nobody wants one', () => {
    const wanted = flows.withStep(flows.begin(), 'other_account')
    for (const client of [wiki, tracker, desktop]) {
      expect(mayShow('sign-in', decide({ ...world, client }), null)).toBe(false)
      expect(next({ ...world, client, flow: wanted })).toEqual({ next: 'page', page: 'sign-in' })
      expect(mayShow('sign-in', decide({ ...world, client }), wanted)).toBe(true)
    }
    // Half way to it, and there.
    const halfThere = flows.withPending(wanted, halfWay)
    expect(next({ ...world, flow: halfThere })).toEqual({ next: 'page', page: 'second-factor' })
    expect(mayShow('sign-in', decide(world), halfThere)).toBe(true)
    expect(flows.withStep(halfThere, 'login').done).toEqual(['login'])
    const silent = { ...world, ...nobody, request: { prompt: ['none' as const] }, flow: wanted }
    expect(wordOf(next(silent))).toBe('login_required')
  })
})
