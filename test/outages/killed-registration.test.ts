// A process is killed at each step of a confirmation: there is one user or none, and the same code,
// or then the password, goes on in another process.
import { describe, expect, it } from 'vitest'
import { newcomer, newcomersPassword, registerAt } from '../support/account-steps.js'
import { type Death, openServers, sharedKinds } from '../support/server-processes.js'

const at = (part: Death['part'], method: string, when: Death['when'], purpose?: string): Death => ({
  part,
  method,
  when,
  ...(purpose === undefined ? {} : { purpose }),
})

/** With how many of three uses of the invitation are left in the end. */
const beforeTheUser: readonly (readonly [Death, usesLeft: number])[] = [
  [at('proofs', 'find', 'after', 'register'), 2],
  [at('proofs', 'takeTry', 'after', 'register'), 2],
  [at('proofs', 'save', 'after', 'register-once'), 2],
  [at('proofs', 'takeTry', 'before', 'invitation'), 2],
  // Between the use and the note of it: the next confirmation takes another one.
  [at('proofs', 'takeTry', 'after', 'invitation'), 1],
  [at('proofs', 'consume', 'before', 'register-once'), 1],
  [at('proofs', 'consume', 'after', 'register-once'), 2],
  [at('users', 'create', 'before'), 2],
]
const afterTheUser: readonly Death[] = [
  at('users', 'create', 'after'),
  at('proofs', 'consume', 'before', 'register'),
  at('proofs', 'consume', 'after', 'register'),
  at('users', 'findById', 'before'),
  at('sessions', 'create', 'before'),
  at('sessions', 'create', 'after'),
]

const { username } = newcomer
const password = newcomersPassword

describe.each(sharedKinds)('over $name, a process is killed', (kind) => {
  /** Registers with one server, and confirms with another, which dies. */
  async function confirmAndDie(death: Death) {
    const { rows, start } = await openServers(kind)
    const [victim, survivor] = await Promise.all([start({ diesAt: death }), start()])
    const { token } = await survivor.call<{ token: string }>('auth.accounts.invite', { uses: 3 })
    const mine = await registerAt(survivor, { invitation: token })
    expect((await victim.post('/auth/register/confirm', mine)).status).toBe(0)
    expect(await victim.ended).toBe('SIGKILL')
    const confirm = () => survivor.post('/auth/register/confirm', mine)
    const logIn = () => survivor.post('/login', { username, password })
    async function usesLeft() {
      const path = 'auth.accounts.invitations'
      return (await survivor.call<readonly { usesLeft: number }[]>(path))[0]?.usesLeft
    }
    return { rows, confirm, logIn, usesLeft }
  }

  it.skipIf(!kind.isThere).each(beforeTheUser)(
    '$when $method of $part, $purpose: the same code makes the user',
    async (death, left) => {
      const { rows, confirm, logIn, usesLeft } = await confirmAndDie(death)
      expect(await rows()).toHaveLength(1)
      expect((await logIn()).status).toBe(401)
      expect(await confirm()).toMatchObject({ status: 200 })
      expect(await rows()).toHaveLength(2)
      expect(await usesLeft()).toBe(left)
      expect(await confirm()).toMatchObject({ status: 400, error: 'proof-refused' })
      expect((await logIn()).status).toBe(200)
    },
  )

  it.skipIf(!kind.isThere).each(afterTheUser)(
    '$when $method of $part, $purpose: there is one user, whom the password signs in',
    async (death) => {
      const { rows, confirm, logIn, usesLeft } = await confirmAndDie(death)
      expect(await rows()).toHaveLength(2)
      expect(await confirm()).toMatchObject({ status: 400, error: 'proof-refused' })
      expect(await rows()).toHaveLength(2)
      expect(await usesLeft()).toBe(2)
      expect((await logIn()).status).toBe(200)
    },
  )
})
