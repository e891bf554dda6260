// A signer of the host's that forgets whom a token is for.
import { expect, it } from 'vitest'
import type { TokenSigner } from '../../src/index.js'
import { createRequireFitSigner } from '../../src/oauth/oauth-server.js'
import { desktop, search, startOAuth } from './oauth-parts.js'

/** The same, but its tokens are for its own API, whatever was asked for. */
function forgetting(signer: TokenSigner): TokenSigner {
  return { ...signer, sign: ({ aud: _forgotten, ...claims }) => signer.sign(claims) }
}

it('issues no token for another API, and those for its own as ever', async () => {
  const { clock, kit, signer } = await startOAuth()
  const { call } = kit
  const requireFitSigner = createRequireFitSigner(forgetting(signer), call, clock)
  const oauth = await startOAuth({ change: { requireFitSigner } })
  const forSearch = await oauth.issueCode(desktop, { resources: [search] })
  const refused = await oauth.token(forSearch.form)
  expect([refused.status, refused.json['access_token']]).toEqual([503, undefined])
  // The code is as it was: what the host mends, the client need not ask for once more.
  expect(await oauth.session(forSearch.record.opensSessionId)).toBeNull()
  const own = await oauth.issueCode(desktop)
  expect((await oauth.token(own.form)).status).toBe(200)
})

it('that fails at the start as it is asked does not stop the host from starting', async () => {
  const { clock, kit, signer } = await startOAuth()
  const ready = (): never => {
    throw new Error('no keys')
  }
  const requireFit = createRequireFitSigner({ ...signer, ready }, kit.call, clock)
  // Nothing is remembered of the failure: the signer is tried when it matters.
  await expect(requireFit()).resolves.toBeUndefined()
})
