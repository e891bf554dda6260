// What is published: entries that share what must be one, and stacks that name the sources.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)

/** What a program prints that imports the package by its name, as a host does. */
function printedBy(code: string, ...flags: string[]): string {
  const args = [...flags, '--input-type=module', '--eval', code]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout
}

describe('what is published', () => {
  it.each([
    ['stores/memory', 'memoryStores({ no: 1 })'],
    ['stores/sql', 'sqlStores({})'],
    ['stores/redis', 'redisStores({})'],
    ['hashers/argon2', 'argon2({ no: 1 })'],
    ['rocketchat', 'rocketChat({}, { no: 1 })'],
  ])('has one AuthConfigError: that of %s is that of the main entry', (entry, refused) => {
    const code = `import { AuthConfigError } from 'messaging-auth-router'
      import * as entry from 'messaging-auth-router/${entry}'
      try { entry.${refused} } catch (error) { console.log(error instanceof AuthConfigError) }`
    expect(printedBy(code)).toBe('true\n')
  })

  it('has one AuthError: that of the hasher of an entry is that of the main entry', () => {
    const code = `import { AuthError } from 'messaging-auth-router'
      import { argon2 } from 'messaging-auth-router/hashers/argon2'
      await argon2().hash('').catch((error) => console.log(error instanceof AuthError))`
    expect(printedBy(code)).toBe('true\n')
  })

  it('has errors of the client that are its own', () => {
    const code = `import * as main from 'messaging-auth-router'
      import * as client from 'messaging-auth-router/client'
      console.log('AuthClientError' in main, 'AuthError' in client)`
    expect(printedBy(code)).toBe('false false\n')
  })

  const throws = `import { bcryptHasher } from 'messaging-auth-router'
    try { bcryptHasher({ cost: 99 }) } catch (error) { console.log(error.stack) }`

  it('names its functions in a stack', () => {
    expect(printedBy(throws)).toMatch(/ bcryptHasher |\.bcryptHasher /)
  })

  it('leads a stack to the source: the comment above the line names the file of src', () => {
    const [, file = '', line = ''] =
      /bcryptHasher \(file:\/\/(\S*\/dist\/\S+\.js):(\d+):/.exec(printedBy(throws)) ?? []
    const above = readFileSync(file, 'utf8').split('\n').slice(0, Number(line))
    expect(above.at(-1)).toMatch(/settingsOf\S*\(options\)/)
    const region = above.findLast((text) => text.startsWith('// src/'))
    expect(region).toBe('// src/passwords/bcrypt-hasher.ts')
  })

  it('holds what it uses of zod, which says its version and its license', () => {
    const json = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'))
    const { version } = json('node_modules/zod/package.json')
    const held = readFileSync(new URL('dist/zod.js', root), 'utf8')
    expect(held.startsWith(`/*! zod ${version}\n`)).toBe(true)
    expect(held).toContain(readFileSync(new URL('node_modules/zod/LICENSE', root), 'utf8').trim())
    expect(json('package.json').dependencies).not.toHaveProperty('zod')
  })

  it('hashes in threads: the file of the worker is found', () => {
    const code = `import { bcryptHasher } from 'messaging-auth-router'
      const passwords = bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true })
      console.log(await passwords.verify('a', await passwords.hash('a')))
      await passwords.close()`
    expect(printedBy(code)).toBe('true\n')
  })
})
