import { randomId } from '../../../lib/secrets.js'
import type { ManagedClientStore } from '../../../stores/client-contract.js'
import type { ConsentStore } from '../../../stores/consent-contract.js'
import type { SessionStore } from '../../../stores/contract.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import type { IdentityStore } from '../../../stores/identity-contract.js'
import {
  moments,
  newClient,
  newConsent,
  newDeviceCode,
  newIdentity,
  newPasskeyRecord,
  newProof,
  newSecretHash,
  newSession,
} from '../../../stores/new-records.js'
import type { OnceStore } from '../../../stores/once-contract.js'
import type { PasskeyStore } from '../../../stores/passkey-contract.js'
import type { ProofStore } from '../../../stores/proof-contract.js'
import { isNone, same, shared } from '../harness.js'

/** One process grants consents, and the other reads them. */
export async function consentsOf(one: ConsentStore, other: ConsentStore): Promise<void> {
  const at = moments()
  const consent = newConsent(at, { scopes: ['openid'] })
  const { userId, clientId } = consent
  const found = async () => (await other.find(userId, clientId))?.scopes
  const listed = async () => (await other.listForUser(userId)).length
  same([await found(), await listed()], [undefined, 0], 'consents.find of none.')
  await one.grant(consent)
  same(
    [await found(), await listed()],
    [['openid'], 1],
    `consents.find and listForUser of a consent that another process has granted. ${shared}`,
  )
  await other.grant({ ...consent, scopes: ['profile'] })
  same(
    [...((await one.find(userId, clientId))?.scopes ?? [])].sort(),
    ['openid', 'profile'],
    `consents.find of a consent to which two processes have added. ${shared}`,
  )
  await one.revoke(userId, clientId)
  same(
    [isNone(await other.find(userId, clientId)), await listed()],
    [true, 0],
    `consents.find and listForUser of a consent that another process has revoked. ${shared}`,
  )
}

/** One process claims keys, and the other claims them again. */
export async function onceOf(one: OnceStore, other: OnceStore): Promise<void> {
  const at = moments()
  const key = randomId()
  await one.claim(key, at(60), at(0))
  same(
    await other.claim(key, at(60), at(0)),
    { outcome: 'known' },
    `once.claim of a key that another process has claimed. ${shared}`,
  )
}

/** One process changes clients, and the other reads them. */
export async function clientsOf(one: ManagedClientStore, other: ManagedClientStore): Promise<void> {
  const at = moments()
  const hash = newSecretHash()
  const { secretHashes: _none, ...client } = newClient()
  const { id } = client
  same(isNone(await other.find(id)), true, 'clients.find of none.')
  await one.create(client, at(0))
  same((await other.find(id))?.name, client.name, `clients.find of a new client. ${shared}`)
  await one.update({ ...client, name: 'Renamed' }, at(1))
  same((await other.find(id))?.name, 'Renamed', `clients.find after update. ${shared}`)
  await one.replaceSecrets(id, [], [hash], at(1))
  same((await other.find(id))?.secretHashes, [hash], `clients.find with a new secret. ${shared}`)
  await one.setDisabled(id, true, at(1))
  same((await other.find(id))?.disabled, true, `clients.find of a disabled client. ${shared}`)
}

/** One process changes device codes, and the other reads them. */
export async function deviceCodesOf(one: DeviceCodeStore, other: DeviceCodeStore): Promise<void> {
  const at = moments()
  const code = newDeviceCode(at, { triesLeft: 1 })
  const { userCodeHash, deviceCodeHash } = code
  const found = async () => other.find(userCodeHash)
  same([isNone(await found())], [true], 'deviceCodes.find of none.')
  await one.save(code)
  same(await found(), code, `deviceCodes.find of one that another process has saved. ${shared}`)
  await one.poll(userCodeHash, deviceCodeHash, at(1))
  same(
    (await other.poll(userCodeHash, deviceCodeHash, at(1))).outcome,
    'too-soon',
    `deviceCodes.poll of a code that another process has polled. ${shared}`,
  )
  await one.claim(userCodeHash, 'u-alice', at(1))
  same((await found())?.userId, 'u-alice', `deviceCodes.find after claim. ${shared}`)
  same(
    await other.claim(userCodeHash, 'u-eve', at(1)),
    { outcome: 'foreign' },
    `deviceCodes.claim of a code that another process has claimed. ${shared}`,
  )
  await other.takeTry(userCodeHash, 'u-alice', at(1))
  same(
    await one.takeTry(userCodeHash, 'u-alice', at(1)),
    { outcome: 'void' },
    `deviceCodes.takeTry of the try that another process has taken. ${shared}`,
  )
  await one.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(1))
  same((await found())?.state, 'denied', `deviceCodes.find after decide. ${shared}`)
}

/** Sessions that one process ends together have ended for the other. */
export async function ownersOf(here: SessionStore, there: SessionStore): Promise<void> {
  // The stand-in for the other process has every method.
  if (here.endAllForClient === undefined || here.endChildren === undefined) return
  const at = moments()
  for (const [one, other] of [[here, there] as const, [there, here] as const]) {
    const [clientId, parentId] = [randomId(), randomId()]
    const own = [newSession(at, { clientId }), newSession(at, { parentId })]
    for (const session of own) await one.create(session)
    const ended = [
      await other.endAllForClient?.(clientId, {}, 'client-disabled', at(1)),
      await other.endChildren?.(parentId, 'revoked', at(1)),
    ]
    same(
      ended,
      own.map(({ id }) => [id]),
      'endAllForClient and endChildren of sessions that another process has created. Keep ' +
        'nothing in the memory of a process: no cache of rows, no index.',
    )
    for (const { id } of own)
      same(
        (await one.find(id))?.endedAt instanceof Date,
        true,
        'sessions.find of a session that another process has ended with its client or parent.',
      )
  }
}

/** One process changes identities, and the other reads them. */
export async function identitiesOf(one: IdentityStore, other: IdentityStore): Promise<void> {
  const at = moments()
  const identity = newIdentity(at)
  const { provider, subject, userId, id } = identity
  const seen = async () => [await other.find(provider, subject), await other.listForUser(userId)]
  same(await seen(), [null, []], 'identities.find and listForUser of none.')
  await one.link(identity)
  same(
    await seen(),
    [identity, [identity]],
    `identities.find and listForUser of one that another process has linked. ${shared}`,
  )
  same(
    await other.link(newIdentity(at, { provider, subject })),
    { outcome: 'exists' },
    `identities.link of one that another process has linked. ${shared}`,
  )
  await one.used(provider, subject, at(9))
  same(
    (await other.find(provider, subject))?.lastUsedAt,
    at(9),
    `identities.find of one that was used in another process. ${shared}`,
  )
  same(
    await other.unlink(userId, id, { unlessLast: true }),
    { outcome: 'last' },
    `identities.unlink of the only one, which another process has linked. ${shared}`,
  )
  await one.unlink(userId, id, { unlessLast: false })
  same(
    [...(await seen()), await other.wasUnlinked(provider, subject)],
    [null, [], true],
    `identities.find, listForUser and wasUnlinked after another process has unlinked it. ${shared}`,
  )
}

/** One process changes passkeys, and the other reads them. */
export async function passkeysOf(one: PasskeyStore, other: PasskeyStore): Promise<void> {
  const at = moments()
  const passkey = newPasskeyRecord(at)
  const { credentialId, userId, userHandle } = passkey
  const found = async () => other.find(credentialId)
  same([isNone(await found())], [true], 'passkeys.find of none.')
  await one.create(passkey, { most: 20, recoveryCodeHashes: [] })
  same(await found(), passkey, `passkeys.find of one that another process has created. ${shared}`)
  same(
    await other.claimHandle(userId, 'another'),
    userHandle,
    `passkeys.claimHandle where another process has kept one. ${shared}`,
  )
  await one.use(credentialId, 7, { counter: 8, backedUp: true, lastUsedAt: at(9) })
  same(
    await other.use(credentialId, 7, { counter: 8, backedUp: true, lastUsedAt: at(9) }),
    { outcome: 'superseded' },
    `passkeys.use of a counter that another process has moved. ${shared}`,
  )
  await one.rename(userId, credentialId, 'Other')
  same((await found())?.name, 'Other', `passkeys.find of one that was renamed. ${shared}`)
  await one.remove(userId, credentialId, { unlessLast: false })
  same(
    [isNone(await found()), await other.listForUser(userId)],
    [true, []],
    `passkeys.find and listForUser after another process has removed it. ${shared}`,
  )
}

/** One process changes proofs, and the other reads them. */
export async function proofsOf(one: ProofStore, other: ProofStore): Promise<void> {
  const at = moments()
  const proof = newProof(at, { triesLeft: 2 })
  const { idHash, purpose, userId } = proof
  const found = async () => other.find(idHash, purpose)
  same([isNone(await found())], [true], 'proofs.find of none.')
  await one.save(proof)
  same(await found(), proof, `proofs.find of one that another process has saved. ${shared}`)
  await one.takeTry(idHash, purpose, at(1))
  same((await found())?.triesLeft, 1, `proofs.find after takeTry in another process. ${shared}`)
  await other.takeTry(idHash, purpose, at(1))
  same(
    await one.takeTry(idHash, purpose, at(1)),
    { outcome: 'void' },
    `proofs.takeTry of tries that another process has taken. ${shared}`,
  )
  same(
    await other.voidForUser(String(userId), [purpose], at(2)),
    1,
    `proofs.voidForUser of a proof that another process has saved. ${shared}`,
  )
  same(
    await one.consume(idHash, purpose, at(3)),
    { outcome: 'void' },
    `proofs.consume of a proof that another process has used up. ${shared}`,
  )
}
