import { AuthError } from '../errors.js'
import type { Endpoint } from '../http/endpoint.js'
import type { ServedFile } from './served-files.js'

/** `GET /oauth/assets/:file`: the style sheet and the logo, under names that never change. */
export function assetsEndpoint(files: readonly ServedFile[]): Endpoint {
  const answers = new Map(files.map((file) => [file.name, answerOf(file)]))
  return async function serveAsset({ parameters }) {
    const answer = answers.get(String(parameters['file']))
    if (answer === undefined) throw new AuthError('not-found')
    return answer
  }
}

function answerOf({ type, bytes }: ServedFile) {
  return {
    status: 200,
    text: bytes,
    headers: {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      // Opened by itself, a picture is a page of our origin: it may hold no script.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  }
}
