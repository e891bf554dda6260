import { randomId } from '../../../lib/secrets.js'
import type { KeyStore } from '../../../signers/contract.js'
import type { ManagedClientStore } from '../../../stores/client-contract.js'
import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import type { ConsentStore } from '../../../stores/consent-contract.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import {
  moments,
  newClient,
  newCode,
  newConsent,
  newDeviceCode,
  newKey,
  newSecretHash,
  newTicket,
} from '../../../stores/new-records.js'
import type { OnceStore } from '../../../stores/once-contract.js'
import type { SocketTicketStore } from '../../../stores/ticket-contract.js'
import { type BothSides, bothWays, nothing, type Step } from './visibility-steps.js'

function codes(one: AuthorizationCodeStore, other: AuthorizationCodeStore): readonly Step[] {
  const at = moments()
  const code = newCode(at)
  const found = () => other.find(code.codeHash)
  const consume = (store: AuthorizationCodeStore, seconds: number) => async () =>
    (await store.consume(code.codeHash, at(seconds))).outcome
  const isUsed = async () => (await found())?.consumedAt instanceof Date
  return [
    ['not saved yet', nothing, 'find', found, null],
    ['saved', () => one.save(code), 'find', async () => (await found())?.consumedAt, null],
    ['not used yet', nothing, 'consume', consume(one, 1), 'consumed'],
    ['consumed', nothing, 'find', isUsed, true],
    ['consumed', nothing, 'consume', consume(other, 2), 'replayed'],
  ]
}

function tickets(one: SocketTicketStore, other: SocketTicketStore): readonly Step[] {
  const at = moments()
  const ticket = newTicket(at)
  const consume = async () => (await other.consume(ticket.ticketHash, at(1))).outcome
  return [['issued', () => one.save(ticket), 'consume', consume, 'consumed']]
}

function keys(one: KeyStore, other: KeyStore): readonly Step[] {
  const key = newKey(moments())
  const isListed = async () =>
    (await other.list()).some(({ generation }) => generation === key.generation)
  // Removed before anything is compared: rings that share the store would use it.
  const look = async () => {
    const listed = [await isListed()]
    await one.insert(key)
    listed.push(await isListed())
    await one.remove(key.generation)
    return [...listed, await isListed()]
  }
  return [['inserted and removed', nothing, 'list', look, [false, true, false]]]
}

function consents(one: ConsentStore, other: ConsentStore): readonly Step[] {
  const consent = newConsent(moments(), { scopes: ['openid'] })
  const { userId, clientId } = consent
  const scopesIn = (store: ConsentStore) => async () =>
    [...((await store.find(userId, clientId))?.scopes ?? [])].sort()
  const found = async () => (await other.find(userId, clientId)) ?? null
  const listed = async () => (await other.listForUser(userId)).length
  const add = () => other.grant({ ...consent, scopes: ['profile'] })
  return [
    ['not granted yet', nothing, 'find', found, null],
    ['not granted yet', nothing, 'listForUser', listed, 0],
    ['granted', () => one.grant(consent), 'find', scopesIn(other), ['openid']],
    ['granted', nothing, 'listForUser', listed, 1],
    ['added to', add, 'find', scopesIn(one), ['openid', 'profile']],
    ['revoked', () => one.revoke(userId, clientId), 'find', found, null],
    ['revoked', nothing, 'listForUser', listed, 0],
  ]
}

function once(one: OnceStore, other: OnceStore): readonly Step[] {
  const at = moments()
  const key = randomId()
  const claim = (store: OnceStore) => () => store.claim(key, at(60), at(0))
  return [['claimed', claim(one), 'claim', claim(other), { outcome: 'known' }]]
}

function clients(one: ManagedClientStore, other: ManagedClientStore): readonly Step[] {
  const at = moments()
  const hash = newSecretHash()
  const { secretHashes: _none, ...client } = newClient()
  const { id } = client
  const found = async () => (await other.find(id)) ?? null
  const name = async () => (await found())?.name
  const secretHashes = async () => (await found())?.secretHashes
  const isDisabled = async () => (await found())?.disabled
  const rename = () => one.update({ ...client, name: 'Renamed' }, at(1))
  const addSecret = () => one.replaceSecrets(id, [], [hash], at(1))
  return [
    ['not created yet', nothing, 'find', found, null],
    ['created', () => one.create(client, at(0)), 'find', name, client.name],
    ['updated', rename, 'find', name, 'Renamed'],
    ['given a new secret', addSecret, 'find', secretHashes, [hash]],
    ['disabled', () => one.setDisabled(id, true, at(1)), 'find', isDisabled, true],
  ]
}

function deviceCodes(one: DeviceCodeStore, other: DeviceCodeStore): readonly Step[] {
  const at = moments()
  const code = newDeviceCode(at, { triesLeft: 1 })
  const { userCodeHash, deviceCodeHash } = code
  const found = () => other.find(userCodeHash)
  const poll = (store: DeviceCodeStore) => async () =>
    (await store.poll(userCodeHash, deviceCodeHash, at(1))).outcome
  const take = (store: DeviceCodeStore) => () => store.takeTry(userCodeHash, 'u-alice', at(1))
  const claim = (store: DeviceCodeStore, userId: string) => () =>
    store.claim(userCodeHash, userId, at(1))
  const deny = () => one.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(1))
  const owner = async () => (await found())?.userId
  const state = async () => (await found())?.state
  return [
    ['not saved yet', nothing, 'find', found, null],
    ['saved', () => one.save(code), 'find', found, code],
    ['polled', poll(one), 'poll', poll(other), 'too-soon'],
    ['claimed', claim(one, 'u-alice'), 'find', owner, 'u-alice'],
    ['claimed', nothing, 'claim', claim(other, 'u-eve'), { outcome: 'foreign' }],
    ['tried', take(other), 'takeTry', take(one), { outcome: 'void' }],
    ['decided', deny, 'find', state, 'denied'],
  ]
}

/** The stores of apps, and what is used once. */
export const appsVisibility: Readonly<
  Record<
    'codes' | 'tickets' | 'keys' | 'consents' | 'once' | 'clients' | 'deviceCodes',
    (sides: BothSides) => Promise<void>
  >
> = {
  codes: bothWays('codes', codes),
  tickets: bothWays('tickets', tickets),
  keys: bothWays('keys', keys),
  consents: bothWays('consents', consents),
  once: bothWays('once', once),
  clients: bothWays('clients', clients),
  deviceCodes: bothWays('deviceCodes', deviceCodes),
}
