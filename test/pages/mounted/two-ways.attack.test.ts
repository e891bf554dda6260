// The same thing at two doors: what the one has counted or used, the other knows.
import { describe, expect, it } from 'vitest'
import { post } from '../../support/client.js'
import { password } from '../../support/host.js'
import { secondFactorForm, signInForm } from './forms.js'
import { recoveryCodes, startMounted } from './mounted-host.js'
import { openVisitor } from './visitor.js'

describe('Guesses at a password', () => {
  it('on the page and at the API are counted together, so that turns give no more of them', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    let page = await signInForm.reach(visitor, host)
    const guess = async (turn: number) => {
      const typed = { username: 'alice', password: `wrong ${turn}` }
      if (turn % 2 === 1) return (await post(host.host(), '/login', typed)).status
      page = await visitor.fill(page, typed)
      return page.status
    }
    const answers: number[] = []
    for (let turn = 0; turn < 8; turn += 1) answers.push(await guess(turn))
    expect(answers).toEqual([422, 401, 422, 401, 422, 429, 429, 429])
    const right = await visitor.post(page, { username: 'alice', password })
    expect([right.status, right.headers['set-cookie']]).toEqual([429, undefined])
  })
})

describe('One recovery code', () => {
  it('in twenty browsers at once signs one of them in', async () => {
    const host = await startMounted()
    const browsers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const visitor = openVisitor(host)
        return { visitor, page: await secondFactorForm.reach(visitor, host) }
      }),
    )
    const code = recoveryCodes[0] as string
    const answers = await Promise.all(
      browsers.map(({ visitor, page }) => visitor.post(page, { code })),
    )
    const cookies = answers.filter(({ headers }) => headers['set-cookie'] !== undefined)
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(cookies).toHaveLength(1)
    expect(await host.stores.sessions.listForUser('u-bob', host.clock())).toHaveLength(1)
  })
})
