import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import { newCode, newRefreshable, newWholeCode } from '../../../stores/new-records.js'
import { comesBack } from '../every-store/rows.js'
import { same } from '../harness/checks.js'
import { type Part, whereOffered } from '../harness/suite.js'
import { awkwardText } from '../harness/texts.js'
import { codeRows } from './codes.js'

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
      await codes.save(code)
      same(await codes.find(code.codeHash), code, `codes.find. ${dropped}`)
      const used = { ...code, consumedAt: at(1) }
      const first = await codes.consume(code.codeHash, at(1))
      same(first, { outcome: 'consumed', code: used }, `codes.consume. ${dropped}`)
      const second = await codes.consume(code.codeHash, at(2))
      same(second, { outcome: 'replayed', code: used }, `codes.consume of a used code. ${dropped}`)
      same(await codes.find(code.codeHash), used, `codes.find of a used code. ${dropped}`)
    },
  )

  whereOffered(part, 'redemption').it('answers a code with every member', async (codes, at) => {
    const code = newWholeCode(at)
    await codes.save(code)
    const session = newRefreshable(at, 'token', { id: code.opensSessionId })
    same(
      await codes.redemption.redeem(code.codeHash, session, at(1)),
      { outcome: 'consumed', code: { ...code, consumedAt: at(1) } },
      `redeem. ${dropped}`,
    )
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
