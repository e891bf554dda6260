import { createHash, timingSafeEqual } from 'node:crypto'
import { type RequestHandler, Router } from 'express'
import type { AuthRouter } from 'messaging-auth-router'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** The figures for Prometheus, for whoever has the token. Without a token there is no such page. */
export function metricsRoute(auth: AuthRouter, token: string | null): RequestHandler {
  const router = Router()
  if (token === null) return router
  const expected = digest(`Bearer ${token}`)
  return router.get('/metrics', (request, response, next) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return next()
    response
      .set({ 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
      .set('Cache-Control', 'no-store')
      .send(auth.metrics())
  })
}
