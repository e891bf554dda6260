import { isRefusal } from '../errors.js'
import { pause, platform } from '../platform.js'
import type { PasskeyRequestOptions } from '../wire.js'
import { browser } from './browser.js'
import { type CeremonySettings, ceremoniesBegun, holdCeremony } from './ceremony.js'
import { PasskeyError } from './passkey-error.js'

/** Milliseconds. The server's options expire after five minutes; a form may be open longer. */
const renewMs = 240_000

/** Seconds between attempts while the server is unreachable. */
const retryAfter = 15

/** A passkey that the user has chosen, and the options it answers. */
export interface Shown {
  readonly options: PasskeyRequestOptions
  readonly response: object
}

/**
 * Waits until the user chooses a passkey among the suggestions of a field. Requests new options
 * before the old ones expire. Ends if another ceremony begins.
 */
export async function showSuggestions(
  newOptions: () => Promise<PasskeyRequestOptions>,
  { signal }: Pick<CeremonySettings, 'signal'>,
): Promise<Shown> {
  let begun = ceremoniesBegun()
  let options = await newOptions()
  for (;;) {
    if (begun !== ceremoniesBegun()) throw new PasskeyError('aborted')
    const response = await showFor(options, signal)
    if (response !== null) return { options, response }
    begun = ceremoniesBegun()
    options = await optionsWhenReachable(newOptions, signal)
  }
}

async function optionsWhenReachable(
  newOptions: () => Promise<PasskeyRequestOptions>,
  signal: CeremonySettings['signal'],
): Promise<PasskeyRequestOptions> {
  for (;;) {
    try {
      return await newOptions()
    } catch (error) {
      if (!isRefusal(error, 'unreachable')) throw error
    }
    await pause(retryAfter, signal).catch((cause: unknown) => {
      throw new PasskeyError('aborted', cause)
    })
  }
}

/** Null: the options expire soon. */
async function showFor(
  options: PasskeyRequestOptions,
  signal: CeremonySettings['signal'],
): Promise<object | null> {
  const stopping = new browser.AbortController()
  const stop = () => stopping.abort()
  let isOver = false
  const timer = platform.setTimeout(() => {
    isOver = true
    stop()
  }, renewMs)
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  try {
    return await holdCeremony('get', options, { signal: stopping.signal, conditional: true })
  } catch (error) {
    if (isOver && !signal?.aborted && isAbort(error)) return null
    throw error
  } finally {
    platform.clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

const isAbort = (error: unknown) => error instanceof PasskeyError && error.code === 'aborted'
