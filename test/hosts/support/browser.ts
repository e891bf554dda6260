// A server for one test, and a browser that keeps cookies.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server and stops it with the test. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface Answer {
  readonly status: number
  readonly location: string | null
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered
  readonly body: any
}

/** A browser behind the host's proxy, which speaks HTTPS for it. */
export function browser() {
  const jar = new Map<string, string>()

  async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { 'X-Forwarded-Proto': 'https', ...(cookie && { cookie }), ...init.headers },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      body: isJson ? JSON.parse(text) : text,
    }
  }

  const post = (url: string, body: object, headers: Record<string, string> = {}) =>
    ask(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const form = (url: string, fields: Record<string, string>) =>
    ask(url, { method: 'POST', body: new URLSearchParams(fields) })
  const get = (url: string, headers: Record<string, string> = {}) => ask(url, { headers })
  return { jar, get, post, form }
}
