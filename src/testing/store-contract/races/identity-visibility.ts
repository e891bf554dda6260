import type { IdentityStore } from '../../../stores/identity-contract.js'
import { moments, newIdentity } from '../../../stores/new-records.js'
import { same, shared } from '../harness/checks.js'

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
