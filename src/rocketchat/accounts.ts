import { z } from 'zod'
import { ok } from '../http/answer.js'
import { readJsonBody } from '../http/body.js'
import { parseInput } from '../http/input.js'
import type { AuthRouter } from '../router/auth-router.js'
import type { RocketChatEndpoint } from './mount.js'

/** The part of the router that these use. */
export type AccountsAuth = Pick<AuthRouter, 'accounts'>

const text = z.string()
const newUser = z.object({
  username: text,
  email: text,
  name: text.default(''),
  secretURL: text.optional(),
})
const forgotten = z.object({ email: text })

/** `POST /users.register`; its `secretURL` is the token of an invitation. */
export function createRegister({ accounts }: AccountsAuth): RocketChatEndpoint {
  return async function register({ incoming }) {
    // 400, 413, 415
    const given = parseInput(newUser, await readJsonBody(incoming))
    const { username, email, secretURL } = given
    // These clients send an empty name where none is asked for.
    const name = given.name === '' ? username : given.name
    const invitation = secretURL === undefined || secretURL === '' ? {} : { invitation: secretURL }
    // Without the password: whoever confirms the address sets it.
    // 400, 403, 409, 429, 503
    const user = { email, username, name, ...invitation }
    const sent = await accounts.register(incoming, user)
    // There is no id before the mailed code is confirmed.
    const told = { username, name, type: 'user', status: 'offline', active: false }
    return ok({ success: true, user: told, ...sent })
  }
}

/** `POST /users.forgotPassword`. */
export function createForgotPassword({ accounts }: AccountsAuth): RocketChatEndpoint {
  return async function forgotPassword({ incoming }) {
    // 400, 413, 415
    const { email } = parseInput(forgotten, await readJsonBody(incoming))
    // 400, 429, 503
    await accounts.forgotPassword(incoming, { email })
    return ok({ success: true })
  }
}
