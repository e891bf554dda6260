// A registration makes one user, however many confirm it at the same moment in two processes.
import { describe, expect, it } from 'vitest'
import {
  type AccountProcess,
  newcomer,
  openAccounts,
  registerAt,
  sharedAccounts,
} from '../support/account-processes.js'
import { tally } from '../support/guessing.js'

const callers = 50

describe.each(sharedAccounts)('two processes over $name', (kind) => {
  async function start() {
    const { rows, start } = await openAccounts(kind)
    const processes = await Promise.all([start(), start()])
    const [one, other] = processes as [AccountProcess, AccountProcess]
    const race = (send: (process: AccountProcess, caller: number) => Promise<{ status: number }>) =>
      Promise.all(
        Array.from({ length: callers }, (_none, caller) =>
          send(processes[caller % 2] as AccountProcess, caller),
        ),
      )
    return { rows, one, other, race }
  }

  it.skipIf(!kind.isThere)('50 confirmations make one user with one session', async () => {
    const { rows, one, other, race } = await start()
    const invited = await one.post('/host/invite/50')
    const mine = await registerAt(one, { invitation: invited.data.token })
    const answers = await race((process) => process.post('/auth/register/confirm', mine))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 400: 49 })
    expect(await rows()).toHaveLength(2)
    const { data: open } = await other.ask('GET', '/host/invitations')
    expect(open[0].usesLeft).toBe(49)
    expect(await other.post('/auth/register/confirm', mine)).toMatchObject({
      status: 400,
      error: 'proof-refused',
    })
    const { username, password } = newcomer
    const signedIn = await other.post('/login', { username, password })
    expect(signedIn.status).toBe(200)
    const { data } = await other.ask('GET', '/auth/sessions', undefined, signedIn.data.authToken)
    expect(data.sessions).toHaveLength(2)
  })

  it.skipIf(!kind.isThere)(
    'of 20 people with one name one has it, and the others ask again',
    async () => {
      const { rows, one, race } = await start()
      const proofs: object[] = []
      for (let i = 0; i < 20; i += 1) proofs.push(await registerAs(one, `n${i}@example.com`))
      const answers = await race((process, caller) =>
        caller < 20
          ? process.post('/auth/register/confirm', proofs[caller])
          : Promise.resolve({ status: 0 }),
      )
      expect(tally(answers.map(({ status }) => status))).toEqual({ 0: 30, 200: 1, 409: 19 })
      const loser = proofs[answers.findIndex(({ status }) => status === 409)]
      const again = await one.post('/auth/register/confirm', { ...loser, username: 'ada2' })
      expect(again.status, again.error).toBe(200)
      expect((await rows()).map(({ username }) => username).toSorted()).toEqual([
        'ada',
        'ada2',
        'alice',
      ])
    },
  )
})

async function registerAs(process: AccountProcess, email: string) {
  const asked = await process.post('/auth/register', { ...newcomer, email })
  const found = () => process.mails.find((mail) => mail.kind === 'register' && mail.to === email)
  await expect.poll(found).toBeDefined()
  return { requestId: asked.data.requestId as string, code: found()?.code ?? '' }
}
