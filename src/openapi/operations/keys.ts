import { z } from 'zod'
import { always, besides, text } from '../fields.js'
import type { Operation } from '../operation.js'

const key = besides(
  {
    kty: text('kind of key'),
    kid: text('which of them signed a token').optional(),
    alg: text('such as `ES256`').optional(),
    use: always('sig').optional(),
    crv: text('of an elliptic curve: its name').optional(),
    x: text().optional(),
    y: text().optional(),
    n: text('of RSA').optional(),
    e: text().optional(),
  },
  'what else a signer of the host says of a key; never a private part',
)

const publishedKeys: Operation = {
  route: 'GET /auth/jwks.json',
  id: 'getKeys',
  tag: 'Keys',
  summary: 'The public keys with which others may check access tokens (RFC 7517 §5).',
  notes: [
    '`keys` is empty when the signer publishes none. Those of the shipped signer have `kid`, ' +
      '`alg` and `use`.',
  ],
  who: 'anybody',
  answers: { 200: { what: 'The keys.', body: z.object({ keys: z.array(key) }) } },
  refusals: ['temporarily-unavailable'],
}

/** Public keys. */
export const keyOperations: readonly Operation[] = [publishedKeys]
