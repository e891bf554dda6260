import { isDeepStrictEqual } from 'node:util'
import { AuthConfigError } from '../errors.js'
import { randomId, randomSecret } from '../lib/secrets.js'
import type { SessionRecord, SessionStore } from './contract.js'
import {
  longestSealed,
  moments,
  newDeviceCode,
  newProof,
  newWholeCode,
  newWholeSession,
} from './new-records.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  DeviceCodeRecord,
  DeviceCodeStore,
  ProofRecord,
  ProofStore,
} from './one-time-contract.js'
import { optionalMembers, without } from './rows/members.js'
import { codeRow, deviceCodeRow, proofRow } from './rows/one-time-rows.js'
import { sessionRow } from './rows/session-row.js'

// A store of the host that drops a member fails nowhere: a session would outlive its password, or
// any app could exchange the code of another app. So before the first row with such a member, one
// row that opens nothing is saved, read back and compared.

/** Members of a session that let somebody in, or keep somebody out. The others only inform. */
const ofSessions = Object.keys(
  optionalMembers(without(sessionRow, 'formerSecret', 'openedBySessionId')),
)

/** Members of a code that bind it to one app. */
const ofCodes = Object.keys(optionalMembers(codeRow))

/** All members of a proof: a member that a row has lost is null, and asks for nothing any more. */
const ofProofs = Object.keys(proofRow)

/** All members of a device code: each says who may use the code, and how. */
const ofDeviceCodes = Object.keys(deviceCodeRow)

const nothing = () => ({ userId: `mar-probe-${randomId()}`, scope: '', methods: [] })

/**
 * Throws unless a row was found again as it was saved.
 *
 * @throws AuthConfigError that names the members which are gone
 */
export function requireKept(option: string, saved: object, found: object | null): void {
  const lost = lostOf(saved, found)
  if (lost.length > 0) throw dropped(option, lost)
}

/**
 * Rejects with AuthConfigError, or 503, where the store drops a member that the row needs.
 * Undefined: the store keeps all of them.
 */
type CheckKept<Row> = (row: Row) => Promise<void> | undefined

/** The check of sessions. The row that is saved for it is ended at once. */
export function createSessionCheck(
  store: Pick<SessionStore, 'create' | 'find' | 'end'>,
): CheckKept<SessionRecord> {
  return createCheck(
    'sessions',
    ofSessions,
    (present) => present,
    async () => {
      const at = moments()
      const times = { idleExpiresAt: at(60), expiresAt: at(60) }
      const session = newWholeSession(at, { ...nothing(), ...times })
      await store.create(session)
      try {
        return lostOf(session, await store.find(session.id))
      } finally {
        await store.end(session.id, 'revoked', at(0))
      }
    },
  )
}

/** The check of codes. The row that is saved for it is used up at once. */
export function createCodeCheck(
  store: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>,
): CheckKept<AuthorizationCodeRecord> {
  // All members of an app's code are checked: each is worth nothing without the others.
  return createCheck(
    'codes',
    ofCodes,
    () => ofCodes,
    async () => {
      const at = moments()
      const code = newWholeCode(at, { ...nothing(), retainUntil: at(60) })
      await store.save(code)
      try {
        return lostOf(code, await store.find(code.codeHash))
      } finally {
        await store.consume(code.codeHash, at(0))
      }
    },
  )
}

/** The check of proofs. The row that is saved for it is used up at once. */
export function createProofCheck(
  store: Pick<ProofStore, 'save' | 'find' | 'consume'>,
): CheckKept<ProofRecord> {
  return createCheck(
    'proofs',
    ofProofs,
    () => ofProofs,
    async () => {
      const at = moments()
      const proof = newProof(at, { userId: nothing().userId, sealed: longestSealed() })
      await store.save(proof)
      try {
        return lostOf(proof, await store.find(proof.idHash, proof.purpose))
      } finally {
        await store.consume(proof.idHash, proof.purpose, at(0))
      }
    },
  )
}

/** The check of device codes. The row that is saved for it is decided from the beginning. */
export function createDeviceCodeCheck(
  store: Pick<DeviceCodeStore, 'save' | 'find'>,
): CheckKept<DeviceCodeRecord> {
  return createCheck(
    'deviceCodes',
    ofDeviceCodes,
    () => ofDeviceCodes,
    async () => {
      const at = moments()
      const code = newDeviceCode(at, {
        userId: nothing().userId,
        claimedAt: at(1),
        state: 'denied',
        authorizationCodeHash: randomSecret(),
        expiresAt: at(60),
      })
      await store.save(code)
      return lostOf(code, await store.find(code.userCodeHash))
    },
  )
}

// The check runs once for all rows; a probe that failed is tried again, since the store may only
// have been away.
function createCheck<Row extends object>(
  option: string,
  names: readonly string[],
  /** The members that may not be lost, by the members that a row has. */
  forbidden: (present: readonly string[]) => readonly string[],
  probe: () => Promise<readonly string[]>,
): CheckKept<Row> {
  let probed: Promise<readonly string[]> | undefined
  let keepsAll = false
  return function checkKept(row) {
    if (keepsAll) return undefined
    const present: string[] = []
    for (const name of names) if (row[name as keyof Row] !== undefined) present.push(name)
    return present.length === 0 ? undefined : checkMembers(present)
  }

  async function checkMembers(present: readonly string[]): Promise<void> {
    probed ??= probe().catch((error: unknown) => {
      probed = undefined
      throw error
    })
    const lost = await probed
    keepsAll = lost.length === 0
    if (forbidden(present).some((name) => lost.includes(name))) throw dropped(option, lost)
  }
}

function lostOf(saved: object, found: object | null): readonly string[] {
  const members = new Map<string, unknown>(Object.entries(found ?? {}))
  return Object.entries(saved)
    .filter(([name, value]) => !isDeepStrictEqual(members.get(name), value))
    .map(([name]) => name)
}

function dropped(option: string, lost: readonly string[]): AuthConfigError {
  return new AuthConfigError(
    option,
    `saved a row and found it again without its ${lost.join(', ')}, or with another.`,
    'keep every member of the record: with sqlStores() run migrateSql(); in a store of your own ' +
      'add a column for each, and run storeContract() from messaging-auth-router/testing.',
  )
}
