// The pages of a host that takes passkeys, and devices that have them: Chromium's virtual
// authenticator, or keys in Node for what no browser would sign.
import type { CDPSession, Page } from 'playwright-core'
import type { PasskeysOptions } from '../../../src/passkeys/passkeys-options.js'
import { simpleWebAuthn } from '../../../src/passkeys/simple-webauthn.js'
import { memoryPasskeyStore } from '../../../src/stores/memory-sign-in-methods.js'
import { recoveryCodeHash } from '../../../src/two-factor/recovery-codes.js'
import {
  assertion,
  creation,
  type Deviations,
  newPasskey,
  type TestPasskey,
} from '../../passkeys/authenticator.js'
import { tagsOf } from '../support/markup.js'
import {
  type MountedHost,
  type MountedSettings,
  recoveryCodes,
  startMounted,
} from './mounted-host.js'
import type { PageAnswer } from './visitor.js'

const verifier = simpleWebAuthn()
await verifier.ready?.()

/** Changes of the host, and of its option `passkeys`. */
export interface PasskeyPagesSettings extends MountedSettings {
  readonly passkeys?: Partial<PasskeysOptions>
}

/** A running host with them. */
export interface PasskeyPages extends MountedHost {
  readonly passkeys: ReturnType<typeof memoryPasskeyStore>
}

/** Starts it, at localhost. */
export async function startPasskeyPages(
  settings: PasskeyPagesSettings = {},
): Promise<PasskeyPages> {
  const passkeys = memoryPasskeyStore()
  const { passkeys: given, ...others } = settings
  const host = await startMounted({
    hostname: 'localhost',
    ...others,
    optionsAt: (origin, remains) => ({
      passkeys: {
        rpId: 'localhost',
        origins: [origin],
        verifier,
        store: passkeys,
        once: remains.oauthStores.once,
        ...given,
      },
      ...others.optionsAt?.(origin, remains),
    }),
  })
  return { ...host, passkeys }
}

/** Gives a user a passkey behind the router's back, with the recovery codes of bob, or others. */
export async function givePasskey(
  { passkeys, clock }: PasskeyPages,
  userId: string,
  codes = recoveryCodes,
): Promise<TestPasskey> {
  const passkey = newPasskey()
  const handle = Buffer.from(userId.padEnd(32)).toString('base64url')
  passkey.userHandle = await passkeys.claimHandle(userId, handle)
  const record = {
    credentialId: passkey.id,
    userId,
    userHandle: passkey.userHandle,
    publicKey: passkey.cose.toString('base64url'),
    counter: 0,
    backupEligible: true,
    backedUp: true,
    transports: ['internal'],
    aaguid: '00000000-0000-0000-0000-000000000000',
    name: 'Phone',
    suspectedCloneAt: null,
    passwordMark: null,
    createdAt: clock(),
    lastUsedAt: null,
  }
  const hashes = codes.map((code) => recoveryCodeHash(code) as string)
  await passkeys.create(record, { most: 20, recoveryCodeHashes: hashes })
  return passkey
}

/** What a page gives its script. */
function askedOn({ text }: PageAnswer): { readonly challenge: string } {
  const button = tagsOf(text).find(({ attributes }) => 'data-passkey' in attributes)
  return JSON.parse(button?.attributes['data-passkey'] ?? 'null')
}

/** What the script would post from a page, signed in Node. */
export function signedFor(
  { origin }: Pick<PasskeyPages, 'origin'>,
  page: PageAnswer,
  passkey: TestPasskey,
  given: Deviations = {},
): string {
  const clientData = { origin, ...given.clientData }
  const { challenge } = askedOn(page)
  return JSON.stringify(assertion(passkey, challenge, { rpId: 'localhost', ...given, clientData }))
}

/** A new passkey that the script would post from a page, made in Node. */
export function madeFor({ origin }: Pick<PasskeyPages, 'origin'>, page: PageAnswer): string {
  const { challenge } = askedOn(page)
  const given = { rpId: 'localhost', clientData: { origin } }
  return JSON.stringify(creation(newPasskey(), challenge, given))
}

/** A device in front of a tab. */
export interface Device {
  readonly cdp: CDPSession
  readonly id: string
  /** Puts a passkey on it. */
  hold(passkey: TestPasskey): Promise<void>
  /** Whether it knows its user's finger from now on. */
  recognise(isUser: boolean): Promise<void>
  /** Whether somebody touches it when it asks. */
  touched(isTouched: boolean): Promise<void>
  /** Whether what it signs leaves out that it has verified its user. */
  forgetVerifying(isForgetful: boolean): Promise<void>
  /** The passkeys on it. */
  held(): Promise<readonly { readonly credentialId: string; readonly signCount: number }[]>
}

/** Puts a device with a finger sensor in front of a tab. */
export async function giveDevice(tab: Page): Promise<Device> {
  const cdp = await tab.context().newCDPSession(tab)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  })
  return {
    cdp,
    id,
    async hold({ id: credentialId, privateKey, userHandle }) {
      const credential = {
        credentialId: asBase64(credentialId),
        isResidentCredential: true,
        rpId: 'localhost',
        privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
        userHandle: asBase64(userHandle),
        signCount: 0,
        backupEligibility: true,
        backupState: true,
      }
      await cdp.send('WebAuthn.addCredential', { authenticatorId: id, credential })
    },
    async recognise(isUserVerified) {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified })
    },
    async touched(enabled) {
      await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: id, enabled })
    },
    async forgetVerifying(isBadUV) {
      await cdp.send('WebAuthn.setResponseOverrideBits', { authenticatorId: id, isBadUV })
    },
    held: async () =>
      (await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials,
  }
}

const asBase64 = (text: string) => Buffer.from(text, 'base64url').toString('base64')
