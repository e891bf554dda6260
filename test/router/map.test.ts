import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { startHost } from '../support/host.js'
import { acceptanceOptions } from '../support/mounted-acceptance.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { issuer, oauthOptions, registrationOption, wiki } from '../support/mounted-oauth.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { providersOptions } from '../support/mounted-providers.js'
import { mountedPaths } from '../support/mounted-routes.js'

const key = await generateSigningKey('ES256')
const source = new URL('../../src/router/create-auth-router.ts', import.meta.url)

/**
 * What the comments beside the map say, and the list of optional routes: a path, and the methods
 * that it answers.
 */
async function writtenRoutes(): Promise<string[]> {
  const text = await readFile(source, 'utf8')
  const from = text.indexOf('const map = {')
  const map = text.slice(from, text.indexOf('\n  }\n', from))
  const [, list = ''] = /const optionalRoutes: .*? = {\n(.*?)\n}\n/s.exec(text) ?? []
  const comments = [...map.matchAll(/\/\/ (.*)$/gm)].flatMap(([, one = '']) => one.split('; '))
  const said = [...comments, ...[...list.matchAll(/'(.*?)'/g)].map(([, route = '']) => route)]
  return said.flatMap((route) => {
    const path = route.split(' ').at(-1) ?? ''
    return route
      .slice(0, -path.length)
      .split(/[, ]+/)
      .filter((method) => method !== '')
      .map((method) => `${method} ${path}`)
  })
}

/** What the router has mounted; the methods are those that a refused one is told of. */
async function mountedRoutes(): Promise<string[]> {
  // The issuer is what the router is mounted at: only then has it a document of its own.
  const signer = joseSigner({ issuer: `${issuer}/api/v1`, audience: 'chat', keys: [key] })
  const client = { ...wiki, mayIntrospect: true }
  const oauth = {
    ...oauthOptions({
      clients: [client],
      deviceFlow: true,
      logout: true,
      ...registrationOption(),
    }),
    ...passkeyOptions(),
    signer,
  }
  const remember = { secondFactor: { remember: { days: 30 } } }
  const required = { ...acceptanceOptions(), ...accountsOptions([], { provenAddress: true }) }
  const others = { ...required, ...providersOptions(), deviceLinks: {}, ...remember }
  const host = await startHost({ options: { namedTokens: true, ...others, ...oauth } })
  const answers = (await mountedPaths(host.auth)).map(async (path) => {
    const url = `${host.url}${path.replace(/:\w+/, 'none')}`
    const { status, headers } = await fetch(url, { method: 'PATCH' })
    expect(status).toBe(405)
    const allowed = (headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
    return allowed.map((method) => `${method} ${path}`)
  })
  return (await Promise.all(answers)).flat()
}

describe('the map of the router', () => {
  it('has every route beside the capability that answers it, and no other', async () => {
    const written = await writtenRoutes()
    expect(written).toContain('DELETE /auth/sessions/:id')
    expect(written.toSorted()).toEqual((await mountedRoutes()).toSorted())
  })
})
