import { AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/principal.js'
import { proofRequest } from '../sign-in-again.js'
import type { PasskeyVerifier } from './contract.js'
import {
  addPasskeyEndpoint,
  listPasskeysEndpoint,
  newPasskeyOptionsEndpoint,
  ownPasskeys,
  type PasskeysForHost,
  passkeysForHost,
  removePasskeyEndpoint,
  renamePasskeyEndpoint,
} from './own-passkeys.js'
import type { PasskeysKit } from './passkey-kit.js'
import { forgetLastFactor, withoutFactors } from './remove-passkey.js'
import { passkeyLoginEndpoint, passkeyOptionsEndpoint } from './sign-in-by-passkey.js'

/** Signing in with passkeys, managing them, and reauthentication. */
export interface Passkeys extends Capability {
  readonly forHost: PasskeysForHost
}

/** The endpoints of passkeys, and `auth.passkeys`. */
export function createPasskeys(kit: PasskeysKit): Passkeys {
  const own = ownPasskeys(kit)
  const rename = renamePasskeyEndpoint(kit, own)
  return {
    routes: [
      ['/auth/passkey/options', { POST: passkeyOptionsEndpoint(kit) }],
      ['/auth/passkey/login', { POST: passkeyLoginEndpoint(kit) }],
      ['/auth/passkeys', { GET: listPasskeysEndpoint(kit, own), POST: addPasskeyEndpoint(kit) }],
      ['/auth/passkeys/options', { POST: newPasskeyOptionsEndpoint(kit) }],
      ['/auth/passkeys/:id', { POST: rename, DELETE: removePasskeyEndpoint(kit, own) }],
      ['/auth/reauthenticate', { POST: reauthenticateEndpoint(kit) }],
    ],
    close: warmUp(kit.verifier),
    forHost: passkeysForHost(kit),
  }
}

/** Milliseconds: after the start, but before most first ceremonies. */
const warmUpMs = 5000

// The library takes a second to load, which the first user would have to wait. If this fails, the
// first ceremony reports it.
function warmUp({ ready }: PasskeyVerifier): () => void {
  const timer = setTimeout(() => void ready?.().catch(() => {}), warmUpMs).unref()
  return () => clearTimeout(timer)
}

// A password with a code, or a passkey. The session then counts as just signed in, for routes that
// require that. Other sessions do not change, and no new one is opened.
function reauthenticateEndpoint(kit: PasskeysKit): Endpoint {
  const { signedIn, proveAgain, factorStands, sessions, forgetSession, clock, audit } = kit
  return async function reauthenticate(request) {
    // 401, 403. The endpoint also serves a user who still has to show a passkey in this session.
    const asking = await ownerOf(signedIn, request, 'any')
    // 400, 413, 415
    const proof = parseInput(proofRequest, await request.readJson())
    // 401, 403, 429, 503
    const approved = await proveAgain(asking, proof, request)
    if (approved === null)
      throw invalidRequest([{ path: 'password, passkey', message: 'Send one of them.' }])
    const { id: sessionId, userId } = asking.session
    // 401: the factor was changed while the password was verified.
    if (!(await factorStands(approved))) throw new AuthError('Unauthorized')
    // The session is read again: another process may have removed a factor since it was cached.
    const session = await sessions.findLive(sessionId)
    if (session === null) throw notSignedIn('session ended or unknown')
    // Earlier methods stay: a password alone must not remove the factor. A remembered browser stood
    // in for what is shown now.
    const earlier = session.methods.filter((method) => method !== 'remembered')
    const methods = [...new Set([...earlier, ...approved.methods])]
    const authenticatedAt = clock()
    // 503
    await sessions.setAuthenticated(sessionId, { methods, authenticatedAt })
    forgetSession(sessionId)
    // The user may have removed the last factor between the read and the write.
    const isGone = await forgetLastFactor(kit, session, approved.user)
    audit(
      { type: 'reauthenticated', userId, sessionId, methods: approved.methods },
      request.context,
    )
    return ok({
      status: 'success',
      data: {
        authenticatedAt: authenticatedAt.toISOString(),
        methods: isGone ? withoutFactors(methods) : methods,
      },
    })
  }
}
