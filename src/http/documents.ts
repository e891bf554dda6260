import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError } from '../errors.js'
import { type Answer, ok, writeAnswer } from './answer.js'
import { createOpenCors } from './cors.js'
import { writeProblem } from './problem.js'

/**
 * A handler for `app.use`, of Express or of anything else that hands on what it does not answer.
 * Typed without Express, so that it fits hosts on version 4 and 5.
 */
export type DocumentHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** The answer with a document that may be kept for five minutes by whoever has asked. */
export function publicDocument(document: object): Answer {
  return { ...ok(document), headers: { 'Cache-Control': 'public, max-age=300' } }
}

const methods = ['GET', 'HEAD']
/** There is nothing in it that a header could change. */
const answerCors = createOpenCors('*')

/**
 * Answers each of these paths, compared as they stand, by its document, to pages of every origin;
 * 405 to other methods. Hands on every other path.
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
