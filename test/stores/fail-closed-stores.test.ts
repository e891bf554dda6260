import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHostCall } from '../../src/lib/host-call.js'
import {
  failClosedCodes,
  failClosedIdentities,
  failClosedProofs,
  failClosedSessions,
} from '../../src/stores/fail-closed-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newSession } from '../../src/stores/new-records.js'
import { at, codeRecord, identityRecord, proofRecord } from '../support/records.js'

const call = createHostCall(2000, () => {})

describe('a session', () => {
  it.each([
    { secretHash: null },
    { formerSecret: null },
    { formerSecret: { hash: 'hash' } },
    { formerSecret: { hash: 'hash', until: 'soon' } },
    { passwordMark: 7 },
    { lifetime: { idle: 'ever', absolute: 1 } },
    { lifetime: {} },
    { parentId: {} },
    { openedBySessionId: null },
    { upstream: null },
    { actorId: null },
    { actorSessionId: 7 },
    { resources: null },
    { resources: 'urn:files' },
    { resources: [null] },
  ])('that comes back as it cannot be is an outage, not a session: %j', async (member) => {
    const { sessions: store } = memoryStores()
    const session = newSession(at)
    vi.spyOn(store, 'find').mockResolvedValue({ ...session, ...member } as never)
    const sessions = failClosedSessions(store, call)
    await expect(sessions.find(session.id)).rejects.toMatchObject({ status: 503 })
  })
})

describe('a code', () => {
  it.each([
    { issuedBySessionId: null },
    { clientId: null },
    { redirectUri: 7 },
    { nonce: {} },
    { resources: 'urn:files' },
    { resources: [null] },
    { acr: null },
  ])('that comes back as it cannot be is an outage, not a code: %j', async (member) => {
    const { codes: store, sessions } = memoryStores()
    const code = codeRecord()
    vi.spyOn(store, 'find').mockResolvedValue({ ...code, ...member } as never)
    const codes = failClosedCodes(store, sessions, call)
    await expect(codes.find(code.codeHash)).rejects.toMatchObject({ status: 503 })
  })
})

describe('a proof', () => {
  const answers = (member: object) => {
    const proof = proofRecord()
    const { proofs: store } = memoryStores()
    const answer = { ...proof, consumedAt: at(1), ...member }
    vi.spyOn(store, 'find').mockResolvedValue(answer as never)
    vi.spyOn(store, 'takeTry').mockResolvedValue({ outcome: 'taken', proof: answer } as never)
    vi.spyOn(store, 'consume').mockResolvedValue({ outcome: 'consumed', proof: answer } as never)
    const proofs = failClosedProofs(store, call)
    return [
      () => proofs.find(proof.idHash, proof.purpose),
      () => proofs.takeTry(proof.idHash, proof.purpose, at(1)),
      () => proofs.consume(proof.idHash, proof.purpose, at(1)),
    ] as const
  }

  it('that comes back as it can be is answered', async () => {
    for (const ask of answers({})) await expect(ask()).resolves.not.toBeNull()
  })

  it.each([
    { idHash: 'of another' },
    { purpose: 'reset' },
    { purpose: undefined },
    { userId: undefined },
    { userId: 7 },
    { codeTag: undefined },
    { mark: undefined },
    { sealed: {} },
    { triesLeft: -1 },
    { triesLeft: '5' },
    { createdAt: 'now' },
    { expiresAt: null },
    { consumedAt: 0 },
  ])('that comes back as it cannot be is an outage, not a proof: %j', async (member) => {
    for (const ask of answers(member)) await expect(ask()).rejects.toMatchObject({ status: 503 })
  })

  it('that is consumed and shows no moment of it is an outage', async () => {
    const [find, takeTry, consume] = answers({ consumedAt: null })
    await find()
    await takeTry()
    await expect(consume()).rejects.toMatchObject({ status: 503 })
  })

  it.each([undefined, null, true, {}, { outcome: 'ok' }, { outcome: 'taken' }])(
    'that is answered with what no outcome is, is an outage: %j',
    async (answer) => {
      const { idHash, purpose } = proofRecord()
      const { proofs: store } = memoryStores()
      for (const method of ['takeTry', 'consume'] as const) {
        vi.spyOn(store, method).mockResolvedValue(answer as never)
        const asked = failClosedProofs(store, call)[method](idHash, purpose, at(1))
        await expect(asked).rejects.toMatchObject({ status: 503 })
      }
    },
  )

  it('has no outcome that a polluted prototype gave an empty answer', async () => {
    const { idHash, purpose } = proofRecord()
    const { proofs: store } = memoryStores()
    vi.spyOn(store, 'consume').mockResolvedValue({} as never)
    Object.assign(Object.prototype, { outcome: 'void' })
    onTestFinished(() => void Reflect.deleteProperty(Object.prototype, 'outcome'))
    const asked = failClosedProofs(store, call).consume(idHash, purpose, at(1))
    await expect(asked).rejects.toMatchObject({ status: 503 })
  })

  it.each([undefined, null, -1, 1.5, '2'])(
    'is not counted where the store answers no number of them: %j',
    async (answer) => {
      const { proofs: store } = memoryStores()
      vi.spyOn(store, 'voidForUser').mockResolvedValue(answer as never)
      const asked = failClosedProofs(store, call).voidForUser('u-alice', ['reset'], at(1))
      await expect(asked).rejects.toMatchObject({ status: 503 })
    },
  )
})

describe('an identity', () => {
  const { provider, subject, userId, id } = identityRecord({ userId: 'u-alice' })

  const answers = (member: object) => {
    const { identities: store } = memoryStores()
    const answer = { ...identityRecord({ provider, subject, userId, id }), ...member }
    vi.spyOn(store, 'find').mockResolvedValue(answer as never)
    vi.spyOn(store, 'listForUser').mockResolvedValue([answer] as never)
    const identities = failClosedIdentities(store, call)
    return {
      find: () => identities.find(provider, subject),
      list: () => identities.listForUser(userId),
    }
  }

  it('that comes back as it can be is answered', async () => {
    const { find, list } = answers({ label: null, lastUsedAt: null })
    expect(await find()).toMatchObject({ userId })
    expect(await list()).toHaveLength(1)
  })

  it.each([
    { userId: undefined },
    { userId: 7 },
    { id: null },
    { provider: undefined },
    { label: undefined },
    { label: {} },
    { createdAt: 'now' },
    { lastUsedAt: 0 },
  ])('that comes back as it cannot be is an outage, not an identity: %j', async (member) => {
    const { find, list } = answers(member)
    await expect(find()).rejects.toMatchObject({ status: 503 })
    await expect(list()).rejects.toMatchObject({ status: 503 })
  })

  it.each([
    { provider: 'another' },
    { subject: 'of another' },
    { subject: subject.toUpperCase() },
    { provider: `${provider} ` },
  ])('that was not asked for is an outage: %j', async (member) => {
    await expect(answers(member).find()).rejects.toMatchObject({ status: 503 })
  })

  it('of another user is an outage in the list of a user', async () => {
    const { list } = answers({ userId: 'u-bob' })
    await expect(list()).rejects.toMatchObject({ status: 503 })
  })

  it.each([undefined, null, true, {}, { outcome: 'ok' }, { outcome: 'moved' }])(
    'whose change is answered with what no outcome is, is an outage: %j',
    async (answer) => {
      const { identities: store } = memoryStores()
      vi.spyOn(store, 'link').mockResolvedValue(answer as never)
      vi.spyOn(store, 'unlink').mockResolvedValue(answer as never)
      vi.spyOn(store, 'unlinkAllForUser').mockResolvedValue(answer as never)
      const identities = failClosedIdentities(store, call)
      for (const asked of [
        identities.link(identityRecord()),
        identities.unlink(userId, id, { unlessLast: true }),
        identities.unlinkAllForUser(userId),
      ])
        await expect(asked).rejects.toMatchObject({ status: 503 })
    },
  )

  it('is 503 when its store gives no answer in time', async () => {
    const { identities: store } = memoryStores()
    for (const method of ['find', 'link', 'listForUser', 'used', 'unlink'] as const)
      vi.spyOn(store, method).mockReturnValue(new Promise(() => {}) as never)
    const identities = failClosedIdentities(
      store,
      createHostCall(20, () => {}),
    )
    for (const asked of [
      identities.find(provider, subject),
      identities.link(identityRecord()),
      identities.listForUser(userId),
      identities.used(provider, subject, at(1)),
      identities.unlink(userId, id, { unlessLast: true }),
    ])
      await expect(asked).rejects.toMatchObject({ status: 503 })
  })

  it('has no outcome that a polluted prototype gave an empty answer', async () => {
    const { identities: store } = memoryStores()
    vi.spyOn(store, 'unlink').mockResolvedValue({} as never)
    Object.assign(Object.prototype, { outcome: 'unlinked' })
    onTestFinished(() => void Reflect.deleteProperty(Object.prototype, 'outcome'))
    const asked = failClosedIdentities(store, call).unlink(userId, id, { unlessLast: true })
    await expect(asked).rejects.toMatchObject({ status: 503 })
  })
})
