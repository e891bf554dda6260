// A host whose own code signs its users in.
import express from 'express'
import supertest from 'supertest'
import { AuthError, type OpenSessionRequest, type SignInOptions } from '../../src/index.js'
import { type HostSettings, startHost, type TestHost } from './host.js'

/** What the host's own routes hand on. */
export interface HostCalls {
  /** Of `auth.signIn`. */
  options?: SignInOptions
  /** Of `auth.sessions.open`, instead of what the body says. */
  open?: Partial<OpenSessionRequest>
}

/** Starts a host with `POST /host/sign-in` and `POST /host/open`, which answer what they get. */
export async function startSigningHost(settings: HostSettings = {}, calls: HostCalls = {}) {
  const host = await startHost({
    ...settings,
    after(app, auth) {
      const answer =
        (work: (req: express.Request) => Promise<object>): express.RequestHandler =>
        (req, res, next) => {
          work(req).then(
            (body) => res.json(body),
            (error: unknown) => {
              if (!(error instanceof AuthError)) return next(error)
              const { code, clientMessage, details, retryAfter } = error
              res
                .status(error.status)
                .json({ error: code, message: clientMessage, details, retryAfter })
            },
          )
        }
      app.use('/host', express.json())
      app.post(
        '/host/sign-in',
        answer((req) => auth.signIn(req, req.body, calls.options)),
      )
      app.post(
        '/host/open',
        answer((req) => auth.sessions.open({ ...req.body, request: req, ...calls.open })),
      )
    },
  })
  return host
}

async function ask(host: TestHost, path: string, body: object) {
  const answer = await supertest(new URL(host.url).origin).post(path).send(body)
  for (const name of ['token', 'refreshToken'])
    if (typeof answer.body?.[name] === 'string') host.issued.add(answer.body[name])
  return answer
}

/** Signs in by the host's form. */
export const signIn = (host: TestHost, body: object) => ask(host, '/host/sign-in', body)

/** Has the host open a session. */
export const open = (host: TestHost, body: object = { userId: 'u-alice' }) =>
  ask(host, '/host/open', body)
