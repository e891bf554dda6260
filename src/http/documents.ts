import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError } from '../errors.js'
import { type Answer, ok, writeAnswer } from './answer.js'
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
/** Any header may be sent: none changes the document. */
const answerCors = createOpenCors('*')

/**
 * Answers exactly these paths with their documents, for pages of every origin; 405 for other
 * methods. Passes on every other path.
 */
export function createDocuments(documents: ReadonlyMap<string, object>): DocumentHandler {
  const answers = new Map([...documents].map(([path, one]) => [path, publicDocument(one)]))
  return function answerDocument(request, response, next) {
    const [path = ''] = (request.url ?? '').split('?', 1)
    const answer = answers.get(path)
    if (answer === undefined) return next()
    if (answerCors(request, response, methods)) return
    if (methods.includes(request.method ?? '')) return writeAnswer(response, answer)
    const headers = { Allow: methods.join(', ') }
    writeProblem(response, new AuthError('method-not-allowed', { headers }), 'plain')
  }
}
