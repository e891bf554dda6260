import type { KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import { z } from 'zod'
import { AuthConfigError, notSignedIn } from '../errors.js'
import type { Soon } from '../lib/async.js'
import {
  checkOptions,
  clockRow,
  fitting,
  optionsOf,
  ownMembers,
  text,
  whole,
} from '../lib/check-options.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type {
  AccessTokenClaims,
  IdTokenAlgorithm,
  IdTokenClaims,
  JsonWebKeySet,
  KeyRing,
  LogoutTokenClaims,
  RingSnapshot,
  TokenSigner,
  VerifyOptions,
} from './contract.js'
import {
  type CheckedKey,
  type ImportedKey,
  importSigningKey,
  type KeyPurpose,
  purposeOf,
  type SigningKey,
} from './key-material.js'
import { checkKeyList, listRing } from './list-ring.js'
import { compactJws, headerOf, maxTokenCharacters, verifySignature } from './read-token.js'

/** Options of {@link joseSigner}. */
export interface JoseSignerOptions {
  /**
   * The issuer (`iss`): an absolute http or https URL without a query or a fragment, compared
   * exactly. Required.
   */
  readonly issuer: string
  /**
   * The audience (`aud`), compared exactly. Required: a token without an audience is valid
   * everywhere.
   */
  readonly audience: string
  /**
   * A `keyRing()`, or a list of JWKs, each as an object or as its JSON text: the first signs and
   * must be private, all verify. To rotate a list, first append the new key in every process, then
   * move it to the front, and remove the old one when its last token has expired. The error for an
   * `undefined` entry, such as a missing environment variable, names its index.
   */
  readonly keys: readonly (SigningKey | string | undefined)[] | KeyRing
  /**
   * Keys only for ID tokens of apps that support nothing but `RS256`: RSA keys of 3072 bits or
   * more. Pass a list of keys, or a `keyRing({ algorithm: 'RS256', … })` with its own folder or
   * store. Access tokens signed with one of them are refused. Default: none.
   */
  readonly rs256?: readonly (SigningKey | string | undefined)[] | KeyRing
  /**
   * Former values of `issuer`, whose tokens stay valid until they expire. Remove one when its last
   * token has expired. Default: none.
   */
  readonly formerIssuers?: readonly string[]
  /** Tolerated clock skew in seconds, 0-60. Default 5. */
  readonly clockTolerance?: number
  /** Default: the system clock. For tests. */
  readonly clock?: () => Date
}

/**
 * Signs access tokens with `node:crypto` and verifies them with jose. They are JWTs of
 * [RFC 9068](https://www.rfc-editor.org/rfc/rfc9068) (`typ: at+jwt`) with a `kid`.
 *
 * The key fixes the algorithm; the token does not
 * ([RFC 8725 §3.1](https://www.rfc-editor.org/rfc/rfc8725#section-3.1)). The signer refuses every
 * header except `alg`, `kid` and `typ`, such as `jku`, `jwk`, `x5u` and `crit`, and an unknown
 * `kid` without fetching anything.
 *
 * Signs ID tokens (`typ: JWT`) with `ES256` if that is the algorithm of `keys`, and with `RS256` if
 * `rs256` has keys; `idTokenAlgorithms` of the signer lists them. With other `keys`, clients need
 * `rs256`: hardly any client supports ID tokens of `EdDSA` or `PS256`.
 *
 * @throws AuthConfigError at once, for a weak or malformed key, a missing issuer or a missing
 * audience
 *
 * @example
 * ```ts
 * import { joseSigner, generateSigningKey } from 'messaging-auth-router'
 *
 * const signer = joseSigner({
 *   issuer: 'https://chat.example.com',
 *   audience: 'chat',
 *   keys: [await generateSigningKey()],
 * })
 * ```
 */
export function joseSigner(options: JoseSignerOptions): TokenSigner {
  const { issuer, formerIssuers, audience, clock, clockTolerance, keys, rs256 } = checkOptions(
    rules,
    options,
  )
  const issuers: [string, ...string[]] = [issuer, ...formerIssuers]
  const { ring, rsaRing, ready } = signerRings(keys, rs256)
  const accessKeys = createImportedKeys(ring)
  const rsaKeys = rsaRing === null ? null : createImportedKeys(rsaRing)
  const idTokenKeys = keysOfIdTokens(ring, accessKeys, rsaKeys)
  const idTokens = createIdTokens({ issuers, keys: idTokenKeys })

  async function verifyAt(
    token: string,
    given: VerifyOptions,
    tolerance: number,
  ): Promise<AccessTokenClaims> {
    const { audiences = [audience] } = ownMembers(given)
    const key = await accessKeys.byKid((await headerOf(token)).kid)
    if (key === null) throw notSignedIn('token names no key of this ring')
    const payload = await verifySignature(token, key, {
      typ: 'at+jwt',
      issuer: issuers,
      audience: [...audiences],
      requiredClaims: ['sub', 'sid', 'iat', 'exp', 'jti'],
      clockTolerance: tolerance,
      currentDate: clock(),
    })
    return checkedClaims(payload, audiences, audience)
  }

  return {
    issuer,
    audience,
    idTokenAlgorithms: [...idTokenKeys.keys()],

    async sign(claims) {
      const importing = accessKeys.activeOf(await ring.snapshot())
      const key = importing instanceof Promise ? await importing : importing
      const { algorithm, kid, signingKey } = key
      const header = JSON.stringify({ alg: algorithm, typ: 'at+jwt', kid })
      const payload = payloadOf(claims, issuer, audience)
      const signing = compactJws(algorithm, signingKey as KeyObject, header, payload)
      const token = signing instanceof Promise ? await signing : signing
      // Guards would refuse a longer token, so signing fails now instead.
      if (token.length <= maxTokenCharacters) return token
      throw new UnexpectedAnswer(
        `a token of ${token.length} characters is refused by ${maxTokenCharacters}: is its scope ` +
          'too long?',
      )
    },

    verify: (token, given = {}) => verifyAt(token, given, clockTolerance),

    // Accepts expired tokens; jose has no other option for that.
    verifyExpired: (token, given = {}) => verifyAt(token, given, Number.MAX_SAFE_INTEGER),

    ...idTokens,

    keyIds: async () => (await ring.list()).map(({ kid }) => kid),

    publicKeys: () => publicKeysOf(rsaKeys === null ? [accessKeys] : [accessKeys, rsaKeys]),

    ready,
    ...(ring.longestToken !== undefined && { longestToken: ring.longestToken }),
  }
}

function payloadOf(claims: AccessTokenClaims, issuer: string, audience: string): string {
  // These have their places first: to add a member after the claims takes V8 longer than the rest.
  const own = { iss: issuer, aud: audience, client_id: audience, ...claims }
  // Claims of a verified token have an issuer, which may be a former one.
  own.iss = issuer
  own.aud ??= audience
  own.client_id ??= audience
  return JSON.stringify(own)
}

async function publicKeysOf(rings: readonly ImportedKeys[]): Promise<JsonWebKeySet> {
  return { keys: (await Promise.all(rings.map((ring) => ring.published()))).flat() }
}

function keysOfIdTokens(
  ring: KeyRing,
  accessKeys: ImportedKeys,
  rsaKeys: ImportedKeys | null,
): ReadonlyMap<IdTokenAlgorithm, ImportedKeys> {
  const keys = new Map<IdTokenAlgorithm, ImportedKeys>()
  if (ring.algorithm === 'ES256') keys.set('ES256', accessKeys)
  if (rsaKeys !== null) keys.set('RS256', rsaKeys)
  return keys
}

const keysOption = fitting<GivenKeys>(
  (keys) => Array.isArray(keys) || isRing(keys),
  'is neither a list of keys nor a ring.',
)
const rules = {
  factory: 'joseSigner',
  schema: () =>
    optionsOf({
      // jose treats an undefined issuer or audience as "do not check".
      issuer: fitting<string>(
        isIssuer,
        'is no absolute http or https URL without a query, a fragment or a user.',
      ),
      audience: text(),
      formerIssuers: z.array(text()).default([]),
      keys: keysOption,
      rs256: keysOption.optional(),
      clockTolerance: whole(0, 60, 'seconds').default(5),
      clock: clockRow,
    }),
  remedies: {
    issuer: 'set it to the absolute URL of your server, such as https://chat.example.com.',
    audience: 'set it to a name for the API that accepts these tokens.',
    keys: 'pass [await generateSigningKey()], or the key you stored, or a keyRing().',
    rs256: "pass [await generateSigningKey('RS256')], or keyRing({ algorithm: 'RS256', … }).",
    formerIssuers: 'list the absolute URLs that issuer has had before.',
  },
}

// RFC 9068 §2.2. jose checks the presence of claims, not their types. A list in `aud` would mean
// other audiences besides us.
function checkedClaims(
  payload: Readonly<Record<string, unknown>>,
  audiences: readonly string[],
  own: string,
): AccessTokenClaims {
  const { sub, sid, iat, exp, jti, auth_time, amr, scope, aud, client_id, act } = payload
  const actor = act === undefined ? [] : [subjectOf(act)]
  const client = client_id === undefined ? [] : [client_id]
  const texts = [sub, sid, jti, ...client, ...actor].every(isText)
  const times = [iat, exp, auth_time].every((value) => Number.isSafeInteger(value))
  const methods = Array.isArray(amr) && amr.every((value) => typeof value === 'string')
  const isOurs = audiences.some((one) => one === aud)
  if (!texts || !times || !methods || typeof scope !== 'string' || !isOurs) {
    throw notSignedIn('token claims incomplete or of the wrong type')
  }
  const claims = { sub, sid, iat, exp, jti, auth_time, amr, scope } as AccessTokenClaims
  // Without the claims that sign() adds, so that the result equals its argument.
  return {
    ...claims,
    ...(aud !== own && { aud: aud as string }),
    ...(client_id !== undefined && client_id !== own && { client_id: client_id as string }),
    ...(actor.length > 0 && { act: { sub: actor[0] as string } }),
  }
}

function subjectOf(act: unknown): unknown {
  return (act as { readonly sub?: unknown } | null)?.sub
}

// RFC 8414 §2.
function isIssuer(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^?#\s]+$/.test(value) || !URL.canParse(value))
    return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

interface IdTokenRings {
  /** The current issuer, then former ones. */
  readonly issuers: [string, ...string[]]
  /** The keys of each offered algorithm. */
  readonly keys: ReadonlyMap<IdTokenAlgorithm, ImportedKeys>
}

/**
 * Signs and reads ID tokens,
 * [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken), and
 * signs logout tokens with the same keys.
 */
function createIdTokens({
  issuers,
  keys,
}: IdTokenRings): Required<Pick<TokenSigner, 'signIdToken' | 'signLogoutToken' | 'verifyIdToken'>> {
  async function sign(
    typ: string,
    claims: IdTokenClaims | LogoutTokenClaims,
    algorithm: IdTokenAlgorithm,
  ): Promise<string> {
    const active = await keys.get(algorithm)?.active()
    if (active === undefined)
      throw new UnexpectedAnswer(`this signer signs no ID tokens with ${algorithm}`)
    // After a change of its algorithm, a ring signs with the old algorithm until it is rotated.
    if (active.algorithm !== algorithm)
      throw new UnexpectedAnswer(
        `ID tokens are signed with ${algorithm}, and the key whose time it is is one of ` +
          `${active.algorithm}: rotate the ring`,
      )
    const header = JSON.stringify({ alg: algorithm, typ, kid: active.kid })
    const payload = JSON.stringify({ ...claims, iss: issuers[0] })
    return compactJws(algorithm, active.signingKey as KeyObject, header, payload)
  }

  return {
    signIdToken: (claims, { algorithm }) => sign('JWT', claims, algorithm),

    signLogoutToken: (claims, { algorithm }) => sign('logout+jwt', claims, algorithm),

    async verifyIdToken(token, { audience }) {
      const { kid, alg } = await headerOf(token)
      // The header only selects the ring; the key determines the algorithm.
      const key = (await keys.get(alg as IdTokenAlgorithm)?.byKid(kid)) ?? null
      if (key === null || key.algorithm !== alg)
        throw notSignedIn('token names no key for ID tokens')
      const payload = await verifySignature(token, key, {
        typ: 'JWT',
        issuer: issuers,
        audience,
        requiredClaims: ['sub', 'iat', 'exp'],
        // Accepts expired tokens; jose has no other option for that.
        clockTolerance: Number.MAX_SAFE_INTEGER,
      })
      return checkedIdTokenClaims(payload, audience)
    },
  }
}

// A list in `aud` would mean other audiences besides this client.
function checkedIdTokenClaims(
  payload: Readonly<Record<string, unknown>>,
  audience: string,
): IdTokenClaims {
  const { sub, aud, iat, exp } = payload
  const isWhole =
    typeof sub === 'string' &&
    sub !== '' &&
    aud === audience &&
    Number.isSafeInteger(iat) &&
    Number.isSafeInteger(exp)
  if (!isWhole) throw notSignedIn('token claims incomplete or of the wrong type')
  return payload as IdTokenClaims
}

/** Keys as a host passes them to a signer. */
type GivenKeys = readonly (SigningKey | string | undefined)[] | KeyRing

/** The rings of a signer. */
interface SignerRings {
  /** For access tokens. */
  readonly ring: KeyRing
  /** For ID tokens of RS256; null without. */
  readonly rsaRing: KeyRing | null
  /** Rejects while one of them cannot sign, or if a key is in both. */
  ready(): Promise<void>
}

/** Turns the host's keys into rings, and refuses a key that is in both. */
function signerRings(keys: GivenKeys, rs256: GivenKeys | undefined): SignerRings {
  const access = checkedKeys(keys, 'joseSigner.keys', 'access-tokens')
  const ring = ringOf(access, 'joseSigner.keys')
  if (rs256 === undefined) return { ring, rsaRing: null, ready: () => ring.ready() }
  const rsa = checkedKeys(rs256, 'joseSigner.rs256', 'rs256')
  if (!isRing(access) && !isRing(rsa)) refuseShared(access, rsa)
  const rsaRing = ringOf(rsa, 'joseSigner.rs256')
  return { ring, rsaRing, ready: () => bothReady(ring, rsaRing) }
}

// The keys of a ring are known only when it is ready.
async function bothReady(ring: KeyRing, rsaRing: KeyRing): Promise<void> {
  await Promise.all([ring.ready(), rsaRing.ready()])
  const [access, rsa] = await Promise.all([ring.snapshot(), rsaRing.snapshot()])
  refuseShared(access.all, rsa.all)
}

/** Whether it is a ring, not a list. */
function isRing(keys: unknown): keys is KeyRing {
  return typeof (keys as Partial<KeyRing> | null | undefined)?.snapshot === 'function'
}

function ringOf(keys: KeyRing | readonly CheckedKey[], option: string): KeyRing {
  return isRing(keys) ? keys : listRing(keys, option)
}

function checkedKeys(
  keys: GivenKeys,
  option: string,
  purpose: KeyPurpose,
): KeyRing | readonly CheckedKey[] {
  if (!isRing(keys)) return checkKeyList(withoutRing(keys, option), option, purpose)
  if (purposeOf(keys.algorithm) === purpose) return keys
  throw purpose === 'rs256'
    ? new AuthConfigError(
        option,
        'is a ring whose keys are not for RS256.',
        "pass keyRing({ algorithm: 'RS256', … }), with a folder or store of its own.",
      )
    : new AuthConfigError(
        option,
        'is a ring of RS256 keys, which are for ID tokens alone.',
        'pass it as joseSigner.rs256.',
      )
}

function withoutRing(keys: readonly unknown[], option: string): readonly unknown[] {
  const place = keys.findIndex(isRing)
  if (place < 0) return keys
  throw new AuthConfigError(
    `${option}[${place}]`,
    'is a key ring in a list.',
    `pass the ring itself, not in a list: ${option.split('.').at(-1)}: ring.`,
  )
}

// A key is for one algorithm only (RFC 8725 §3.5, NIST SP 800-57 part 1 §5.2), and a kid must not
// be published for two.
function refuseShared(access: readonly CheckedKey[], rsa: readonly CheckedKey[]): void {
  const isSame = (one: CheckedKey, other: CheckedKey) =>
    one.kid === other.kid || (one.jwk['n'] !== undefined && one.jwk['n'] === other.jwk['n'])
  const place = rsa.findIndex((one) => access.some((other) => isSame(one, other)))
  if (place < 0) return
  throw new AuthConfigError(
    `joseSigner.rs256[${place}]`,
    'stands in joseSigner.keys, too, or a key with its kid does.',
    "make one for ID tokens alone: await generateSigningKey('RS256').",
  )
}

/** The keys of a ring, imported. */
export interface ImportedKeys {
  /** The signing key. Rejects while there is none. */
  active(): Promise<ImportedKey>
  /** The signing key of a ring that was read. Throws, or rejects, if there is none. */
  activeOf(ring: Pick<RingSnapshot, 'active'>): Soon<ImportedKey>
  /** Null for a kid that is not in this ring. */
  byKid(kid: string): Promise<ImportedKey | null>
  /** The public parts of all keys. */
  published(): Promise<JWK[]>
}

/** Imports each key of a ring once; repeats a failed import. */
function createImportedKeys(ring: KeyRing): ImportedKeys {
  const imported = new Map<string, Soon<ImportedKey>>()

  function importOnce(key: CheckedKey): Soon<ImportedKey> {
    const known = imported.get(key.kid)
    if (known !== undefined) return known
    const importing = importSigningKey(key).then(
      (done) => {
        imported.set(key.kid, done)
        return done
      },
      (error: unknown) => {
        imported.delete(key.kid)
        throw error
      },
    )
    imported.set(key.kid, importing)
    return importing
  }

  function activeOf({ active }: Pick<RingSnapshot, 'active'>): Soon<ImportedKey> {
    if (active !== null) return importOnce(active)
    throw new UnexpectedAnswer(
      'the signing key whose time it is cannot be opened with the encryption keys of this ring',
    )
  }

  return {
    activeOf,
    active: async () => activeOf(await ring.snapshot()),

    async byKid(kid) {
      const key = (await ring.snapshot(kid)).all.find((one) => one.kid === kid)
      return key === undefined ? null : importOnce(key)
    },

    async published() {
      const all = await Promise.all((await ring.snapshot()).all.map(importOnce))
      return all.flatMap(({ publicJwk }) => (publicJwk === null ? [] : [{ ...publicJwk }]))
    },
  }
}
