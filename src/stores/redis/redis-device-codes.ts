import { z } from 'zod'
import { randomId } from '../../lib/random.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../device-code-contract.js'
import { deviceCodeRow } from '../rows/device-code-row.js'
import { without } from '../rows/members.js'
import {
  claimDeviceCode,
  decideDeviceCode,
  findDeviceCode,
  pollDeviceCode,
  saveDeviceCode,
  takeTryOfDeviceCode,
} from './device-code-scripts.js'
import { jsonShape, toJson } from './json-rows.js'
import { integerDigits, json, momentDigits, readReply, rowText } from './replies.js'
import { gcGraceMs, identifier, keyOf, lifetime, type RunScript } from './scripts.js'

const recordRow = without(
  deviceCodeRow,
  'expiresAt',
  'state',
  'triesLeft',
  'interval',
  'nextPollAt',
  'userId',
  'claimedAt',
  'authorizationCodeHash',
)
const recordShape = json(jsonShape(recordRow))
const wholeShape = json(jsonShape(deviceCodeRow))
const rowShape = z
  .tuple([
    recordShape,
    momentDigits,
    z.string(),
    integerDigits,
    integerDigits,
    momentDigits,
    z.string().nullable(),
    momentDigits.nullable(),
    z.string().nullable(),
  ])
  .transform(codeOf)
const foundShape = rowShape.nullable()
const claimedShape = z.union([z.tuple([z.literal('1'), rowShape]), z.tuple([z.literal('0')])])
const polledShape = z.tuple([z.enum(['0', '1']), rowShape])
const what = 'device code'

/** Device codes, each in one hash. */
export function redisDeviceCodes(run: RunScript, prefix: string): DeviceCodeStore {
  const key = (userCodeHash: string) => keyOf(prefix, 'd', userCodeHash)
  return {
    async save(code) {
      const saved = await run(saveDeviceCode, key(code.userCodeHash), ...fieldsOf(code))
      if (saved !== '1') throw new Error('redisStores: duplicate device code')
    },
    find: async (userCodeHash) =>
      readReply(foundShape, await run(findDeviceCode, key(userCodeHash)), what),
    async claim(userCodeHash, userId, now) {
      const given = [identifier(userId), now.getTime()] as const
      const reply = await run(claimDeviceCode, key(userCodeHash), ...given)
      const claimed = readReply(claimedShape.nullable(), reply, what)
      if (claimed === null) return { outcome: 'unknown' }
      const [, code] = claimed
      return code === undefined ? { outcome: 'foreign' } : { outcome: 'claimed', code }
    },
    async takeTry(userCodeHash, userId, now) {
      const given = [identifier(userId), randomId(), now.getTime()] as const
      const reply = await run(takeTryOfDeviceCode, key(userCodeHash), ...given)
      const code = readReply(foundShape, reply, what)
      return code === null ? { outcome: 'void' } : { outcome: 'taken', code }
    },
    async decide(userCodeHash, userId, verdict, now) {
      const given = [identifier(userId), randomId(), now.getTime(), verdict.state] as const
      const more = verdict.state === 'approved' ? [identifier(verdict.authorizationCodeHash)] : []
      const reply = await run(decideDeviceCode, key(userCodeHash), ...given, ...more)
      const isDecided = readReply(z.enum(['0', '1']), reply, what) === '1'
      return { outcome: isDecided ? 'decided' : 'unknown' }
    },
    async poll(userCodeHash, deviceCodeHash, now) {
      const given = [identifier(deviceCodeHash), randomId(), now.getTime()] as const
      const reply = await run(pollDeviceCode, key(userCodeHash), ...given)
      const polled = readReply(polledShape.nullable(), reply, what)
      if (polled === null) return { outcome: 'unknown' }
      const [soon, code] = polled
      return { outcome: soon === '1' ? 'too-soon' : 'polled', code }
    },
    // Redis deletes what is over by itself.
    purge: async () => 0,
  }
}

function fieldsOf(code: DeviceCodeRecord): (string | number)[] {
  // All of it, before anything is written.
  rowText(wholeShape, toJson(deviceCodeRow, code), what)
  const { userId, claimedAt, authorizationCodeHash } = code
  const [begin, end] = [code.createdAt.getTime(), code.expiresAt.getTime()]
  return [
    randomId(),
    lifetime(end - begin + gcGraceMs),
    rowText(recordShape, toJson(recordRow, code), what),
    code.deviceCodeHash,
    end,
    code.state,
    code.triesLeft,
    code.interval,
    code.nextPollAt.getTime(),
    ...(userId === null ? [] : ['user', userId]),
    ...(claimedAt === null ? [] : ['claimed', claimedAt.getTime()]),
    ...(authorizationCodeHash === null ? [] : ['authorization', authorizationCodeHash]),
  ]
}

type Fields = [
  record: Pick<DeviceCodeRecord, keyof typeof recordRow>,
  expiresAt: Date,
  state: string,
  triesLeft: number,
  interval: number,
  nextPollAt: Date,
  userId: string | null,
  claimedAt: Date | null,
  authorizationCodeHash: string | null,
]

function codeOf([record, expiresAt, state, triesLeft, ...fields]: Fields): DeviceCodeRecord {
  const [interval, nextPollAt, userId, claimedAt, authorizationCodeHash] = fields
  const ofUser = { userId, claimedAt, authorizationCodeHash }
  return { ...record, expiresAt, state, triesLeft, interval, nextPollAt, ...ofUser }
}
