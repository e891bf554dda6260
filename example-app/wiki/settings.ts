import { generateClientSecret, type OAuthClient } from 'messaging-auth-router'

/** What the environment says. */
export interface WikiSettings {
  readonly issuer: string
  readonly wikiUrl: string
  readonly secret: string
}

/** Reads it. Without a secret it ends the process, and tells how to register the wiki. */
export function readSettings(env: NodeJS.ProcessEnv): WikiSettings {
  const issuer = env['ISSUER'] || 'http://localhost:3000'
  const wikiUrl = env['WIKI_URL'] || 'http://localhost:3001'
  const secret = env['WIKI_SECRET']
  if (secret) return { issuer, wikiUrl, secret }
  process.stderr.write(howToRegister(wikiUrl))
  process.exit(1)
}

// The secret is the wiki's; the chat has its hash.
function howToRegister(wikiUrl: string): string {
  const { secret, hash } = generateClientSecret()
  const wiki: OAuthClient = {
    id: 'wiki',
    name: 'Team wiki',
    type: 'web',
    firstParty: true,
    redirectUris: [`${wikiUrl}/callback`],
    backchannelLogoutUri: `${wikiUrl}/backchannel-logout`,
    postLogoutRedirectUris: [`${wikiUrl}/`],
    scopes: ['openid', 'profile'],
    secretHashes: [hash],
  }
  return (
    'WIKI_SECRET: is not set. Start the chat, and then the wiki, with this one:\n\n' +
    `OAUTH_CLIENTS='${JSON.stringify([wiki])}' npm start\n\n` +
    `WIKI_SECRET=${secret} npm run wiki\n\n` +
    'ISSUER is where the chat is (http://localhost:3000), and WIKI_URL where the wiki is to be ' +
    '(http://localhost:3001).\n'
  )
}
