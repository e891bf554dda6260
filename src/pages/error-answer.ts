import type { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import { type Endpoint, type EndpointRequest, isForClient } from '../http/endpoint.js'
import type { PageReader, ShowPage } from './show-page.js'
import type { ErrorView, PageFault } from './view.js'

/** What an error page tells besides its fault. */
type Told = Partial<Pick<ErrorView, 'clientName' | 'retryAfter'>>

/** A page that says what cannot be done, with a reference for whoever looks into the log. */
export function errorAnswer(
  showPage: ShowPage,
  fault: PageFault,
  status: number,
  { incoming, context }: Pick<EndpointRequest, 'incoming' | 'context'>,
  { clientName = null, retryAfter = 0 }: Told = {},
): Promise<TextAnswer> {
  const reader: PageReader = { incoming, uiLocales: [], at: null }
  const reference = context.requestId
  const view = { page: 'error', fault, clientName, reference, parameter: null, retryAfter } as const
  const headers = retryAfter > 0 ? { 'Retry-After': String(retryAfter) } : {}
  return showPage(() => view, reader, { status, headers })
}

/** An endpoint that a person looks at: whatever it refuses comes as a page, an outage too. */
export function forPeople(
  showPage: ShowPage,
  endpoint: (request: EndpointRequest) => Promise<TextAnswer>,
): Endpoint {
  return async function answerPeople(request) {
    try {
      return await endpoint(request)
    } catch (error) {
      if (!isForClient(error)) throw error
      const { status, retryAfter } = error
      const told = retryAfter === undefined ? {} : { retryAfter }
      return errorAnswer(showPage, faultOf(error), status, request, told)
    }
  }
}

function faultOf({ code }: AuthError): PageFault {
  switch (code) {
    case 'too-many-requests':
      return 'throttled'
    case 'temporarily-unavailable':
      return 'busy'
    case 'payload-too-large':
      return 'too-long'
    case 'forbidden':
      return 'refused'
    default:
      return 'malformed'
  }
}
