import type { BasicSignal } from '../platform.js'

/** What is asked of a browser for passkeys. Typed here, as in platform.ts. */
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

/** What a ceremony is begun with. */
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

/** What a ceremony answers. */
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

/** The browser. Its members are read with each use: extensions put their own in their place. */
export const browser: PasskeyBrowser = globalThis as unknown as PasskeyBrowser
