import { z } from 'zod'
import { invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import { readJsonBody } from '../http/body.js'
import { parseInput } from '../http/input.js'
import type { AuthRouter } from '../router/auth-router.js'
import type { RocketChatEndpoint, RocketChatRequest } from './mount.js'
import { requireOwner, sessionsOfOwner } from './user-sessions.js'

/** The endpoints of personal access tokens, which are the router's named tokens. */
export interface PersonalTokens {
  readonly generate: RocketChatEndpoint
  readonly regenerate: RocketChatEndpoint
  readonly remove: RocketChatEndpoint
  readonly list: RocketChatEndpoint
}

type NamedToken = Awaited<ReturnType<AuthRouter['namedTokens']['list']>>[number]

const named = z.object({ tokenName: z.string().trim().min(1).max(100) })

/** Clients address tokens by name; the ids are the router's. */
export function createPersonalTokens(
  namedTokens: AuthRouter['namedTokens'],
  sessions: Pick<AuthRouter['sessions'], 'list'>,
): PersonalTokens {
  async function asked({ incoming, principal }: RocketChatRequest) {
    await sessionsOfOwner(sessions, principal)
    const { tokenName: name } = parseInput(named, await readJsonBody(incoming))
    const all = await namedTokens.list(principal.userId)
    return { name, same: all.filter((token) => token.name === name) }
  }

  async function create({ principal }: RocketChatRequest, name: string, former?: NamedToken) {
    const { userId, sessionId } = principal
    const reach = former === undefined ? {} : reachOf(former)
    const { token } = await namedTokens.create({ userId, name, sessionId, ...reach })
    return ok({ success: true, token })
  }

  async function end({ principal }: RocketChatRequest, same: readonly { readonly id: string }[]) {
    if (same.length === 0) throw unfit('There is no token of this name.')
    await Promise.all(same.map(({ id }) => namedTokens.revoke(principal.userId, id)))
  }

  return {
    async generate(request) {
      const { name, same } = await asked(request)
      if (same.length > 0) throw unfit('There is a token of this name.')
      return create(request, name)
    },

    // The old one first: it may have been stolen.
    async regenerate(request) {
      const { name, same } = await asked(request)
      if (same.length > 1) throw unfit('There are several tokens of this name.')
      await end(request, same)
      return create(request, name, same[0])
    },

    async remove(request) {
      const { same } = await asked(request)
      await end(request, same)
      return ok({ success: true })
    },

    async list({ principal }) {
      requireOwner(principal)
      const tokens = (await namedTokens.list(principal.userId)).map((one) => ({
        name: one.name,
        createdAt: one.createdAt,
        // Rocket.Chat's clients do not know these two, and ignore them.
        scope: one.scope,
        expiresAt: one.expiresAt,
        // Of the public part of the token: the secret is not stored.
        lastTokenPart: one.id.slice(-6),
        bypassTwoFactor: false,
      }))
      return ok({ success: true, tokens })
    },
  }
}

// The new token gets the scope and the lifetime of the old one, which the host may have limited.
function reachOf({ scope, createdAt, expiresAt }: NamedToken) {
  const seconds = Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000)
  return { scope, expiresIn: seconds }
}

function unfit(message: string) {
  return invalidRequest([{ path: 'tokenName', message }])
}
