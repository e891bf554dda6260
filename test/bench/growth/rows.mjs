// Sessions as the router leaves them, and what is done to them.
import { createHash } from 'node:crypto'
import { createAuthRouter, generateSigningKey, joseSigner } from '../../../dist/index.js'
import { audience, issuer } from '../contestants/fixtures.mjs'

const day = 86_400_000
const signer = joseSigner({ issuer, audience, keys: [await generateSigningKey()] })
const sha = (text) => createHash('sha256').update(text).digest('base64url')

/** Ten sessions a user. */
const userOf = (i) => `u-${Math.floor(i / 10)}`
export const idOf = (i) => sha(`s${i}`).slice(0, 22)
export const hashOf = (i) => sha(`r${i}`)

/**
 * One that a code has opened. Nothing is shared with another one, as if each had come with a
 * request of its own.
 */
export function sessionOf(i) {
  const now = new Date()
  const born = new Date(now.getTime() - (i % 30) * day)
  return {
    id: idOf(i),
    userId: userOf(i),
    kind: 'pkce',
    scope: '*',
    methods: ['pwd'],
    authenticatedAt: born,
    createdAt: born,
    lastSeenAt: now,
    idleExpiresAt: new Date(now.getTime() + 14 * day),
    expiresAt: new Date(born.getTime() + 90 * day),
    ip: `203.0.${(i >> 8) & 255}.${i & 255}`,
    userAgent: Buffer.from(
      'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0',
    ).toString(),
    refresh: {
      hash: hashOf(i),
      familyKey: sha(`f${i}`),
      spent: [{ hash: sha(`p${i}`), salt: sha(`t${i}`).slice(0, 22), spentAt: now }],
    },
    endedAt: null,
    endReason: null,
  }
}

/** A router over stores, for users that are whoever is asked for. */
export function routerOver({ codes, sessions }) {
  const userNamed = async (id) => ({ id, username: id, name: id, passwordHash: null })
  return createAuthRouter({
    users: { findByIdentifier: ({ value }) => userNamed(value), findById: userNamed },
    codes,
    sessions,
    signer,
    purgeInterval: 0,
  })
}

/** A request as the guard of `auth.authenticate` reads it, signed in to the session `i`. */
export async function signedInRequest(i) {
  const iat = Math.floor(Date.now() / 1000)
  const sid = idOf(i)
  const token = await signer.sign({
    sub: userOf(i),
    sid,
    iat,
    exp: iat + 3600,
    jti: sid,
    auth_time: iat,
    amr: ['pwd'],
    scope: '*',
  })
  return {
    headersDistinct: { authorization: [`Bearer ${token}`] },
    headers: {},
    socket: { remoteAddress: '203.0.113.7' },
  }
}

/**
 * What is measured of a session store of `size` sessions. No session is asked for twice, so that no
 * cache answers.
 */
export function sessionOperations(sessions, size) {
  const auth = routerOver({ codes: unusedCodes, sessions })
  // Prime, so that neighbours in time are no neighbours in the table.
  const pick = (turn, offset) => ((turn + offset) * 7919) % size
  return {
    find(turn) {
      const id = idOf(pick(turn, 0))
      return async () => must((await sessions.find(id))?.id === id, 'a session was not found')
    },
    async 'guarded request'(turn) {
      const request = await signedInRequest(pick(turn, Math.floor(size / 3)))
      return async () =>
        must((await auth.authenticate(request)).kind === 'pkce', 'a request was not let in')
    },
    rotateRefresh(turn) {
      const i = pick(turn, Math.floor(size / 2))
      const now = new Date()
      const spent = [{ hash: hashOf(i), salt: sha('salt').slice(0, 22), spentAt: now }]
      // The hash stays the same, so that the smaller table can be gone through again.
      const refresh = { hash: hashOf(i), familyKey: sha(`f${i}`), spent }
      const next = {
        refresh,
        lastSeenAt: now,
        idleExpiresAt: new Date(now.getTime() + 14 * day),
        ip: '203.0.113.8',
      }
      return async () => {
        const { outcome } = await sessions.rotateRefresh(idOf(i), hashOf(i), next, now)
        must(outcome === 'rotated', `a refresh was ${outcome}`)
      }
    },
  }
}

/** Ends the run: what is measured has to be right. */
export function must(fact, what) {
  if (!fact) throw new Error(`${what}, so nothing here can be compared`)
}

/** The heap after it has been cleared. */
export function heapInUse() {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const never = () => Promise.reject(new Error('no code is used here'))
const unusedCodes = { save: never, find: never, consume: never, purge: async () => 0 }
