import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  defaultLifetimes,
  defaultMaxSessionsPerUser,
  defaultPurgeInterval,
  defaultStoreTimeout,
  defaultTotpIssuer,
} from '../../src/resolve-options.js'
import { defaultLimits } from '../../src/throttle/throttle.js'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const days = (seconds: number) => `${seconds / 86_400} days`

describe('the table of options in the README', () => {
  it.each([
    ['throttle.account', `${defaultLimits.account.points} in ${defaultLimits.account.duration} s`],
    ['throttle.network', `${defaultLimits.network.points} in ${defaultLimits.network.duration} s`],
    ['throttle.secondFactor', `${defaultLimits.secondFactor.points} in ${defaultLimits.secondFactor.duration} s`],
    ['lifetimes.code', `${defaultLifetimes.code}`],
    ['lifetimes.accessToken', `${defaultLifetimes.accessToken}`],
    ['lifetimes.sessionIdle', days(defaultLifetimes.sessionIdle)],
    ['lifetimes.sessionAbsolute', days(defaultLifetimes.sessionAbsolute)],
    ['lifetimes.refreshGrace', `${defaultLifetimes.refreshGrace}`],
    ['maxSessionsPerUser', `${defaultMaxSessionsPerUser}`],
    ['purgeInterval', `${defaultPurgeInterval}`],
    ['storeTimeout', `${defaultStoreTimeout}`],
    ['totpIssuer', `\`${defaultTotpIssuer}\``],
  ])('gives the default of %s as %s, which it is', (option, value) => {
    const row = readme.split('\n').find((line) => line.startsWith(`| \`${option}\``))
    expect(row?.split('|').at(-2)?.trim()).toBe(value)
  })
})
