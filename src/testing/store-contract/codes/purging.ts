import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import { inTurns, newCode } from '../../../stores/new-records.js'
import { checkGone, countTrue, purgeContract } from '../every-store/purge-contract.js'
import { isNone, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

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
    moments: [
      {
        title: 'an unused code at the moment it expires',
        tooEarly: 'deleted a code one millisecond before it expired',
        over: 60,
        async add(codes, at) {
          const code = newCode(at)
          await codes.save(code)
          return () => isThere(codes, code.codeHash)
        },
      },
    ],
    isCountable: true,
    purge: (codes, now, limit) => codes.purge(now, limit),
    addLiving: (codes, at) => codes.save(newCode(at)),
    // Every second one has been used.
    async addOver(codes, at, count) {
      const rows = Array.from({ length: count }, () =>
        newCode(at, { expiresAt: at(30), retainUntil: at(40) }),
      )
      await inTurns(rows, async (code, index) => {
        await codes.save(code)
        if (index % 2 === 1) await codes.consume(code.codeHash, at(1))
      })
      return () => countTrue(rows.map(({ codeHash }) => isThere(codes, codeHash)))
    },
    over: 40,
  })
}
