import { dataOf } from '../account.js'
import type { AuthClient } from '../client.js'
import { challengeOf, newSecret } from '../oauth/steps.js'
import { type ClientParts, partsOf } from '../parts.js'
import { type BasicSignal, pause } from '../platform.js'
import type { SignedInResult } from '../sign-in.js'
import type { Proof } from '../wire.js'

/** The codes that a new device shows. */
export interface ShownLink {
  /** For a QR code. */
  readonly qr: string
  /** If the server has the option `shortCode`: the code for people to type. */
  readonly shortCode?: string
  /** Seconds. */
  readonly expiresIn: number
}

/** Whom a new device would be signed in as. */
export interface LinkedAccount {
  readonly name: string
  readonly username: string
}

/** The actions of a new device while it is linked. */
export interface BeginLink {
  /** The name that this device gives itself, at most 60 characters. */
  readonly name?: string
  /** Draw the picture. */
  readonly onCode: (shown: ShownLink) => void
  /** Somebody has opened the link: show these four digits, to be typed into the other device. */
  readonly onCheckCode: (checkCode: string) => void
  /**
   * They were typed: ask "Continue as Alice?" Resolve with true only if the user says so: it may be
   * a stranger's account. Nothing is collected before.
   */
  readonly onAccount: (account: LinkedAccount) => boolean | Promise<boolean>
  /** Stops asking. */
  readonly signal?: BasicSignal
}

/** The result of a link: `declined` by the user of this device. */
export type LinkResult = SignedInResult | { readonly status: 'declined' }

/** A new device, as the signed-in one sees it. */
export interface LinkToApprove {
  /** The name that the device gives itself: it may lie. */
  readonly name: string | null
  readonly network: string | null
  /** Whether both devices are in one network: warn if not. */
  readonly sameNetwork: boolean
  /** Such as "Firefox on Linux". */
  readonly agent: string | null
  readonly at: string
  /**
   * Signs the new device in. Throws AuthClientError: `proof-refused` for a wrong check code, with
   * `details.triesLeft`, and once the link is void; `reauthentication-required`: call it again with
   * a proof, if the sign-in is older than ten minutes or the user has more to show.
   */
  approve(checkCode: string, proof?: Proof): Promise<void>
  /** Tells the new device that the user said no. */
  deny(): Promise<void>
}

/** Signing another device in. */
export interface DeviceLinks {
  /**
   * On a device that nobody is signed in on: shows a picture, waits until it was scanned, and signs
   * in. Throws AuthClientError: `expired_token` after three minutes, `access_denied`,
   * `too-many-requests`.
   */
  begin(link: BeginLink): Promise<LinkResult>
  /**
   * On a signed-in device: opens what was scanned, an address or what follows its `#`, or a short
   * code that was typed. Throws AuthClientError: `proof-refused`, `reauthentication-required` if
   * the sign-in is older than a day.
   */
  open(link: string): Promise<LinkToApprove>
}

/**
 * Signs another device in, by a picture that a signed-in device scans and a code that its user
 * types. Only if the server has the option `deviceLinks`.
 *
 * @example
 * ```ts
 * import { createAuthClient } from 'messaging-auth-router/client'
 * import { deviceLinks } from 'messaging-auth-router/client/device-links'
 *
 * declare function draw(qr: string): void
 * declare function show(text: string): void
 * declare function ask(question: string): Promise<boolean>
 * const client = createAuthClient({ baseUrl: 'https://chat.example.com/api/v1' })
 * await deviceLinks(client).begin({
 *   name: 'Living room TV',
 *   onCode: ({ qr }) => draw(qr),
 *   onCheckCode: (checkCode) => show(`Type ${checkCode} into your other device.`),
 *   onAccount: ({ name }) => ask(`Continue as ${name}?`),
 * })
 * ```
 */
export function deviceLinks(client: AuthClient): DeviceLinks {
  const parts = partsOf(client)
  const ask = dataOf(parts.call)
  return {
    begin: (link) => begin(parts, link),
    async open(scanned) {
      const body = { link: scanned.slice(scanned.indexOf('#') + 1) }
      const { linkId, ...told } = await ask<Opened>('POST', `${path}/open`, body)
      return {
        ...told,
        approve: async (checkCode, proof) =>
          void (await ask('POST', `${path}/approve`, { ...proof, linkId, checkCode })),
        deny: async () => void (await ask('POST', `${path}/deny`, { linkId })),
      }
    },
  }
}

const path = '/auth/device-links'

type Opened = Omit<LinkToApprove, 'approve' | 'deny'> & { readonly linkId: string }
type Begun = ShownLink & { readonly linkId: string; readonly interval: number }

async function begin(parts: ClientParts, link: BeginLink): Promise<LinkResult> {
  const { transport, withRetry } = parts
  const codeVerifier = newSecret()
  const asked = { name: link.name, codeChallenge: await challengeOf(codeVerifier) }
  const { linkId, ...shown } = await dataOf((request) =>
    withRetry(() => transport.ask(request)),
  )<Begun>('POST', path, asked)
  const { qr, shortCode, expiresIn } = shown
  link.onCode({ qr, expiresIn, ...(shortCode === undefined ? {} : { shortCode }) })
  return collect(parts, { linkId, codeVerifier }, shown, link)
}

/** The proof that a new device asks with. */
interface LinkProof {
  readonly linkId: string
  readonly codeVerifier: string
  readonly confirm?: true
}

async function collect(
  { signInBy, clock }: ClientParts,
  proof: LinkProof,
  { interval, expiresIn }: Pick<Begun, 'interval' | 'expiresIn'>,
  { onCheckCode, onAccount, signal }: BeginLink,
): Promise<LinkResult> {
  const until = clock().getTime() + expiresIn * 1000
  let seconds = interval
  let asked = proof
  let show = onCheckCode
  for (;;) {
    await pause(seconds, signal)
    const told = await askOnce(signInBy, asked, () => clock().getTime() > until)
    if ('status' in told) return told
    const { waits, details } = told
    if (waits === 'slow_down') seconds += 5
    if (waits === 'opened') {
      show(details.checkCode)
      show = () => {}
    }
    if (waits !== 'approved') continue
    if (!(await onAccount(details.account))) return { status: 'declined' }
    asked = { ...proof, confirm: true }
  }
}

/** Not signed in yet. */
interface Waiting {
  readonly waits: string
  /** The details of `opened` and of `approved`. */
  readonly details: { readonly checkCode: string; readonly account: LinkedAccount }
}

/** A lost answer is given again, so a device that reached nobody asks again. */
const passing: readonly unknown[] = [
  'authorization_pending',
  'opened',
  'approved',
  'slow_down',
  'unreachable',
]

async function askOnce(
  signInBy: ClientParts['signInBy'],
  proof: LinkProof,
  isOver: () => boolean,
): Promise<SignedInResult | Waiting> {
  try {
    return (await signInBy(`${path}/collect`, proof)) as SignedInResult
  } catch (error) {
    // Only the name is compared: a page may have loaded the core twice, in two bundles.
    const { code, details } = Object(error)
    if (passing.includes(code) && !isOver()) return { waits: code, details }
    throw error
  }
}
