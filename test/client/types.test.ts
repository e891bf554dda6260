// What is published of the client, as a program without the types of Node or of browsers sees it,
// and one with them.
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))
const program = fileURLToPath(new URL('./program-of-types.ts', import.meta.url))

/** What the compiler says of a program that imports the declarations. */
function problemsOf(lib: string[], code: string): string[] {
  const options: ts.CompilerOptions = {
    lib: lib.map((name) => `lib.${name}.d.ts`),
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (file) => file === program || fileExists(file)
  host.readFile = (file) => (file === program ? code : readFile(file))
  host.getSourceFile = (file, version) =>
    file === program ? ts.createSourceFile(file, code, version, true) : getSourceFile(file, version)
  return ts
    .getPreEmitDiagnostics(ts.createProgram([program], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const imports = `
import { createAuthClient, AuthClientError, type AuthClient } from '${dist}client/index.js'
import { socketIoAuth } from '${dist}client/socket-io.js'
import { passkeys } from '${dist}client/passkeys.js'
import { oauth } from '${dist}client/oauth.js'
declare const storage: import('${dist}client/index.js').TokenStore
export const client: AuthClient = createAuthClient({ baseUrl: '/api/v1', storage })
export const io = socketIoAuth(client)
export const mine = passkeys(client)
export const app = oauth(client, { clientId: 'a', redirectUri: 'https://a/', scope: 'openid' })
`

describe('the types of the client', () => {
  it('need neither those of Node nor those of browsers', () => {
    const code = `${imports}
      export const text: Promise<string> = client
        .fetch('/x', { method: 'POST' })
        .then((answer) => answer.text())`
    expect(problemsOf(['es2022'], code)).toEqual([])
  })

  it('are those of browsers where these are there', () => {
    const code = `${imports}
      export const stopping = new AbortController()
      export const blob: Promise<Blob> = client
        .fetch('/x', { signal: stopping.signal, body: new FormData(), headers: new Headers() })
        .then((answer: Response) => answer.blob())`
    expect(problemsOf(['es2022', 'dom'], code)).toEqual([])
  })

  it('close the list of errors and of outcomes', () => {
    const code = `${imports}
      export function say(error: AuthClientError): string {
        return error.code === 'no-such-name' ? 'never' : error.message
      }
      export async function enter(): Promise<string> {
        const result = await client.signIn({ user: 'alice', password: 'p' })
        return result.me.name
      }`
    const problems = problemsOf(['es2022'], code)
    expect(problems).toHaveLength(2)
    expect(problems[0]).toContain('no-such-name')
    expect(problems[1]).toContain("Property 'me' does not exist")
  })

  it('name what a user must do first, and close that list', () => {
    const code = `${imports}
      import type { AcceptanceDocument, RequiredAction } from '${dist}client/index.js'
      export async function nextOf(): Promise<RequiredAction | undefined> {
        const result = await client.signIn({ user: 'alice', password: 'p' })
        if (result.status === 'code-needed') return undefined
        const { state } = client
        const kept = state.status === 'signed-in' ? state.required : []
        return [...result.required, ...kept].find((action) => action !== 'enrol')
      }
      export const due: Promise<readonly AcceptanceDocument[]> = client.acceptance
        .accept([{ id: 'terms', version: '1' }])
      export const wrong: RequiredAction = 'no-such-action'`
    const problems = problemsOf(['es2022'], code)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain('no-such-action')
  })
})
