import { z } from 'zod'
import { userNameText } from '../accounts/newcomer.js'
import { invalidRequest } from '../errors.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { loggedIn } from '../login/login.endpoint.js'
import { codeVerifierPattern } from '../pkce/code-challenge.js'
import { tokensSchema } from '../sessions/sign-in-options.js'
import { assertionSchema } from '../two-factor/passkey-response.js'
import type { ProvidersKit } from './provider-kit.js'
import { signInByTicket } from './sign-in-by-ticket.js'
import { findTicket } from './tickets.js'

/** The body of `POST /auth/providers/finish`. */
export const finishRequest: z.ZodObject<{
  ticket: z.ZodString
  codeVerifier: z.ZodString
  code: z.ZodOptional<z.ZodString>
  passkey: z.ZodOptional<typeof assertionSchema>
  username: z.ZodOptional<z.ZodString>
  tokens: typeof tokensSchema
}> = z.object({
  ticket: z.string().min(1).max(100),
  codeVerifier: z.string().regex(codeVerifierPattern),
  code: z.string().min(1).max(64).optional(),
  passkey: assertionSchema.optional(),
  username: userNameText.optional(),
  tokens: tokensSchema,
})

/** `POST /auth/providers/finish`: signs in by the ticket, as `POST /login` does by password. */
export function finishEndpoint(kit: ProvidersKit): Endpoint {
  return kit.throttle.limitFailures('provider-finish', async function finish(request) {
    // 400, 413, 415
    const given = parseInput(finishRequest, await request.readJson())
    const { codeVerifier, code = null, passkey = null, username, tokens } = given
    if (code !== null && passkey !== null)
      throw invalidRequest([{ path: 'code, passkey', message: 'Send one of them.' }])
    const shown = { codeVerifier, linkTo: null }
    // 400, 503
    const ticket = await findTicket(kit, given.ticket, shown, request.context)
    const asked = { ticket, code, passkey, username, tokens, lifetime: undefined }
    // 400, 401, 403, 409, 429, 503
    return loggedIn(await signInByTicket(kit, asked, request))
  })
}
