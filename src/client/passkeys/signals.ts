import type { KnownPasskeys } from '../wire.js'
import { browser } from './browser.js'

// WebAuthn Level 3 §5.1.10.1: what a picker shows is kept true. Nothing depends on it.

/** Lets the browser forget a passkey that the server does not know. */
export function signalUnknown(rpId: string, credentialId: string): void {
  void quietly(() => browser.PublicKeyCredential?.signalUnknownCredential?.({ rpId, credentialId }))
}

/** Lets it forget all but these of a user. */
export function signalAccepted({ rpId, userHandle, credentialIds }: KnownPasskeys): void {
  const accepted = { rpId, userId: userHandle, allAcceptedCredentialIds: credentialIds }
  void quietly(() => browser.PublicKeyCredential?.signalAllAcceptedCredentials?.(accepted))
}

/** Whether it would listen. */
export function takesSignals(): boolean {
  return browser.PublicKeyCredential?.signalUnknownCredential !== undefined
}

async function quietly(work: () => Promise<void> | undefined): Promise<void> {
  try {
    await work()
  } catch {
    // The picker shows one too many.
  }
}
