import { describe, expect, it, vi } from 'vitest'
import { createHostCall } from '../../src/lib/host-call.js'
import { failClosedCodes, failClosedSessions } from '../../src/stores/fail-closed-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newSession } from '../../src/stores/new-records.js'
import { at, codeRecord } from '../support/records.js'

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
