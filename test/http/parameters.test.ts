import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { readParameters } from '../../src/http/input.js'
import { type BareAppSettings, startBareApp } from '../support/bare-app.js'

const form = 'application/x-www-form-urlencoded'

/** An endpoint that answers what it was sent, as an OAuth endpoint reads it. */
async function startEcho(settings: BareAppSettings = {}) {
  const app = await startBareApp({
    ...settings,
    routes: [
      [
        '/echo',
        {
          POST: async ({ incoming }) => {
            const parameters = await readParameters(incoming)
            const one = parameters.one('one')
            const body = {
              one,
              other: parameters.one('other'),
              resource: parameters.all('resource'),
            }
            return { status: 200, body }
          },
        },
        'oauth-endpoint',
        'every-origin',
      ],
    ],
  })
  return async (body: string | Uint8Array, type = form, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${app.url}/echo`, {
      method: 'POST',
      body: body as string,
      headers: { 'Content-Type': type, ...headers },
    })
    const json = (await answer.json()) as Record<string, unknown>
    return { status: answer.status, json, error: json['error'], headers: answer.headers }
  }
}

const echoed = (one: string | null, other: string | null = null, resource: string[] = []) => ({
  one,
  other,
  resource,
})

describe('parameters of an OAuth endpoint', () => {
  it('come as a form or as JSON', async () => {
    const ask = await startEcho()
    expect((await ask('one=1&other=b')).json).toEqual(echoed('1', 'b'))
    expect((await ask('one=1', `${form}; charset=UTF-8`)).json).toEqual(echoed('1'))
    const json = JSON.stringify({ one: '1', resource: ['https://a.example', 'https://b.example'] })
    expect((await ask(json, 'application/json')).json).toEqual(
      echoed('1', null, ['https://a.example', 'https://b.example']),
    )
    expect((await ask('')).json).toEqual(echoed(null))
  })

  it('are decoded as RFC 6749 Appendix B has it', async () => {
    const ask = await startEcho()
    // The appendix's own example: space, %, &, +, the pound sign and the euro sign.
    expect((await ask('one=+%25%26%2B%C2%A3%E2%82%AC')).json).toEqual(echoed(' %&+£€'))
    expect((await ask(new TextEncoder().encode('one=£€'))).json).toEqual(echoed('£€'))
    expect((await ask('one=a=b=c')).json).toEqual(echoed('a=b=c'))
  })

  it('without a value count as left out', async () => {
    const ask = await startEcho()
    expect((await ask('one=&other&resource=')).json).toEqual(echoed(null))
    expect((await ask('{"one":"","resource":[""]}', 'application/json')).json).toEqual(echoed(null))
  })

  it('are taken from pages of every origin, which browsers post without asking', async () => {
    const ask = await startEcho()
    const headers = { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' }
    const { status, headers: answered } = await ask('one=1', form, headers)
    expect([status, answered.get('access-control-allow-origin')]).toEqual([200, '*'])
  })

  it('may be repeated where that means something, and come in the order sent', async () => {
    const ask = await startEcho()
    const { json } = await ask('resource=https%3A%2F%2Fb.example&one=1&resource=a%3Ab')
    expect(json).toEqual(echoed('1', null, ['https://b.example', 'a:b']))
    expect((await ask('resource=urn%3Aa')).json).toEqual(echoed(null, null, ['urn:a']))
  })

  it.each([
    [4, express4],
    [5, express5],
  ] as const)('are read behind the parsers of an Express %i host', async (express, own) => {
    for (const extended of [true, false]) {
      const ask = await startEcho({
        express,
        before: (app) => app.use(own.urlencoded({ extended }), own.json()),
      })
      const { json } = await ask('one=+%25&resource=urn%3Aa&resource=urn%3Ab')
      expect(json).toEqual(echoed(' %', null, ['urn:a', 'urn:b']))
      expect((await ask('{"one":"1"}', 'application/json')).json).toEqual(echoed('1'))
    }
  })
})

describe('a refusal of an OAuth endpoint', () => {
  const refusing = async (error: AuthError) => {
    const endpoint = async () => Promise.reject(error)
    const app = await startBareApp({ routes: [['/it', { GET: endpoint }, 'oauth-endpoint']] })
    const answer = await fetch(`${app.url}/it`)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  it('has the members of both styles', async () => {
    const { status, text, headers } = await refusing(new AuthError('invalid_grant'))
    expect([status, JSON.parse(text)]).toEqual([
      400,
      {
        success: false,
        status: 'error',
        error: 'invalid_grant',
        error_description: 'The authorization code or token is not valid.',
        message: 'The authorization code or token is not valid.',
      },
    ])
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['invalid-request', 'invalid_request'],
    ['payload-too-large', 'invalid_request'],
    ['unsupported-media-type', 'invalid_request'],
    ['method-not-allowed', 'invalid_request'],
    ['temporarily-unavailable', 'temporarily_unavailable'],
    ['too-many-requests', 'too-many-requests'],
    ['invalid_client', 'invalid_client'],
  ] as const)('%s is called %s, with the status it always has', async (code, name) => {
    const error = new AuthError(code)
    const { status, text } = await refusing(error)
    expect([status, JSON.parse(text).error]).toEqual([error.status, name])
  })

  it('describes itself in the characters that RFC 6749 §5.2 allows', async () => {
    const clientMessage = 'Say "please" \\ – or\nleave'
    const { text } = await refusing(new AuthError('forbidden', { clientMessage }))
    const { error_description: description, message } = JSON.parse(text)
    expect(message).toBe(clientMessage)
    expect(description).toBe('Say ?please? ? ? or?leave')
  })

  it('asks for a Bearer token at 401, but not of a client that has shown none', async () => {
    const user = await refusing(new AuthError('Unauthorized'))
    const client = await refusing(new AuthError('invalid_client'))
    expect([user.status, user.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect([client.status, client.headers.get('www-authenticate')]).toEqual([401, null])
  })
})
