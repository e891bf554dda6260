import { raceWinners } from '../../lib/async.js'
import type { AuthenticationMethod } from '../../stores/contract.js'
import { moments, newCode, newRefreshable, newWholeCode } from '../../stores/new-records.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
} from '../../stores/one-time-contract.js'
import { checkGone, purgeContract } from './every-store/purge-contract.js'
import { comesBack, goodUntil, type Rows } from './every-store/rows.js'
import {
  answers,
  awkwardText,
  check,
  isNone,
  longAwkwardText,
  otherCase,
  type Part,
  rejects,
  resolves,
  same,
  spoil,
  told,
  whereOffered,
} from './harness.js'

// The compiler misses a method here as soon as the contract has a new one.
const everyMethod: Readonly<Record<AuthenticationMethod, true>> = {
  pwd: true,
  otp: true,
  recovery: true,
  passkey: true,
  email: true,
  sms: true,
  remembered: true,
  host: true,
  mfa: true,
  hwk: true,
  swk: true,
}

/** How codes are saved and answered. */
const codeRows: Rows<AuthorizationCodeStore, AuthorizationCodeRecord> = {
  saving: 'codes.save',
  saved: 'saved',
  save: (codes, code) => codes.save(code),
  finding: 'codes.find',
  find: (codes, { codeHash }) => codes.find(codeHash),
}

/** The calls for this code, to be made when it is their turn in a table. */
function callsFor(codes: AuthorizationCodeStore, { codeHash }: AuthorizationCodeRecord) {
  return {
    find: () => codes.find(codeHash),
    consume: (now: Date) => () => codes.consume(codeHash, now),
  }
}

/** Authorization codes, but for their races against themselves, `purge` and `redemption`. */
export function codesContract(part: Part<AuthorizationCodeStore>): void {
  codeShapes(part)
  codeIdentity(part)
  codesByTheByte(part)
  codeCopies(part)
  codeExpiry(part)
  codeReplays(part)
}

function codeShapes({ it, store }: Part<AuthorizationCodeStore>): void {
  it('a record comes back as it was saved, from find and from consume', async () => {
    const at = moments()
    const full = newCode(at, {
      issuedBySessionId: 'the session that asked',
      methods: Object.keys(everyMethod) as AuthenticationMethod[],
      userId: longAwkwardText,
      scope: '',
    })
    const codes = await store()
    for (const code of [newCode(at), full]) {
      await comesBack(codes, code, codeRows)
      const { find, consume } = callsFor(codes, code)
      const used = { ...code, consumedAt: at(1.234) }
      const consumed = { outcome: 'consumed', code: used }
      await answers([
        [consume(at(1.234)), consumed, 'codes.consume answers the record with consumedAt = now.'],
        [find, used, 'codes.find must answer a used code, too.'],
      ])
    }
  })

  it('an unknown code is null to find and unknown to consume', async (codes, at) => {
    const { find, consume } = callsFor(codes, newCode(at))
    await answers([
      [find, null, 'codes.find must answer null, not undefined, when there is no record.'],
      [consume(at(1)), told('unknown'), 'codes.consume of a hash that was never saved.'],
    ])
  })
}

function codeIdentity({ it }: Part<AuthorizationCodeStore>): void {
  it('saving a hash again rejects and changes nothing, before its use and after', async (codes, at) => {
    const code = newCode(at)
    const { find, consume } = callsFor(codes, code)
    const again = () => codes.save(newCode(at, { codeHash: code.codeHash }))
    await codes.save(code)
    const before = await find()
    const taken = 'codes.save took a hash that is already there: the second would own the first.'
    await rejects(again(), taken)
    same(await find(), before, 'A rejected codes.save must leave the first record.')
    await consume(at(1))()
    const used = await find()
    const good = 'codes.save took the hash of a used code: an upsert makes a used code good again.'
    await rejects(again(), good)
    same(await find(), used, 'A rejected codes.save must leave a used code used.')
  })

  it('two codes of one user are both good, whichever is used first', async (codes, at) => {
    for (const order of [1, -1]) {
      const first = newCode(at)
      const second = newCode(at, { userId: first.userId, createdAt: at(1) })
      await codes.save(first)
      await codes.save(second)
      for (const { codeHash } of order === 1 ? [first, second] : [second, first]) {
        const { outcome } = await codes.consume(codeHash, at(2))
        check(
          outcome === 'consumed',
          `codes.consume answered ${outcome} for one of two codes of one user: two devices sign ` +
            'in at once. Keep a row for each code.',
        )
      }
    }
  })
}

function codesByTheByte({ it }: Part<AuthorizationCodeStore>): void {
  it('hashes that differ by case are different codes', async (codes, at) => {
    const one = newCode(at)
    const other = newCode(at, { codeHash: otherCase(one.codeHash) })
    const { find } = callsFor(codes, other)
    const bytewise = 'ignores case. Compare hashes bytewise.'
    await codes.save(one)
    check(isNone(await find()), `codes.find ${bytewise}`)
    await resolves(codes.save(other), `codes.save ${bytewise}`)
    const before = await find()
    await codes.consume(one.codeHash, at(1))
    same(await find(), before, `codes.consume ${bytewise}`)
  })
}

function codeCopies({ it }: Part<AuthorizationCodeStore>): void {
  it('records are copies: changing one does not change the store', async (codes, at) => {
    const code = newCode(at)
    const given = structuredClone(code)
    await codes.save(given)
    const find = async () => structuredClone(await codes.find(code.codeHash))
    const stored = await find()
    const changed = 'changed the stored one.'
    spoil(given)
    same(await find(), stored, `Changing the record that was given to codes.save ${changed}`)
    spoil(await codes.find(code.codeHash))
    same(await find(), stored, `Changing the record that codes.find answered ${changed}`)
    const now = at(1)
    const answer = await codes.consume(code.codeHash, now)
    const consumed = await find()
    spoil({ now })
    same(await find(), consumed, `Changing the Date that was given to codes.consume ${changed}`)
    spoil('code' in answer ? answer.code : null)
    same(await find(), consumed, `Changing the record that codes.consume answered ${changed}`)
  })
}

function codeExpiry(part: Part<AuthorizationCodeStore>): void {
  goodUntil(part, {
    row: 'code',
    method: 'codes.consume',
    by: 'write',
    outcomes: { good: 'consumed', over: 'unknown' },
    seconds: 60,
    async save(codes, at) {
      const code = newCode(at)
      await codes.save(code)
      return (now) => codes.consume(code.codeHash, now)
    },
  })

  part.it('a used code is replayed also after it has expired', async (codes, at) => {
    const code = newCode(at)
    await codes.save(code)
    await codes.consume(code.codeHash, at(1))
    const replayed = { outcome: 'replayed', code: { ...code, consumedAt: at(1) } }
    const why = 'A used code must answer `replayed` with the record of its first use.'
    for (const now of [at(2), at(60), at(3599)])
      same(await codes.consume(code.codeHash, now), replayed, why)
  })
}

const dropped =
  'A member that is dropped fails nothing: any client exchanges the code, from any address. Keep ' +
  'every member of AuthorizationCodeRecord, each in a column of its own.'

/** The members that a code may have or not: kept as they are when it is used. */
export function wholeCodesContract(part: Part<AuthorizationCodeStore>): void {
  wholeCodes(part)
  partOfThem(part)
}

function wholeCodes(part: Part<AuthorizationCodeStore>): void {
  part.it(
    'a code with every member comes back as it was saved: unused, used, and as a replay',
    async (codes, at) => {
      const code = newWholeCode(at)
      const { find, consume } = callsFor(codes, code)
      const used = { ...code, consumedAt: at(1) }
      await codes.save(code)
      await answers([
        [find, code, `codes.find. ${dropped}`],
        [consume(at(1)), { outcome: 'consumed', code: used }, `codes.consume. ${dropped}`],
        [consume(at(2)), { outcome: 'replayed', code: used }, `consume of a used code. ${dropped}`],
        [find, used, `codes.find of a used code. ${dropped}`],
      ])
    },
  )

  whereOffered(part, 'redemption').it('answers a code with every member', async (codes, at) => {
    const code = newWholeCode(at)
    await codes.save(code)
    const session = newRefreshable(at, 'token', { id: code.opensSessionId })
    const consumed = { outcome: 'consumed', code: { ...code, consumedAt: at(1) } }
    const answer = await codes.redemption.redeem(code.codeHash, session, at(1))
    same(answer, consumed, `redeem. ${dropped}`)
  })
}

function partOfThem({ it }: Part<AuthorizationCodeStore>): void {
  it('what a code was saved without is left out, whichever else it has', async (codes, at) => {
    const { clientId, redirectUri, nonce, resources, acr } = newWholeCode(at)
    const parts = [{ clientId }, { redirectUri }, { nonce }, { resources }, { acr }]
    for (const part of [...parts, { resources: [] }, { redirectUri: '', nonce: '' }]) {
      const code = newCode(at, part)
      await comesBack(
        codes,
        code,
        codeRows,
        'What was left out is left out, or undefined, and never null or empty; and what was ' +
          'empty is empty.',
      )
    }
  })

  it('the longest and most awkward texts come back whole in every member', async (codes, at) => {
    const code = newCode(at, {
      clientId: `client${'\u00e9'.repeat(490)}`,
      redirectUri: `https://${'r'.repeat(2000)}${awkwardText}`,
      nonce: `${'n'.repeat(2000)}${awkwardText}`,
      resources: Array.from({ length: 5 }, (_none, index) => `${index}${awkwardText}`),
      acr: `a${awkwardText}`,
    })
    await comesBack(codes, code, codeRows)
  })
}

function codeReplays({ it, inRounds }: Part<AuthorizationCodeStore>): void {
  it('a used code is replayed for as long as it is there, also after retainUntil', async (codes, at) => {
    const code = newCode(at)
    const { find, consume } = callsFor(codes, code)
    await codes.save(code)
    await consume(at(1))()
    const answer = await consume(at(3601))()
    // A database that expires its rows may have taken it away.
    if ((await find()) === null) return
    const replayed = { outcome: 'replayed', code: { ...code, consumedAt: at(1) } }
    same(answer, replayed, 'consume after retainUntil: only `purge` goes by that moment.')
  })

  it('the losers of a race are answered replayed, with the record as the winner left it', async (codes, at) => {
    const code = newCode(at)
    await codes.save(code)
    const moment = (caller: number) => at(1 + caller / 1000)
    const said = await Promise.all(
      Array.from({ length: 10 }, (_none, caller) => codes.consume(code.codeHash, moment(caller))),
    )
    const winner = said.findIndex(({ outcome }) => outcome === 'consumed')
    const used = { ...code, consumedAt: moment(winner) }
    const expected = said.map((_answer, caller) => ({
      outcome: caller === winner ? 'consumed' : 'replayed',
      code: used,
    }))
    same(said, expected, 'codes.consume by 10 callers: the session of a replayed code is ended.')
  })

  inRounds(
    'callers before and after the expiry, at once: at most one wins, and none of the late',
    async (codes, at, round) => {
      const code = newCode(at)
      await codes.save(code)
      const isLate = (caller: number) => (caller + round) % 2 === 0
      const winners = await raceWinners(10, async (caller) => {
        const { outcome } = await codes.consume(code.codeHash, isLate(caller) ? at(60) : at(59))
        return outcome === 'consumed'
      })
      check(
        winners.length === 1 && !winners.some(isLate),
        `${winners.length} of 10 callers consumed one code, ${winners.filter(isLate).length} of ` +
          'them after it had expired.',
      )
    },
  )
}

/**
 * Deleting codes: unused ones when they expire, used ones when nobody needs to know of them any
 * more.
 */
export function codesPurge(part: Part<AuthorizationCodeStore>): void {
  const { it, expires } = part
  const isThere = async (codes: AuthorizationCodeStore, hash: string) =>
    !isNone(await codes.find(hash))

  it('purge keeps a used code until retainUntil', async (codes, at) => {
    const code = newCode(at)
    await codes.save(code)
    await codes.consume(code.codeHash, at(1))
    const before = await codes.consume(code.codeHash, at(1))
    const isLeft = await isThere(codes, code.codeHash)
    await codes.purge(at(3599.999))
    const replay = await codes.consume(code.codeHash, at(3599.999))
    same(
      replay,
      before,
      'codes.purge deleted a used code before retainUntil: a stolen code that is replayed goes ' +
        'unnoticed.',
    )
    if (isLeft)
      await checkGone(expires, 'codes.purge', codes.purge(at(3600)), () =>
        isThere(codes, code.codeHash),
      )
  })

  purgeContract(part, {
    method: 'codes.purge',
    row: 'code',
    moments: [['an unused code at the moment it expires', 60, newCode]],
    save: (codes, code) => codes.save(code),
    isThere: (codes, { codeHash }) => isThere(codes, codeHash),
    isCountable: true,
    living: newCode,
    make: (at) => newCode(at, { expiresAt: at(30), retainUntil: at(40) }),
    // Every second one has been used.
    use: async (codes, { codeHash }, at, index) =>
      index % 2 === 1 && codes.consume(codeHash, at(1)),
    over: 40,
  })
}
