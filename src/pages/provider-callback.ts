import type { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'

/** Where a flow of our pages began: the sign-in for a request, or the account page. */
export interface PageOfFlow {
  /** The query of the page. */
  readonly raw: string
  /** Whether it connects an account of a user who is signed in. */
  readonly isLinking: boolean
}

/** What a browser sees that comes back from a provider. */
export interface CallbackPages {
  /** On to the page that the flow was begun for. */
  goOn(page: PageOfFlow, ticket: string): TextAnswer
  /** Back to it: the user has cancelled there. */
  cancelled(page: PageOfFlow): TextAnswer
  /** "This sign-in is too old, or was begun in another browser." */
  stale(request: EndpointRequest): Promise<TextAnswer>
  /** "You could not be signed in with …", with a text of the host's if it has one. */
  refused(request: EndpointRequest, provider: string, told?: string): Promise<TextAnswer>
  /** "… cannot be reached." */
  failed(request: EndpointRequest, provider: string, error: AuthError): Promise<TextAnswer>
}
