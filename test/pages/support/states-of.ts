import { type FormFault, hiddenFields, type PageForm } from '../../../src/pages/form-parts.js'
import type { SafeHtml } from '../../../src/pages/html.js'
import { accountStates } from './account-states.js'
import { deviceStates, linkStates } from './device-states.js'
import { mailStates } from './mail-states.js'
import { passkeyStates } from './passkey-states.js'
import { requiredStates } from './required-states.js'
import type { View, ViewOf } from './views.js'

/** What is in pages that somebody has typed or registered, or that differs by the request. */
export interface StateData {
  /** An app of the host's own. */
  readonly client: { readonly name: string; readonly host: string }
  readonly foreignClient: { readonly name: string; readonly host: string }
  /** An app on the device. */
  readonly device: { readonly name: string; readonly host: null }
  readonly account: { readonly name: string; readonly username: string }
  /** As a name, in a form that comes back. */
  readonly typed: string
  /** The host's own words. */
  readonly refusal: string
  readonly scopes: readonly string[]
  readonly apis: readonly string[]
  readonly factorLabel: string
  readonly deviceName: string
  /** Of the host, to be accepted. */
  readonly documents: readonly string[]
  readonly codes: readonly string[]
  readonly reference: string
  readonly hidden: SafeHtml
  readonly redirect: string
  readonly qr: readonly (readonly boolean[])[]
}

/**
 * Where forms go: a request as long as usual ones, and the sealed parameter.
 *
 * @internal
 */
export const action: string =
  '/oauth/sign-in?response_type=code&client_id=wiki&redirect_uri=https%3A%2F%2Fwiki.example.com' +
  '%2Foidc%2Fcallback&scope=openid%20profile%20email&state=4Jd8sQ2xLw7bVn3KfT6yHg&nonce=' +
  'n-0S6_WzA2Mj&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeKt8vjWcWCZ4QMXYpXQ&code_challenge_method=' +
  `S256&flow=${'Zk9x'.repeat(70)}`

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
/**
 * What authenticator apps read.
 *
 * @internal
 */
export const otpauthUri: string = `otpauth://totp/Chat:alice?secret=${secret}&issuer=Chat`

/** What stands in pages usually. */
export const usualData: StateData = {
  client: { name: 'Team wiki', host: 'wiki.example.com' },
  foreignClient: { name: 'Build Bot', host: 'build.example.net' },
  device: { name: 'Chat Desktop', host: null },
  account: { name: 'Alice Example', username: 'alice@mail.example' },
  typed: 'alice@mial.example',
  refusal: 'Guests may not come in on Sundays.',
  scopes: ['Read your messages', 'See your name and picture', 'Stay signed in'],
  apis: ['Your files', 'payments.example.com'],
  factorLabel: 'Badge',
  deviceName: 'Firefox on Linux',
  documents: ['Terms of use', 'How we treat what you write'],
  codes: Array.from({ length: 10 }, (_, at) => `K7QF-2M${at}D-X9PA-LW4T-ZC6R-H3VB`),
  reference: 'q3P1xk8sT0yVb2nLw5cRaA',
  hidden: hiddenFields({ csrf: 'Q2'.repeat(21) }),
  redirect: 'https://wiki.example.com/oidc/callback?code=mar_oc_1&state=4Jd8sQ2xLw7bVn3KfT6yHg',
  // No code that a camera reads: pages draw whatever they are given.
  qr: Array.from({ length: 21 }, (_, y) => Array.from({ length: 21 }, (_, x) => (x * y) % 3 === 0)),
}

/** Every state that a page can be in, by a name that can stand in a path. */
export function statesOf(data: StateData): Readonly<Record<string, View>> {
  const { client, account, codes, device, redirect } = data
  const form = formWith(data)
  const stale = formWith(data, { kind: 'stale' })
  const tooSoon = formWith(data, { kind: 'too-soon' })
  const signOut = { page: 'sign-out', account, everywhere: false, form } as const
  return {
    ...signInStates(data),
    ...factorStates(data),
    ...passkeyStates(signInOf(data), factorOf(data), enrolOf(data)),
    ...requiredStates(data, (fault) => formWith(data, fault)),
    'recovery-codes': { page: 'recovery-codes', form, codes },
    continue: { page: 'continue', client, account, form },
    'continue-stale': { page: 'continue', client, account, form: stale },
    'continue-too-soon': { page: 'continue', client, account, form: tooSoon },
    'continue-device': { page: 'continue', client: device, account, form },
    ...consentStates(data),
    ...accountStates(data, (fault) => formWith(data, fault)),
    ...deviceStates(data, (fault) => formWith(data, fault)),
    ...linkStates(data, (fault) => formWith(data, fault)),
    ...mailStates(data, (fault) => formWith(data, fault)),
    'hand-over': { page: 'hand-over', client, redirect },
    'hand-over-device': { page: 'hand-over', client: device, redirect },
    'sign-out': signOut,
    'sign-out-everywhere': { ...signOut, everywhere: true },
    'sign-out-stale': { ...signOut, form: stale },
    'signed-out': { page: 'signed-out', again: '/oauth/sign-in?then=account' },
    'signed-out-alone': { page: 'signed-out', again: null },
    ...errorStates(data),
  }
}

/** A form as it comes first, or with why it is shown again. */
function formWith({ hidden }: StateData, fault: FormFault | null = null): PageForm {
  return { action, hidden, fault }
}

function signInOf(data: StateData): ViewOf<'sign-in'> {
  return {
    page: 'sign-in',
    client: data.client,
    form: formWith(data),
    account: null,
    username: '',
    isAgain: false,
    stay: false,
    forgotten: '/oauth/forgot?client_id=wiki',
    register: '/oauth/register?client_id=wiki',
    byCode: { href: '/oauth/code?client_id=wiki', isByMail: true },
    directories: [],
    providers: [],
    password: 'shown',
    connects: null,
    mayCancel: true,
    passkey: null,
  }
}

function signInStates(data: StateData): Record<string, View> {
  const { account, typed, refusal: message } = data
  const signIn = signInOf(data)
  const again = (fault: FormFault): ViewOf<'sign-in'> => ({
    ...signIn,
    username: typed,
    form: formWith(data, fault),
  })
  return {
    'sign-in': signIn,
    'sign-in-alone': { ...signIn, client: null, forgotten: null, register: null, byCode: null },
    ...providerStates(signIn, data),
    'sign-in-any-code': {
      ...signIn,
      byCode: { href: '/oauth/code?client_id=wiki', isByMail: false },
    },
    'sign-in-hint': { ...signIn, username: account.username },
    'sign-in-again': { ...signIn, client: null, username: account.username, isAgain: true },
    'sign-in-wrong': again({ kind: 'wrong' }),
    'sign-in-stale': { ...again({ kind: 'stale' }), stay: true },
    'sign-in-no-cookie': again({ kind: 'no-cookie' }),
    'sign-in-signed-out': again({ kind: 'signed-out' }),
    'sign-in-other-account': {
      ...again({ kind: 'other-account', account: account.name }),
      account,
    },
    'sign-in-directory': { ...signIn, directories: [data.factorLabel] },
    'sign-in-expired': again({ kind: 'password-expired', url: 'https://sspr.example.com' }),
    'sign-in-refused': again({ kind: 'refused', message }),
    'sign-in-throttled': again({ kind: 'throttled', retryAfter: 290 }),
    'sign-in-busy': again({ kind: 'busy', retryAfter: 2 }),
  }
}

function providerStates(signIn: ViewOf<'sign-in'>, data: StateData): Record<string, View> {
  const href = '/oauth/providers/work?client_id=wiki'
  const work = { name: data.factorLabel, href, logo: null }
  const providers = [work, { ...work, logo: '/oauth/assets/provider-work-0.svg' }]
  const noWays = { forgotten: null, register: null, byCode: null }
  const only: ViewOf<'sign-in'> = { ...signIn, ...noWays, providers, password: 'none' }
  const stale = formWith(data, { kind: 'stale' })
  const waiting = { provider: data.factorLabel, account: data.typed }
  const connect = { page: 'connect', account: data.account, connects: waiting } as const
  const name = { page: 'new-name', form: formWith(data), username: data.typed, back: href } as const
  return {
    'sign-in-providers': { ...signIn, providers },
    'sign-in-providers-only': only,
    'sign-in-providers-alone': { ...only, client: null },
    'sign-in-providers-only-stale': { ...only, form: stale },
    'sign-in-providers-folded': { ...signIn, providers, password: 'folded' },
    'sign-in-connects': { ...signIn, providers, connects: { ...waiting, other: href } },
    connect: { ...connect, form: formWith(data) },
    'connect-stale': { ...connect, form: stale },
    'new-name': name,
    'new-name-taken': { ...name, form: formWith(data, { kind: 'wrong' }) },
  }
}

function factorOf(data: StateData): ViewOf<'second-factor'> {
  return {
    page: 'second-factor',
    method: 'code',
    form: formWith(data),
    account: data.account,
    otherMethod: '/oauth/recovery-code?client_id=wiki',
    otherKind: 'recovery',
    sendable: [],
    sent: false,
    passkey: null,
    rememberDays: null,
  }
}

function enrolOf(data: StateData): ViewOf<'enrol'> {
  return {
    page: 'enrol',
    form: formWith(data),
    secret,
    otpauthUri,
    qr: data.qr,
    passkey: null,
  }
}

function factorStates(data: StateData): Record<string, View> {
  const wrong = formWith(data, { kind: 'wrong' })
  const factor = factorOf(data)
  const recovery = { ...factor, method: 'recovery', otherKind: 'code' } as const
  const enrol = enrolOf(data)
  const sendable = [
    { name: 'email', label: null },
    { name: 'badge', label: data.factorLabel },
  ]
  return {
    'second-factor': factor,
    'second-factor-wrong': { ...factor, form: wrong },
    'second-factor-remember': { ...factor, rememberDays: 30 },
    'second-factor-sendable': { ...factor, sendable, sent: true },
    'second-factor-recovery': recovery,
    'second-factor-recovery-wrong': { ...recovery, form: wrong },
    'second-factor-only': { ...factor, otherMethod: null },
    enrol,
    'enrol-wrong': { ...enrol, form: wrong },
    'enrol-without-qr': { ...enrol, qr: null },
  }
}

function consentStates(data: StateData): Record<string, View> {
  const { foreignClient: client, account, scopes } = data
  const consent: View = {
    page: 'consent',
    client,
    claimedName: null,
    account,
    scopes,
    apis: [],
    manage: 'https://chat.example.com/settings/apps',
    form: formWith(data),
  }
  return {
    consent,
    'consent-stale': { ...consent, form: formWith(data, { kind: 'stale' }) },
    'consent-too-soon': { ...consent, form: formWith(data, { kind: 'too-soon' }) },
    'consent-other-account': {
      ...consent,
      form: formWith(data, { kind: 'other-account', account: account.name }),
    },
    'consent-apis': { ...consent, apis: data.apis },
    'consent-claimed': { ...consent, claimedName: data.foreignClient.name },
    'consent-device': { ...consent, client: { name: client.name, host: null }, manage: null },
  }
}

function errorStates({ reference, client, factorLabel, refusal }: StateData): Record<string, View> {
  const error: ViewOf<'error'> = {
    page: 'error',
    fault: 'unknown-client',
    clientName: null,
    told: null,
    again: null,
    reference,
    parameter: 'client_id',
    retryAfter: 0,
  }
  const redirect: ViewOf<'error'> = {
    ...error,
    fault: 'redirect-mismatch',
    clientName: client.name,
  }
  return {
    error,
    'error-redirect': { ...redirect, parameter: 'redirect_uri' },
    'error-provider': {
      ...error,
      fault: 'provider-refused',
      clientName: factorLabel,
      told: refusal,
      again: action,
      parameter: null,
    },
    'error-no-app': { ...error, fault: 'no-app', parameter: null },
    'error-busy': { ...error, fault: 'busy', parameter: null, retryAfter: 30 },
    'error-bare': { ...error, fault: 'not-found', reference: null, parameter: null },
  }
}
