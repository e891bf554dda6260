import { z } from 'zod'
import { always, besides, text } from '../fields.js'
import type { Operation } from '../operation.js'

const key = besides(
  {
    kty: text('kind of key'),
    kid: text('the id that tokens name').optional(),
    alg: text('such as `ES256`').optional(),
    use: always('sig').optional(),
    crv: text('the name of an elliptic curve').optional(),
    x: text().optional(),
    y: text().optional(),
    n: text('for RSA').optional(),
    e: text().optional(),
  },
  "more members of the host's own signer; never a private part",
)

const publishedKeys: Operation = {
  route: 'GET /auth/jwks.json',
  id: 'getKeys',
  tag: 'Keys',
  summary: 'The public keys that verify access tokens (RFC 7517 §5).',
  notes: [
    '`keys` is empty if the signer publishes none. Keys of the shipped signer have `kid`, `alg` ' +
      'and `use`.',
  ],
  who: 'anybody',
  answers: { 200: { what: 'The keys.', body: z.object({ keys: z.array(key) }) } },
  refusals: ['temporarily-unavailable'],
  openTo: 'every-origin',
}

/** Public keys. */
export const keyOperations: readonly Operation[] = [publishedKeys]
