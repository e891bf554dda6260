import { type IncomingMessage, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'

/**
 * Asks as a browser does that opens a page or sends a form. `fetch` of Node says of every request
 * that a script makes it (`Sec-Fetch-Mode: cors`), and cannot be told otherwise; a provider that
 * looks at it takes no cookie from one.
 */
export async function navigate(request: Request): Promise<Response> {
  const { url, method } = request
  const headers = {
    // What is no form of the provider's own, a page of the client's has sent here.
    'sec-fetch-site': 'cross-site',
    ...Object.fromEntries(request.headers),
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  }
  const body = await request.text()
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, { method, headers }, resolve).once('error', reject).end(body)
  })
  const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(await buffer(answer), { status: answer.statusCode ?? 0, headers: pairs })
}
