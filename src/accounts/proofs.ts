import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { RequestContext } from '../audit/events.js'
import type { ProofRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { BaseKit } from '../kits/ground-kit.js'
import type { ManagementKit } from '../kits/session-kit.js'
import { ownMembers } from '../lib/check-options.js'
import { deriveKey, equalInConstantTime, hmacSha256, randomSecret, sha256 } from '../lib/secrets.js'
import { typedDigits } from '../lib/typed-codes.js'
import { createVault, type Vault } from '../lib/vault.js'
import type { ProofPurpose, ProofRecord, ProofStore } from '../stores/one-time-contract.js'

/** The purpose of a proof, and the conditions that must still hold when it arrives. */
export interface AskedProof {
  readonly purpose: ProofPurpose
  /** Null: nobody's. Its code is none, so that it looks like any other from outside. */
  readonly userId: string | null
  /** From {@link Proofs.markOf}; null if nothing must stay the same. */
  readonly mark: string | null
  /** The values that are written or mailed after the proof; stored encrypted. */
  readonly sealed: Sealed
  /** Seconds. */
  readonly lifetime: number
  /** Default: a proof of a user has a code, and a proof of nobody has none. */
  readonly hasCode?: boolean
  /** How often it may be tried. Default 5. */
  readonly tries?: number
}

/** The purposes of proofs that are mailed to a user. */
export const mailedPurposes: readonly ProofPurpose[] = [
  'reset',
  'verify-address',
  'change-address',
  'undo-address',
  'second-factor',
  'sign-in',
]

/**
 * The mailed purposes that go to the present address. The link of an undo goes to the former
 * address.
 */
export const mailedElsewhere: readonly ProofPurpose[] = mailedPurposes.filter(
  (purpose) => purpose !== 'undo-address',
)

/** The parts of a mark. */
export type MarkOf = readonly (string | null)[]

/** Texts that are stored encrypted with a proof. */
export type Sealed = Readonly<Record<string, string | null>>

/** A code to mail, and the id of the request that has asked for it. */
export interface MailedCode {
  readonly requestId: string
  /** Eight digits. */
  readonly code: string
  readonly expiresAt: Date
}

/** A token for a link. */
export interface MailedLink {
  /** The hash of the token. */
  readonly id: string
  readonly token: string
  readonly expiresAt: Date
}

/** A stored proof, with its unsealed texts. */
export interface FoundProof {
  readonly record: ProofRecord
  readonly sealed: Sealed
}

/** A stored proof, by its name alone. */
export interface NamedProof {
  readonly record: Pick<ProofRecord, 'idHash' | 'purpose' | 'userId'>
}

/** Codes and links that are mailed, and used once. */
export interface Proofs {
  /**
   * Stores a proof by code, with a random request id unless one is given. Rejects with 503, also if
   * there is a proof with that id.
   */
  openCode(asked: AskedProof, requestId?: string): Promise<MailedCode>
  /** Stores a proof by link, with a random token unless one is given. Rejects with 503. */
  openLink(asked: AskedProof, token?: string): Promise<MailedLink>
  /**
   * The proof of a link, which may be tried. Changes nothing. Throws 400 `proof-refused`: for a
   * real link, `details.reason` tells whether it is used or expired. Throws 503.
   */
  findLink(purpose: ProofPurpose, token: string, context: RequestContext): Promise<FoundProof>
  /**
   * The first proof with this request id and one of these purposes. Changes and decides nothing.
   * Throws 400 `proof-refused`, 503.
   */
  findCode(
    purposes: readonly ProofPurpose[],
    requestId: string,
    context: RequestContext,
  ): Promise<FoundProof>
  /**
   * The reason why the proof cannot be tried any more; null if it can be tried. Decides nothing.
   */
  whyVoid(proof: FoundProof): 'used' | 'expired' | null
  /** Takes one of its tries. Throws 400 `proof-refused` if none is left, 503. */
  takeTry(proof: NamedProof, context: RequestContext): Promise<void>
  /**
   * Does the work, unless it was done for this proof before; then it only resolves, and waits for a
   * caller who is still at it. After a crash it may be done twice. Rejects as the work does, and
   * with 503.
   */
  doOnce(proof: FoundProof, work: () => Promise<void>): Promise<void>
  /** Whether this is its code; blanks and hyphens do not count. Call `takeTry` first. */
  isCode(proof: FoundProof, code: string): boolean
  /** Whether the parts that its mark was made of have not changed. */
  isMark(proof: FoundProof, parts: MarkOf): boolean
  /** Notes that what the proof allows has begun. It may be repeated. Rejects with 503. */
  begin(proof: FoundProof): Promise<void>
  /** Whether it has begun, also if it was not completed. Rejects with 503. */
  hasBegun(proof: FoundProof): Promise<boolean>
  /** Uses it up. One caller gets true. Rejects with 503. */
  consume(proof: NamedProof): Promise<boolean>
  /** Uses up all proofs of these purposes that the user has. Rejects with 503. */
  voidForUser(userId: string, purposes: readonly ProofPurpose[]): Promise<void>
  /**
   * The proofs of a purpose that can still be used, of a user, or nobody's for null; nothing is
   * sealed in one whose key is gone. Rejects with 503.
   */
  list(purpose: ProofPurpose, userId: string | null): Promise<readonly FoundProof[]>
  /** A mark of something that must not change, such as a password hash. */
  markOf(parts: MarkOf): string
  /** The marks of these parts, one for each encryption key. The first is the result of `markOf`. */
  marksOf(parts: MarkOf): readonly string[]
  /** The one answer to every proof that is not right; reports the reason. */
  refusal(
    reason: ProofRefusal,
    proof: Pick<ProofRecord, 'purpose' | 'userId'>,
    context: RequestContext,
  ): AuthError
}

export interface ProofsKit extends BaseKit {
  readonly proofStore: ProofStore
}

/** Wrong codes, and outages while a link is used. */
const defaultTries = 5

/**
 * It is as long as a tag: at a wrong code, the proof of nobody costs as much as the proof of a
 * user.
 */
const noTag = '-'.repeat(43)

/** Prefixes of tokens, so that a token of one purpose is recognised when it leaks. */
const prefixes: Readonly<Partial<Record<ProofPurpose, string>>> = {
  reset: 'mar_pr_',
  'undo-address': 'mar_eu_',
  invitation: 'mar_iv_',
  vouched: 'mar_vt_',
}

/** The length limit of a token, which has a prefix and 43 characters. */
const maxTokenCharacters = 100

export function createProofs(kit: ProofsKit): Proofs {
  const { proofStore, encryptionKeys, clock } = kit
  const marksOf = createMarksOf(encryptionKeys)
  const tagsOf = createTagsOf(encryptionKeys)
  const vault = createVault('proof', encryptionKeys)
  const refusal = createRefusal(kit)
  return {
    ...createOpening(kit, vault, tagsOf),
    ...createFinding(kit, vault, refusal),
    ...createNotes(kit),

    whyVoid: ({ record }) => reasonAgainst(record, clock()),

    async takeTry({ record }, context) {
      const { outcome } = await proofStore.takeTry(record.idHash, record.purpose, clock())
      if (outcome === 'void') throw refusal('void', record, context)
    },

    isCode: ({ record }, code) =>
      tagsOf(record, typedDigits(code))
        .map((tag) => equalInConstantTime(tag, record.codeTag ?? noTag))
        .includes(true) && record.codeTag !== null,

    isMark: ({ record }, parts) =>
      marksOf(parts)
        .map((mark) => equalInConstantTime(record.mark ?? '', mark))
        .includes(true),

    async consume({ record }) {
      const { outcome } = await proofStore.consume(record.idHash, record.purpose, clock())
      return outcome === 'consumed'
    },

    async voidForUser(userId, purposes) {
      await proofStore.voidForUser(userId, purposes, clock())
    },

    markOf: (parts) => marksOf(parts)[0] as string,
    marksOf,

    refusal,
  }
}

type ProofName = Pick<ProofRecord, 'purpose' | 'idHash'>

/** The tags of a code, one for each encryption key; the first is stored. */
type TagsOf = (proof: ProofName, code: string) => string[]

function createTagsOf(encryptionKeys: readonly Buffer[]): TagsOf {
  const keys = encryptionKeys.map((key) => deriveKey('proof-code', key))
  return ({ purpose, idHash }, code) =>
    keys.map((key) => hmacSha256(key, JSON.stringify([purpose, idHash, code])))
}

/** The marks of the same parts, one for each encryption key; the first is stored. */
function createMarksOf(encryptionKeys: readonly Buffer[]): (parts: MarkOf) => string[] {
  const keys = encryptionKeys.map((key) => deriveKey('proof-mark', key))
  return (parts) => keys.map((key) => hmacSha256(key, JSON.stringify(parts)))
}

function createRefusal({ audit }: ProofsKit): Proofs['refusal'] {
  return function refusal(reason, { purpose, userId }, context) {
    audit({ type: 'proof.refused', purpose, reason, userId }, context)
    return new AuthError('proof-refused', { message: `proof refused: ${reason}` })
  }
}

function createOpening(
  { proofStore, clock }: ProofsKit,
  vault: Vault,
  tagsOf: TagsOf,
): Pick<Proofs, 'openCode' | 'openLink'> {
  async function save(asked: AskedProof, id: string, code: string | null): Promise<Date> {
    const { purpose, userId, mark, lifetime, tries = defaultTries } = asked
    const createdAt = clock()
    const expiresAt = new Date(createdAt.getTime() + lifetime * 1000)
    const name = { purpose, idHash: sha256(id) }
    const [codeTag = null] = code === null ? [] : tagsOf(name, code)
    const sealed = vault.seal(ownerOf(name), Buffer.from(JSON.stringify(asked.sealed)))
    const state = { triesLeft: tries, createdAt, expiresAt, consumedAt: null }
    await proofStore.save({ ...name, userId, codeTag, mark, sealed, ...state })
    return expiresAt
  }

  return {
    async openCode(asked, requestId = randomSecret()) {
      const code = String(randomInt(100_000_000)).padStart(8, '0')
      const { hasCode = asked.userId !== null } = asked
      // Without a stored code, no code is right.
      const expiresAt = await save(asked, requestId, hasCode ? code : null)
      return { requestId, code, expiresAt }
    },

    async openLink(asked, token = `${prefixes[asked.purpose] ?? ''}${randomSecret()}`) {
      return { id: sha256(token), token, expiresAt: await save(asked, token, null) }
    },
  }
}

function createFinding(
  { proofStore, clock }: ProofsKit,
  vault: Vault,
  refusal: Proofs['refusal'],
): Pick<Proofs, 'findLink' | 'findCode' | 'list'> {
  function unseal(record: ProofRecord): Sealed | null {
    const sealed = record.sealed === null ? null : vault.open(ownerOf(record), record.sealed)
    // The copy has no prototype: a polluted prototype must not add a text.
    return sealed && ownMembers(JSON.parse(sealed.toString('utf8')) as Sealed)
  }

  function open(record: ProofRecord, context: RequestContext): FoundProof {
    const sealed = unseal(record)
    if (sealed === null) throw refusal('unreadable', record, context)
    return { record, sealed }
  }

  return {
    async list(purpose, userId) {
      const records = await proofStore.list(purpose, userId, clock())
      const theirs = records.filter((record) => record.userId === userId)
      return theirs.map((record) => ({ record, sealed: unseal(record) ?? {} }))
    },

    async findLink(purpose, token, context) {
      const isToken =
        token.length <= maxTokenCharacters && token.startsWith(prefixes[purpose] ?? '')
      const record = isToken ? await proofStore.find(sha256(token), purpose) : null
      if (record === null) throw refusal('unknown', { purpose, userId: null }, context)
      // Only the holder of a real token learns more.
      const reason = reasonAgainst(record, clock())
      if (reason === null) return open(record, context)
      const { message } = refusal(reason, record, context)
      throw new AuthError('proof-refused', { message, details: { reason } })
    },

    async findCode(purposes, requestId, context) {
      const idHash = requestId.length <= maxTokenCharacters ? sha256(requestId) : null
      for (const purpose of idHash === null ? [] : purposes) {
        const record = await proofStore.find(idHash as string, purpose)
        if (record !== null) return open(record, context)
      }
      throw refusal('unknown', { purpose: purposes[0] as ProofPurpose, userId: null }, context)
    },
  }
}

/** How often a second caller looks whether the first one is done, and milliseconds in between. */
const [looks, pause] = [10, 100]

// A note is a row of its own, which a store inserts once. It is worth nothing as a proof. One that
// is used up says that the work is done; where a crash has left one, the work is done again.
function createNotes({
  proofStore,
  clock,
}: ProofsKit): Pick<Proofs, 'begin' | 'hasBegun' | 'doOnce'> {
  const idOf = ({ record }: FoundProof) => sha256(JSON.stringify(['begun', record.idHash]))
  const hasBegun = async (proof: FoundProof) =>
    (await proofStore.find(idOf(proof), proof.record.purpose)) !== null

  // Whether this call has inserted it.
  function note(proof: FoundProof, purpose: string): Promise<boolean> {
    const worthless = { codeTag: null, mark: null, sealed: null, triesLeft: 0, consumedAt: null }
    const row = { ...proof.record, ...worthless, idHash: idOf(proof), purpose }
    return proofStore.save(row).then(
      () => true,
      async (error: unknown) => {
        // Another request has noted it before.
        if ((await proofStore.find(row.idHash, purpose)) !== null) return false
        throw error
      },
    )
  }

  return {
    hasBegun,
    async begin(proof) {
      if (!(await hasBegun(proof))) await note(proof, proof.record.purpose)
    },
    async doOnce(proof, work) {
      const [idHash, purpose] = [idOf(proof), `${proof.record.purpose}-once`]
      const isFirst = await note(proof, purpose)
      for (let look = 0; !isFirst && look < looks; look += 1) {
        if ((await proofStore.find(idHash, purpose))?.consumedAt instanceof Date) return
        await setTimeout(pause)
      }
      await work()
      // If this fails, the next caller does it again.
      await proofStore.consume(idHash, purpose, clock()).catch(() => {})
    },
  }
}

// A text that was sealed for one proof opens for no other proof.
function ownerOf({ purpose, idHash }: ProofName): string {
  return JSON.stringify([purpose, idHash])
}

function reasonAgainst(
  { consumedAt, expiresAt, triesLeft }: ProofRecord,
  now: Date,
): 'used' | 'expired' | null {
  if (consumedAt !== null || triesLeft === 0) return 'used'
  return expiresAt <= now ? 'expired' : null
}

/** A code that somebody has typed. */
export interface TypedCode {
  /** As it was typed; blanks and hyphens do not count. */
  readonly code: string
  /** The account whose guesses are counted; null: nobody's. */
  readonly userId: string | null
  /** The name that is counted instead, where strangers may type codes, as they have given it. */
  readonly name?: string | undefined
  /** Whether it is typed where it was asked for. */
  readonly isHere: boolean
}

interface CodeKit extends ManagementKit {
  readonly proofs: Proofs
}

/**
 * Compares a code, after it is counted and a try is taken. Only a wrong code counts. An outage is
 * no wrong code. Throws 400 `proof-refused`, 429, 503.
 */
export async function requireCode(
  { proofs, throttle }: CodeKit,
  proof: FoundProof,
  { code, userId, name, isHere }: TypedCode,
  context: RequestContext,
): Promise<void> {
  await throttle.takeMailedCode(userId, context, name)
  try {
    // This comes first: no other session uses up the tries of this session.
    if (!isHere) throw proofs.refusal('wrong-session', proof.record, context)
    await proofs.takeTry(proof, context)
    if (!proofs.isCode(proof, code)) throw proofs.refusal('wrong-code', proof.record, context)
  } catch (error) {
    const isGuess = error instanceof AuthError && error.code === 'proof-refused'
    if (!isGuess) await throttle.giveBackMailedCode(userId, name)
    throw error
  }
  await throttle.giveBackMailedCode(userId, name)
}
