import { request as requestOverHttp } from 'node:http'
import { request as requestOverHttps } from 'node:https'

/** The answer of a server. */
export interface Looked {
  readonly status: number
  /** Names in small letters; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  /** The text of the answer, at most 64 KiB. */
  readonly text: string
  /** Null if it is no JSON object. */
  readonly json: Readonly<Record<string, unknown>> | null
}

/** A request of the doctor. */
export interface Look {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Null if there was no whole answer in time, or none at all. */
export type LookAt = (url: string, look?: Look) => Promise<Looked | null>

const maxBytes = 64 * 1024
/** The time limit of one request. */
const maxMilliseconds = 3000
/** The time limit of all requests. */
const maxMillisecondsInAll = 4500

/** Limits the cost of an answer, whatever the other side sends: it may be hostile. */
export function createLookAt(): LookAt {
  const until = Date.now() + maxMillisecondsInAll
  return async (url, look = {}) => {
    const left = Math.min(maxMilliseconds, until - Date.now())
    return left > 0 ? lookFor(left, url, look) : null
  }
}

/** Sends one request. It follows nothing and decompresses nothing. */
function lookFor(
  milliseconds: number,
  url: string,
  { method = 'GET', headers = {}, body }: Look,
): Promise<Looked | null> {
  const ask = url.startsWith('https:') ? requestOverHttps : requestOverHttp
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(milliseconds)
    const asked = ask(url, { method, headers, signal, agent: false })
    const chunks: Buffer[] = []
    let bytes = 0
    const fail = () => {
      asked.destroy()
      resolve(null)
    }
    asked.once('error', fail)
    // A socket that a server upgrades is of no use here.
    asked.once('upgrade', (response, socket) => {
      socket.destroy()
      resolve(lookedAt(response.statusCode, response.headers, ''))
    })
    asked.once('response', (response) => {
      const end = () => resolve(lookedAt(response.statusCode, response.headers, textOf(chunks)))
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes <= maxBytes) return
        asked.destroy()
        end()
      })
      response.once('end', end)
      response.once('error', fail)
    })
    asked.end(body)
  })
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

function lookedAt(
  status: number | undefined,
  given: Readonly<Record<string, string | string[] | undefined>>,
  text: string,
): Looked {
  const headers = Object.entries(given).map(([name, value]) => [name, [value].flat().join(', ')])
  return {
    status: status ?? 0,
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    cookies: [given['set-cookie'] ?? []].flat(),
    text,
    json: objectOf(text),
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject ? (parsed as Readonly<Record<string, unknown>>) : null
  } catch {
    return null
  }
}
