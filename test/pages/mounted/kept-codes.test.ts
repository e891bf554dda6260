// The page of the second factor for a user who has switched TOTP off, and has a passkey.
import { describe, expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { signIn } from './forms.js'
import { recoveryCodes } from './mounted-host.js'
import { givePasskey, type PasskeyPages, startPasskeyPages } from './passkey-host.js'
import { openVisitor } from './visitor.js'

const [first = '', second = ''] = recoveryCodes

async function post({ base }: PasskeyPages, path: string, body: object, token?: string) {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { readonly data: { readonly authToken: string } }
}

/** Bob, whose factor is a passkey from now on, and whose TOTP goes by one of its codes. */
async function startWithoutTotp() {
  const host = await startPasskeyPages({ passkeys: { asSecondFactor: 'always' } })
  await givePasskey(host, 'u-bob', [])
  const { data } = await post(host, '/login', { username: 'bob', password, code: first })
  host.host().issued.add(data.authToken)
  await post(host, '/auth/totp/disable', { password, code: second }, data.authToken)
  return host
}

describe('Whoever has switched TOTP off and has a passkey', () => {
  it('gets in with a recovery code that was left, once, and with none that was used', async () => {
    const host = await startWithoutTotp()
    const visitor = openVisitor(host)
    const due = await signIn(visitor, host, 'bob')
    expect(due.heading).toBe('Confirm that it is you')
    expect(due.text).toContain('data-passkey')
    const page = await visitor.open(due.url.replace('/second-factor?', '/recovery-code?'))
    const wrong = await visitor.fill(page, { code: second })
    expect(wrong.heading).toBe('Confirm that it is you')
    const left = recoveryCodes[2] as string
    expect((await visitor.fill(wrong, { code: left })).heading).toBe('One moment')
    const sessions = await host.stores.sessions.listForUser('u-bob', host.clock())
    expect(sessions.map(({ methods }) => methods)).toContainEqual(['pwd', 'recovery'])
    const other = openVisitor(host)
    const again = await signIn(other, host, 'bob')
    const once = await other.open(again.url.replace('/second-factor?', '/recovery-code?'))
    expect((await other.fill(once, { code: left })).heading).toBe('Confirm that it is you')
  })
})
