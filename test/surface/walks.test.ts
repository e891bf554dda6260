// How far a request goes through the code: whoever reads it goes as far.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'

const program = join(import.meta.dirname, 'walk.mjs')

describe('a request that is served before', () => {
  let calls: { readonly login: number; readonly me: number }
  beforeAll(async () => {
    calls = JSON.parse((await promisify(execFile)(process.execPath, [program])).stdout)
  })

  it('calls no more than 450 functions for a right password', () => {
    expect(calls.login).toBeLessThanOrEqual(450)
    expect(calls.login).toBeGreaterThan(100)
  })

  it('calls no more than 60 functions for who one is', () => {
    expect(calls.me).toBeLessThanOrEqual(60)
    expect(calls.me).toBeGreaterThan(20)
  })
})
