import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type AccessTokenClaims,
  joseSigner,
  type KeyRing,
  type KeyStore,
  type Logger,
  type TokenSigner,
} from '../../src/index.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

/** How a key store answers. */
export type Mood = 'well' | 'hangs' | 'rejects' | 'throws' | 'answers late' | 'answers rubbish'

/** A view of a key store that can be put out of order, as one process sees it. */
export interface MoodyStore extends KeyStore {
  mood: Mood
  reads: number
  /** What was asked while it hung, and is answered when this is called. */
  answerLate(): void
}

/** A process's own view of `store`. */
export function moodyStore(store: KeyStore = memoryKeyStore()): MoodyStore {
  const waiting: (() => void)[] = []
  async function inMood<T>(moody: MoodyStore, work: () => Promise<T>): Promise<T> {
    if (moody.mood === 'rejects')
      throw Object.assign(new Error('a secret of the driver'), { code: 'ECONNREFUSED' })
    if (moody.mood === 'answers rubbish') return 'rubbish' as T
    if (moody.mood === 'well') return work()
    const answer = await work()
    await new Promise<void>((resolve) => waiting.push(resolve))
    return answer
  }
  const view: MoodyStore = {
    mood: 'well',
    reads: 0,
    list() {
      view.reads += 1
      if (view.mood === 'throws') throw new TypeError('not a promise')
      return inMood(view, () => store.list())
    },
    insert: (key) => inMood(view, () => store.insert(key)),
    remove: (generation) => inMood(view, () => store.remove(generation)),
    answerLate() {
      for (const answer of waiting.splice(0)) answer()
    },
  }
  return view
}

/** A folder that is not there yet, and is gone when the test ends. */
export function keyFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mar-keys-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return join(path, 'keys')
}

/** The signer of a ring. */
export function signerOf(keys: KeyRing, clock: () => Date): TokenSigner {
  return joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys, clock })
}

/** Claims of a token that is good for 90 days. */
export function claimsAt(now: Date): AccessTokenClaims {
  const iat = Math.floor(now.getTime() / 1000)
  return {
    sub: 'u',
    sid: 's',
    iat,
    exp: iat + 90 * 24 * 3600,
    jti: 'j',
    auth_time: iat,
    amr: ['pwd'],
    scope: '*',
  }
}

/** What a token is worth: `good`, `refused` (401) or `outage` (503). */
export async function worthOf(
  signer: TokenSigner,
  token: string,
): Promise<'good' | 'refused' | 'outage'> {
  try {
    await signer.verify(token)
    return 'good'
  } catch (error) {
    return (error as { code?: unknown }).code === 'Unauthorized' ? 'refused' : 'outage'
  }
}

/** A logger that keeps what it is told. */
export function keptLog(): Logger & {
  readonly lines: { message: string; fields: object | undefined }[]
} {
  const lines: { message: string; fields: object | undefined }[] = []
  const keep = (message: string, fields?: object) => void lines.push({ message, fields })
  return { lines, debug: keep, info: keep, warn: keep, error: keep }
}
