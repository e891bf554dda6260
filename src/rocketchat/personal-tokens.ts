import { z } from 'zod'
import { invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import { readJsonBody } from '../http/body.js'
import { parseInput } from '../http/input.js'
import type { AuthRouter } from '../router/auth-router.js'
import type { RocketChatEndpoint, RocketChatRequest } from './mount.js'
import { requireOwner, sessionsOfOwner } from './user-sessions.js'

/** Endpoints of personal access tokens, which are named tokens of the router. */
export interface PersonalTokens {
  readonly generate: RocketChatEndpoint
  readonly regenerate: RocketChatEndpoint
  readonly remove: RocketChatEndpoint
  readonly list: RocketChatEndpoint
}

const named = z.object({ tokenName: z.string().trim().min(1).max(100) })

/** Makes them. Tokens are known by their names; their ids are the router's. */
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

  async function create({ principal }: RocketChatRequest, name: string) {
    const { userId, sessionId } = principal
    const { token } = await namedTokens.create({ userId, name, sessionId })
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

    // The old one first: whoever asks for this may have lost it to somebody else.
    async regenerate(request) {
      const { name, same } = await asked(request)
      await end(request, same)
      return create(request, name)
    },

    async remove(request) {
      const { same } = await asked(request)
      await end(request, same)
      return ok({ success: true })
    },

    async list({ principal }) {
      requireOwner(principal)
      const tokens = (await namedTokens.list(principal.userId)).map(({ id, name, createdAt }) => ({
        name,
        createdAt,
        // Of the part that is no secret: nothing else is known here.
        lastTokenPart: id.slice(-6),
        bypassTwoFactor: false,
      }))
      return ok({ success: true, tokens })
    },
  }
}

function unfit(message: string) {
  return invalidRequest([{ path: 'tokenName', message }])
}
