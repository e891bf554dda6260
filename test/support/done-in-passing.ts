// What a failed call, or a nonsensical answer, comes to where that is no outage of the request: for
// failing-calls.ts.

/** Calls that no answer hangs on: what fails here is made good later, or was only tidying up. */
const inPassing = [
  'sessions.touch',
  'secondFactors.reseal',
  'users.updatePasswordHash',
  'passwords.needsRehash',
  // A hasher that cannot say whether it would cut a password refuses such a one by itself.
  'passwords.whyRefused',
  'limiter.reward',
  'limiter.delete',
  // Of known networks, and of what a name has failed: what cannot be read or written makes the
  // limits stricter.
  'limiter.get',
  'limiter.set',
  'limiter.penalty',
  'bus.publish',
  // When an account was used last only informs.
  'identities.used',
]

/** Requests that look for sessions too many, which the next one can do as well. */
const signIns = [
  'POST /login',
  'POST /auth/code/login',
  'POST /auth/register/confirm',
  'POST /auth/providers/finish',
  'POST /auth/device-links/collect',
  'POST /auth/pkce/token',
  'POST /oauth/token with a code',
]

/** What forgets the networks of a user as well. */
const endsAll = [
  'sessions.revokeAllForUser',
  'passwordChanged',
  'accounts.endEverything',
  'accounts.delete',
  'accounts.setTemporaryPassword',
  'POST /auth/password/reset',
  'POST /auth/email/undo',
]

/** Who asks for a link or a code is answered before anything is looked up. */
const answeredFirst = ['POST /auth/password/forgot', 'POST /auth/code', 'POST /auth/register']

/**
 * The write that changes the factor, where sessions are ended before it, and once more after it for
 * those that came meanwhile.
 */
const endsTwice: Readonly<Record<string, string>> = {
  'POST /auth/totp/confirm': 'secondFactors.confirm',
  'POST /auth/totp/disable': 'secondFactors.deactivate',
  'POST /auth/email/second-factor, on': 'users.setEmailFactor',
  'POST /auth/email/second-factor, off': 'users.setEmailFactor',
  'secondFactors.importTotp()': 'secondFactors.activate',
}

// Null where nothing is special about it.
function isOfPasswords(request: string, before: readonly string[], call: string): boolean | null {
  if (answeredFirst.includes(request) && [...before, call].includes('users.findByIdentifier'))
    return true
  // Networks that stay known, before anything is deleted.
  if (request.startsWith('POST /auth/account/delete')) return call === 'limiter.set' ? false : null
  const isOfPassword = request.startsWith('POST /auth/password')
  if (!isOfPassword && request !== 'POST /auth/email/undo') return null
  // The hash is that of the new password, and no better one of the old; then networks go.
  if (call === 'passwords.hash' || call === 'users.updatePasswordHash') return false
  return call === 'limiter.set' && before.includes('users.updatePasswordHash') ? false : null
}

/** Done once their proof is used up: links that are left over are worth nothing by then. */
const doneByProof = [
  'POST /auth/password/reset',
  'POST /auth/email/confirm of a new address',
  'POST /auth/email/undo',
]

/** Whether a request is answered as usual although the call at this place failed. */
export function isDoneInPassing(request: string, calls: readonly string[], place: number): boolean {
  const before = calls.slice(0, place)
  const call = calls[place] ?? ''
  // There is a user by then, whom nobody else can become.
  if (request === 'POST /auth/register/confirm' && call === 'proofs.consume') return true
  if (doneByProof.includes(request) && before.includes('proofs.consume')) return true
  return isOfPasswords(request, before, call) ?? isOfOthers(request, before, call)
}

function isOfOthers(request: string, before: readonly string[], call: string): boolean {
  // The host is told that it must call again: networks that stay known would be a thief's.
  if (endsAll.some((name) => request.startsWith(name)) && call.startsWith('limiter.')) return false
  if (call === 'sessions.listForUser' || call === 'sessions.countForUser')
    return signIns.some((name) => request.startsWith(name))
  if (call === 'sessions.endAllForUser' || call === 'sessions.setMethods')
    return before.includes(endsTwice[request] ?? 'none')
  // Whether an old hash is still there, and the mark of what replaces it.
  if (call === 'users.findById' && before.at(-1) === 'passwords.hash') return true
  if (call === 'sessions.addPasswordMark') return request.startsWith('POST /login')
  // The hash that replaces an old one.
  if (call === 'passwords.hash') return before.includes('passwords.verify')
  return inPassing.includes(call) || isForApps(before, call)
}

// Which app is told that a session has ended, once the session has.
function isForApps(before: readonly string[], call: string): boolean {
  if (call === 'sessions.find') return before.at(-1) === 'bus.publish'
  return call === 'clients.find' && before.at(-2) === 'bus.publish'
}

/** Nothing is read of what these answer, if they answer at all. */
const unread = [
  'codes.save',
  'consents.grant',
  'deviceCodes.save',
  'limiter.delete',
  'limiter.set',
  'proofs.save',
  'secondFactors.deleteKeptRecoveryCodes',
  'secondFactors.deletePending',
  'secondFactors.savePending',
  'sessions.addPasswordMark',
  'sessions.create',
  'sessions.setMethods',
  'sms.sendCode',
  'tickets.save',
  'users.accepted',
  'users.delete',
  'users.setEmailFactor',
]
type Meaning = 'nonsense' | 'refusal' | 'as usual'

/** What text means to the router, and what a thing does, where one of them means something. */
const meanings: Readonly<Record<string, { readonly text: Meaning; readonly thing: Meaning }>> = {
  // A token, and a hash, is some text.
  'signer.sign': { text: 'as usual', thing: 'nonsense' },
  'signer.signIdToken': { text: 'as usual', thing: 'nonsense' },
  'passwords.hash': { text: 'as usual', thing: 'nonsense' },
  // What the host tells of somebody.
  'apps.claims': { text: 'nonsense', thing: 'as usual' },
  'hooks.describeUser': { text: 'nonsense', thing: 'as usual' },
  // Whatever these answer but one thing is a refusal of the host's.
  'accounts.beforeRegister': { text: 'refusal', thing: 'refusal' },
  'hooks.beforeLogin': { text: 'refusal', thing: 'refusal' },
  'passwords.verify': { text: 'refusal', thing: 'refusal' },
  // The name of somebody else.
  'hooks.canonicalIdentifier': { text: 'refusal', thing: 'nonsense' },
  // An object that is no client is no client, and is told of in the log.
  'clients.find': { text: 'nonsense', thing: 'refusal' },
}

/** What the router takes an answer for that no part of a host should give. */
export function meaningOf(call: string, answer: unknown): Meaning {
  if (unread.includes(call)) return 'as usual'
  return meanings[call]?.[typeof answer === 'string' ? 'text' : 'thing'] ?? 'nonsense'
}
