import type { BasicSignal } from '../platform.js'

/** The parts of the browser used for passkeys, typed as in platform.ts. */
export interface PasskeyBrowser {
  readonly navigator?: { readonly credentials?: CredentialsContainer }
  readonly PublicKeyCredential?: CredentialClass
  readonly AbortController: new () => {
    readonly signal: BasicSignal
    abort(reason?: unknown): void
  }
}

interface CredentialsContainer {
  get(options: CeremonyOptions): Promise<Credential | null>
  create(options: CeremonyOptions): Promise<Credential | null>
}

/** The argument of `navigator.credentials.get` and `create`. */
export interface CeremonyOptions {
  readonly publicKey: unknown
  readonly mediation?: 'conditional'
  readonly signal: BasicSignal
}

interface CredentialClass {
  isConditionalMediationAvailable?(): Promise<boolean>
  parseRequestOptionsFromJSON?(options: object): unknown
  parseCreationOptionsFromJSON?(options: object): unknown
  signalUnknownCredential?(options: object): Promise<void>
  signalAllAcceptedCredentials?(options: object): Promise<void>
}

/** The result of a ceremony. */
export interface Credential {
  readonly id: string
  readonly type: string
  readonly rawId: ArrayBuffer
  readonly response: {
    readonly clientDataJSON: ArrayBuffer
    readonly attestationObject?: ArrayBuffer
    readonly authenticatorData?: ArrayBuffer
    readonly signature?: ArrayBuffer
    readonly userHandle?: ArrayBuffer | null
    getTransports?(): string[]
  }
  toJSON?(): object
}

/** The browser. Its members are read at each use, since extensions replace them. */
export const browser: PasskeyBrowser = globalThis as unknown as PasskeyBrowser
