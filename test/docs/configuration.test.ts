import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { resolveOptions } from '../../src/router/resolve-options.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { encryptionKey } from '../support/host.js'
import { testUsers } from '../support/users.js'

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const days = (seconds: number) => `${seconds / 86_400} days`

// What a host gets that sets nothing but what it must.
const { throttle, lifetimes, pkce, ...options } = resolveOptions({
  users: testUsers(),
  ...memoryStores(),
  signer: joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [await generateSigningKey()],
  }),
  encryptionKeys: [encryptionKey],
})
const { mail, secondFactorTotal, dryRun, limiter: _none, ...limits } = throttle
const shown = ({ points, duration }: { points: number; duration: number }) =>
  `${points} in ${duration} s`

describe('the table of options in docs/configuration.md', () => {
  it.each<[string, string]>([
    ...Object.entries(limits).map(([name, limit]): [string, string] => [
      `throttle.${name}`,
      shown(limit),
    ]),
    ['throttle.secondFactorTotal', `${secondFactorTotal}`],
    [
      'throttle.mail',
      [mail.address, mail.account, mail.network, mail.codes]
        .map((one) => one && shown(one))
        .join(', '),
    ],
    ['throttle.dryRun', `\`${dryRun}\``],
    ['lifetimes.code', `${lifetimes.code}`],
    ['lifetimes.accessToken', `${lifetimes.accessToken}`],
    ['lifetimes.sessionIdle', days(lifetimes.sessionIdle)],
    ['lifetimes.sessionAbsolute', days(lifetimes.sessionAbsolute)],
    ['lifetimes.refreshGrace', `${lifetimes.refreshGrace}`],
    ['pkce.maxAge', `${pkce.maxAge}`],
    ['pkce.endWithIssuer', `\`${pkce.endWithIssuer}\``],
    ['maxSessionsPerUser', `${options.maxSessionsPerUser}`],
    ['namedTokens', `\`${options.namedTokens}\``],
    ['accessTokensSurvivePasswordChange', `\`${options.accessTokensSurvivePasswordChange}\``],
    ['watchPasswordHash', `\`${options.watchPasswordHash}\``],
    ['maxPasswordWait', `${options.maxPasswordWait}`],
    ['purgeInterval', `${options.purgeInterval}`],
    ['storeTimeout', `${options.storeTimeout}`],
    ['totpIssuer', `\`${options.totpIssuer}\``],
  ])('gives the default of %s as %s, which it is', (option, value) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${option}\``))
    expect(row?.split('|').at(-2)?.trim()).toBe(value)
  })
})
