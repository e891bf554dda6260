import { describe, expect, it, vi } from 'vitest'
import { checkOpenIdOptions } from '../../src/providers/open-id-options.js'
import { createOpenIdProvider, hostedDomainOnly } from '../../src/providers/open-id-provider.js'
import {
  type GitHubProviderOptions,
  gitHubProvider,
  googleProvider,
} from '../../src/providers/providers.js'
import { identified, signIn as signInAt, startIssuer } from './evil-issuer.js'
import { gitHubApp, startGitHub } from './git-hub-double.js'

const state = 'S'.repeat(43)
const callbackUrl = 'https://chat.example.com/auth/providers/github/callback'

type GitHub = Awaited<ReturnType<typeof startGitHub>>
const providerAt = ({ origin }: GitHub, options: Partial<GitHubProviderOptions> = {}) =>
  gitHubProvider({ ...gitHubApp, baseUrl: origin, ...options })

async function signIn(github: GitHub, options?: Partial<GitHubProviderOptions>, changes = {}) {
  const provider = providerAt(github, options)
  const { url, keep } = await provider.start({ state, callbackUrl })
  const parameters = Object.fromEntries(github.authorize(url).searchParams)
  const flow = { state, callbackUrl, method: 'GET' as const, headers: {}, keep }
  return provider.finish({ ...flow, parameters: { ...parameters, ...changes } })
}

describe('GitHub', () => {
  it('is asked with S256, and identifies by the number of the account', async () => {
    const github = await startGitHub()
    const { url } = await providerAt(github).start({ state, callbackUrl })
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: gitHubApp.clientId,
      redirect_uri: callbackUrl,
      scope: 'read:user user:email',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const onTokens = vi.fn()
    expect(await signIn(github, { onTokens })).toEqual({
      outcome: 'identified',
      identity: {
        issuer: github.origin,
        subject: '583231',
        email: 'octocat@example.com',
        emailVerified: true,
        name: 'Monalisa',
        username: 'octocat',
      },
    })
    const tokens = { accessToken: 'gho_1', scope: 'read:user,user:email' }
    expect(onTokens.mock.calls).toEqual([[expect.objectContaining({ subject: '583231' }), tokens]])
  })

  it('has the issuer https://github.com, and its addresses', async () => {
    const { url } = await gitHubProvider(gitHubApp).start({ state, callbackUrl })
    expect(url.startsWith('https://github.com/login/oauth/authorize?')).toBe(true)
  })

  it('gives no address that is not verified, not the primary one, or not shown', async () => {
    const github = await startGitHub()
    const address = { email: 'a@example.com', primary: true, verified: true }
    for (const emails of [
      [],
      [{ ...address, verified: false }],
      [{ ...address, verified: 'true' }],
      [{ ...address, primary: false }],
      [null, 7, { ...address, email: 7 }],
    ]) {
      github.state.emails = emails
      const finished = await signIn(github)
      expect(finished).toMatchObject({ outcome: 'identified', identity: { subject: '583231' } })
      expect(JSON.stringify(finished)).not.toContain('email')
    }
    github.state.emailsStatus = 404
    expect((await signIn(github)).outcome).toBe('identified')
  })

  it('gives the verified address that the host chooses, and no other', async () => {
    const github = await startGitHub()
    const seen: (readonly string[])[] = []
    const emails = ['octocat@example.com', 'old@example.com']
    github.state.emails = [
      ...(github.state.emails as object[]),
      { email: 'octocat@corp.example', verified: false, primary: false },
    ]
    const choosing = (email: string | undefined) =>
      signIn(github, {
        chooseEmail: (verified: readonly string[]) => {
          seen.push(verified)
          return email
        },
      })
    const old = { email: 'old@example.com', emailVerified: true }
    expect(await choosing('old@example.com')).toMatchObject({ identity: old })
    expect(JSON.stringify(await choosing(undefined))).not.toContain('email')
    await expect(choosing('octocat@corp.example')).rejects.toThrow('none of the addresses')
    expect(seen).toEqual([emails, emails, emails])
  })

  it('refuses a bad code, another state, an error, and an age that it cannot prove', async () => {
    const github = await startGitHub()
    for (const [changes, reason] of [
      [{ code: 'another' }, 'code'],
      [{ code: '' }, 'no-code'],
      [{ code: 'c'.repeat(4097) }, 'no-code'],
      [{ state: 'another' }, 'wrong-state'],
      [{ error: 'access_denied' }, 'access-denied'],
      [{ error: 'redirect_uri_mismatch' }, 'redirect_uri_mismatch'],
    ] as const)
      expect(await signIn(github, {}, changes)).toEqual({ outcome: 'refused', reason })
    const provider = providerAt(github)
    const { keep } = await provider.start({ state, callbackUrl, maxAge: 60 })
    const parameters = { state, code: 'c' }
    expect(
      await provider.finish({ state, callbackUrl, method: 'GET', headers: {}, keep, parameters }),
    ).toEqual({ outcome: 'refused', reason: 'age' })
  })

  it('is out of order for any other answer, and says so without a secret', async () => {
    const github = await startGitHub()
    const wrongSecret = signIn(github, { clientSecret: 'secret-of-nobody' })
    await expect(wrongSecret).rejects.toThrow('GitHub answers incorrect_client_credentials: are')
    await expect(wrongSecret).rejects.not.toThrow('secret-of-nobody')
    for (const token of [{}, { access_token: 7 }, { access_token: 'a\r\nb' }, []]) {
      github.state.token = token
      await expect(signIn(github)).rejects.toThrow('GitHub')
    }
    delete github.state.token
    for (const user of [null, {}, { id: '583231' }, { id: 0 }, { id: 1.5 }, []]) {
      github.state.user = user
      await expect(signIn(github)).rejects.toThrow(
        /GitHub (names no number of the account|answers no object)/,
      )
    }
    github.state.user = { id: 1 }
    for (const emails of [null, {}, 'a@example.com']) {
      github.state.emails = emails
      await expect(signIn(github)).rejects.toThrow('GitHub lists no addresses')
    }
    github.state.emailsStatus = 500
    await expect(signIn(github)).rejects.toThrow('GitHub answers with status 500')
  })

  it('refuses options that are not right', () => {
    for (const [name, options] of [
      ['clientSecret', { clientSecret: '' }],
      ['baseUrl', { baseUrl: 'http://github.example.com' }],
      ['baseUrl', { baseUrl: 'https://github.example.com/' }],
      ['issuer', { issuer: 'x' }],
    ] as const)
      expect(() => gitHubProvider({ ...gitHubApp, ...options } as never)).toThrow(
        `gitHubProvider.${name}`,
      )
  })
})

describe('Google', () => {
  const app = { clientId: 'chat.apps.googleusercontent.com', clientSecret: 'secret' }

  it('is a provider of OpenID Connect with a name of its own', () => {
    expect(googleProvider(app)).toMatchObject({ id: 'google', name: 'Google' })
    expect(googleProvider({ ...app, id: 'work', name: 'Work' })).toMatchObject({ id: 'work' })
    for (const [name, options] of [
      ['clientSecret', { clientSecret: undefined }],
      ['hostedDomain', { hostedDomain: 'Example' }],
      ['hosted', { hosted: 'example.com' }],
    ] as const)
      expect(() => googleProvider({ ...app, ...options } as never)).toThrow(
        `googleProvider.${name}`,
      )
  })

  it('lets in nobody of another Workspace, whatever the browser has asked for', async () => {
    const issuer = await startIssuer()
    const given = { id: 'google', name: 'Google', issuer: issuer.issuer, clientId: 'chat' }
    const options = checkOpenIdOptions({ ...given, clientSecret: 's' }, 'googleProvider')
    const provider = createOpenIdProvider(options, hostedDomainOnly('example.com'))
    const { url } = await provider.start({ state, callbackUrl })
    expect(new URL(url).searchParams.get('hd')).toBe('example.com')
    for (const hd of [undefined, 'evil.example.com', 'EXAMPLE.COM', ['example.com'], true]) {
      issuer.lies.claims = { hd, email: 'mallory@example.com', email_verified: true }
      expect(await signInAt(provider, issuer)).toEqual({
        outcome: 'refused',
        reason: 'hosted-domain',
      })
    }
    issuer.lies.claims = { hd: 'example.com' }
    await identified(signInAt(provider, issuer))
  })
})
