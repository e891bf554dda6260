// Authenticators of Chromium that answer by themselves, as DevTools has them.
import type { CDPSession, Page } from 'playwright-core'

/** A passkey in one, as DevTools tells of it. */
export interface VirtualCredential {
  readonly credentialId: string
  readonly signCount: number
  readonly [name: string]: unknown
}

/** A device with an authenticator in it. */
export interface VirtualAuthenticator {
  passkeys(): Promise<VirtualCredential[]>
  /** Puts a passkey in, as whoever has a copy of it does. */
  add(credential: VirtualCredential): Promise<void>
  /** Takes a passkey out. */
  take(credentialId: string): Promise<void>
  /** Whether its user can show a finger, or type the PIN. */
  setVerified(isVerified: boolean): Promise<void>
  /** Takes the whole device away. */
  remove(): Promise<void>
}

const sessions = new WeakMap<Page, Promise<CDPSession>>()

function sessionOf(page: Page): Promise<CDPSession> {
  const known = sessions.get(page) ?? enable(page)
  sessions.set(page, known)
  return known
}

async function enable(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  return cdp
}

/** Plugs one in. `synced`: whether its passkeys are on other devices, too. */
export async function plugIn(
  page: Page,
  { synced = true, transport = 'internal' as 'internal' | 'usb' } = {},
): Promise<VirtualAuthenticator> {
  const cdp = await sessionOf(page)
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: synced,
      defaultBackupState: synced,
    },
  })
  return {
    async passkeys() {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials as unknown as VirtualCredential[]
    },
    async add(credential) {
      await cdp.send('WebAuthn.addCredential', {
        authenticatorId,
        credential: credential as never,
      })
    },
    async take(credentialId) {
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    },
    async setVerified(isUserVerified) {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    async remove() {
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
