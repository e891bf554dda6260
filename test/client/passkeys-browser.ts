// What a browser does for passkeys, over the authenticator in Node.
import { onTestFinished, vi } from 'vitest'
import {
  assertion,
  creation,
  type Deviations,
  newPasskey,
  type TestPasskey,
} from '../passkeys/authenticator.js'

type Bytes = ArrayBuffer | Uint8Array
interface Ceremony {
  readonly publicKey: {
    readonly challenge: Bytes
    readonly user?: { readonly id: Bytes }
    readonly allowCredentials?: readonly { readonly id: Bytes }[]
    readonly excludeCredentials?: readonly { readonly id: Bytes }[]
  }
  readonly mediation?: string
  readonly signal: AbortSignal
}

const text = (bytes: Bytes) => Buffer.from(bytes as Uint8Array).toString('base64url')
const bytes = (encoded: string) => new Uint8Array(Buffer.from(encoded, 'base64url')).buffer

/** What a browser answers: buffers, and JSON where it has that. */
function credentialOf(json: ReturnType<typeof creation> | ReturnType<typeof assertion>) {
  const { transports, ...response } = json.response as Record<string, string> & {
    transports?: string[]
  }
  return {
    id: json.id,
    type: json.type,
    rawId: bytes(json.rawId),
    response: {
      ...Object.fromEntries(Object.entries(response).map(([name, one]) => [name, bytes(one)])),
      getTransports: () => transports ?? [],
    },
  }
}

export interface BrowserSettings {
  /** Whether it knows `toJSON`, as those before 2025 do not; `throws`: as of some extensions. */
  readonly json?: 'throws'
  readonly given?: Deviations
}

/** Puts a browser in the place of the runtime, until the test ends. */
export function startBrowser({ json, given }: BrowserSettings = {}) {
  const held: TestPasskey[] = []
  const begun: Ceremony[] = []
  const signals: [string, object][] = []
  let next: (() => Promise<never>) | null = null

  async function answer(work: () => object, ceremony: Ceremony): Promise<object> {
    begun.push(ceremony)
    ceremony.signal.throwIfAborted()
    const instead = next
    next = null
    if (instead !== null) return instead()
    // Suggestions wait for a click, which never comes here.
    if (ceremony.mediation === 'conditional' && !browser.chooses)
      return new Promise((_resolve, reject) => {
        const { signal } = ceremony
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const made = work()
    const toJSON = () => {
      throw new TypeError('Illegal invocation')
    }
    return json === 'throws' ? { ...made, toJSON } : made
  }

  const credentials = {
    create: (ceremony: Ceremony) =>
      answer(() => {
        const passkey = newPasskey()
        passkey.userHandle = text(ceremony.publicKey.user?.id ?? new Uint8Array())
        held.push(passkey)
        return credentialOf(creation(passkey, text(ceremony.publicKey.challenge), given))
      }, ceremony),
    get: (ceremony: Ceremony) =>
      answer(() => {
        const passkey = held.at(-1)
        if (passkey === undefined) throw new DOMException('none', 'NotAllowedError')
        return credentialOf(assertion(passkey, text(ceremony.publicKey.challenge), given))
      }, ceremony),
  }
  const note = (name: string) => async (options: object) => void signals.push([name, options])
  vi.stubGlobal('navigator', { credentials })
  vi.stubGlobal('PublicKeyCredential', {
    isConditionalMediationAvailable: async () => true,
    signalUnknownCredential: note('unknown'),
    signalAllAcceptedCredentials: note('accepted'),
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const browser = {
    held,
    begun,
    signals,
    /** Whether the user chooses one among the suggestions. */
    chooses: false,
    /** The next ceremony is refused so. */
    refuseNext(name: string) {
      next = async () => {
        throw new DOMException('no', name)
      }
    },
  }
  return browser
}
