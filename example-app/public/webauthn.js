import { call } from './page.js'
import { Refusal } from './request.js'

/**
 * Passkeys: what the server asks the browser for, and what the browser answers. Both are JSON, by
 * the functions that browsers have had since 2025; in an older one there are no passkeys here.
 */

/** Whether this browser can. At an address of IP, no browser can. */
export const hasPasskeys =
  globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined &&
  !/^[\d.]+$|^\[/.test(location.hostname)

/** Adds a passkey for whoever is signed in. Answers it, and recovery codes where some come. */
export async function addPasskey(name) {
  const { data: options } = await call('POST', '/auth/passkeys/options', {})
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const made = await chosen(() => navigator.credentials.create({ publicKey }))
  const { data } = await call('POST', '/auth/passkeys', { response: made.toJSON(), name })
  return data
}

/** Asks the user for a passkey by the server's options, and answers what to send. */
export async function usePasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return (await chosen(() => navigator.credentials.get({ publicKey }))).toJSON()
}

/** Signs in with whichever passkey the user chooses, and answers what the server says. */
export async function signInByPasskey() {
  const { data: options } = await call('POST', '/auth/passkey/options', {})
  const response = await usePasskey(options)
  try {
    const { data } = await call('POST', '/auth/passkey/login', { response })
    await tell('signalAllAcceptedCredentials', {
      rpId: data.passkeys.rpId,
      userId: data.passkeys.userHandle,
      allAcceptedCredentialIds: data.passkeys.credentialIds,
    })
    return data
  } catch (error) {
    if (error.details?.signal === 'unknown-credential') await forgetPasskey(options, response)
    throw error
  }
}

/** Proves anew who is signed in. */
export async function proveByPasskey() {
  const { data: options } = await call('POST', '/auth/passkey/options', {})
  const passkey = await usePasskey(options)
  await call('POST', '/auth/reauthenticate', { passkey })
}

// One that was removed here is to go from the list that the browser offers.
function forgetPasskey({ rpId }, { id }) {
  return tell('signalUnknownCredential', { rpId, credentialId: id })
}

// Few browsers can, and nothing depends on it.
async function tell(signal, what) {
  await PublicKeyCredential[signal]?.(what).catch(() => {})
}

const reasons = new Map([
  ['InvalidStateError', 'This device has a passkey for this account already.'],
  ['NotAllowedError', 'No passkey was chosen.'],
  ['AbortError', 'No passkey was chosen.'],
])

// Whoever closes the window of the browser has done nothing wrong.
async function chosen(ask) {
  try {
    return await ask()
  } catch (error) {
    const message = reasons.get(error.name)
    if (message === undefined) throw error
    throw new Refusal(0, { error: 'no-passkey', message })
  }
}
