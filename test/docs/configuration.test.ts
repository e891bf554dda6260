import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  defaultLifetimes,
  defaultMaxPasswordWait,
  defaultMaxSessionsPerUser,
  defaultPurgeInterval,
  defaultStoreTimeout,
  defaultTotpIssuer,
} from '../../src/router/default-options.js'
import { defaultLimits, type LimitName } from '../../src/throttle/limits.js'

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const days = (seconds: number) => `${seconds / 86_400} days`

const limits = Object.keys(defaultLimits).map((name): [string, string] => {
  const { points, duration } = defaultLimits[name as LimitName]
  return [`throttle.${name}`, `${points} in ${duration} s`]
})

describe('the table of options in docs/configuration.md', () => {
  it.each<[string, string]>([
    ...limits,
    ['lifetimes.code', `${defaultLifetimes.code}`],
    ['lifetimes.accessToken', `${defaultLifetimes.accessToken}`],
    ['lifetimes.sessionIdle', days(defaultLifetimes.sessionIdle)],
    ['lifetimes.sessionAbsolute', days(defaultLifetimes.sessionAbsolute)],
    ['lifetimes.refreshGrace', `${defaultLifetimes.refreshGrace}`],
    ['maxSessionsPerUser', `${defaultMaxSessionsPerUser}`],
    ['maxPasswordWait', `${defaultMaxPasswordWait}`],
    ['purgeInterval', `${defaultPurgeInterval}`],
    ['storeTimeout', `${defaultStoreTimeout}`],
    ['totpIssuer', `\`${defaultTotpIssuer}\``],
  ])('gives the default of %s as %s, which it is', (option, value) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${option}\``))
    expect(row?.split('|').at(-2)?.trim()).toBe(value)
  })
})
