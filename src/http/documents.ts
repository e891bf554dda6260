import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError } from '../errors.js'
import { type Answer, type AnyAnswer, ok, writeAnswer } from './answer.js'
import { createOpenCors } from './cors.js'
import { writeProblem } from './problem.js'

/**
 * A handler for `app.use` of Express or a similar framework. Typed without Express, so that it fits
 * hosts on version 4 and 5.
 */
export type DocumentHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** An answer with a public document, which clients may cache for five minutes. */
export function publicDocument(document: object): Answer {
  return { ...ok(document), headers: { 'Cache-Control': 'public, max-age=300' } }
}

const methods = ['GET', 'HEAD']
/** No header of ours: none changes the document. */
const answerCors = createOpenCors([])

/**
 * Answers exactly these paths with their documents, for pages of every origin; 405 for other
 * methods. Passes on every other path.
 */
export function createDocuments(documents: ReadonlyMap<string, object>): DocumentHandler {
  const answers = new Map([...documents].map(([path, one]) => [path, publicDocument(one)]))
  return function answerDocument(request, response, next) {
    const answer = answers.get(pathOf(request))
    if (answer === undefined) return next()
    if (!answerCors(request, response, methods)) answerReading(request, response, answer)
  }
}

/**
 * Answers documents that are loaded after the start: a request for one of their paths waits for
 * them, and every other is passed on at once. A failed load is 503, and the next request tries
 * again.
 */
export function documentsLater(
  paths: readonly string[],
  load: () => Promise<DocumentHandler>,
): DocumentHandler {
  const later = new Set(paths)
  let answerDocument: DocumentHandler | undefined
  return function answerLater(request, response, next) {
    if (answerDocument !== undefined) return answerDocument(request, response, next)
    if (!later.has(pathOf(request))) return next()
    load().then(
      (loaded) => {
        answerDocument = loaded
        loaded(request, response, next)
      },
      (error: unknown) => {
        if (error instanceof AuthError) writeProblem(response, error, 'plain')
        else next(error)
      },
    )
  }
}

/** Answers further documents, before the others. */
export function withDocuments(
  documents: ReadonlyMap<string, object>,
  others: DocumentHandler,
): DocumentHandler {
  const answerDocument = createDocuments(documents)
  return (request, response, next) =>
    answerDocument(request, response, (error) =>
      error === undefined ? others(request, response, next) : next(error),
    )
}

/**
 * Leads from `/.well-known/change-password`, where password managers look, to the page for a new
 * password ([W3C](https://www.w3.org/TR/change-password-url/)), and passes on every other path.
 *
 * @param page - its address; null without
 */
export function leadToChangePassword(
  page: string | null,
  others: DocumentHandler,
): DocumentHandler {
  if (page === null) return others
  const headers = { Location: page, 'Content-Type': 'text/plain; charset=utf-8' }
  const answer = { status: 303, text: '', headers }
  return function lead(request, response, next) {
    const isHere = pathOf(request) === '/.well-known/change-password'
    if (isHere) answerReading(request, response, answer)
    else others(request, response, next)
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

function answerReading(
  { method = '' }: IncomingMessage,
  response: ServerResponse,
  answer: AnyAnswer,
): void {
  const headers = { Allow: methods.join(', ') }
  if (methods.includes(method)) writeAnswer(response, answer)
  else writeProblem(response, new AuthError('method-not-allowed', { headers }), 'plain')
}
