// The requests of linked devices, for call-sites.ts: which parts of the host each calls, nobody
// writes down.
import { sha256 } from '../../src/lib/secrets.js'
import { outcomeOf } from './account-call-sites.js'
import type { Ask, Scene } from './call-sites.js'
import { bearer, logIn, pkcePair, post } from './client.js'
import { password } from './host.js'
import { openFormPage, outcomeOf as outcomeOnPage } from './oauth-call-sites.js'

const links = '/auth/device-links'

interface Waiting {
  readonly linkId: string
  readonly link: string
  readonly codeVerifier: string
  readonly headers: Record<string, string>
}

// Into the store: a network may begin only twenty.
async function begun({ host, stores, user }: Scene): Promise<Waiting> {
  const { authToken } = await logIn(host, { username: user.name, password })
  const { codeVerifier, codeChallenge } = pkcePair()
  const link = `mar_dl_${pkcePair().codeVerifier}`
  const linkId = sha256(link)
  const createdAt = host.clock()
  await stores.deviceCodes.save({
    userCodeHash: linkId,
    deviceCodeHash: codeChallenge,
    purpose: 'link',
    clientId: null,
    scope: '*',
    resources: [],
    name: 'TV',
    requestedIp: '198.51.100.7',
    requestedAgent: null,
    interval: 1,
    nextPollAt: createdAt,
    userId: null,
    claimedAt: null,
    triesLeft: 3,
    state: 'pending',
    authorizationCodeHash: null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 180_000),
  })
  return { linkId, link, codeVerifier, headers: bearer(authToken) }
}

async function opened(scene: Scene): Promise<Waiting & { readonly checkCode: string }> {
  const waiting = await begun(scene)
  const { link, linkId, codeVerifier, headers } = waiting
  await post(scene.host, `${links}/open`, { link }, headers).expect(200)
  const { body } = await post(scene.host, `${links}/collect`, { linkId, codeVerifier })
  return { ...waiting, checkCode: body.details.checkCode }
}

async function approved(scene: Scene): Promise<Waiting> {
  const waiting = await opened(scene)
  const { linkId, checkCode, headers } = waiting
  await post(scene.host, `${links}/approve`, { linkId, checkCode }, headers).expect(200)
  return waiting
}

function asking({ host }: Scene, step: string, body: object, headers = {}): Ask {
  return async () => outcomeOf(await post(host, `${links}${step}`, body, headers))
}

// A device that asks again asks a moment later.
function collecting(scene: Scene, { linkId, codeVerifier }: Waiting): Ask {
  return () => {
    scene.host.clock.advance(2)
    return asking(scene, '/collect', { linkId, codeVerifier, confirm: true })()
  }
}

// On the page, by the user who has opened the link.
async function onPage(
  scene: Scene,
  formFor: (checkCode: string) => Record<string, string>,
): Promise<Ask> {
  const { linkId, checkCode } = await opened(scene)
  const send = await openFormPage(scene, `/account/link?link=${linkId}`)
  return () => outcomeOnPage(send(formFor(checkCode)))
}

/** By name, as `requests` of call-sites.ts. */
export const deviceLinkRequests: Readonly<Record<string, (scene: Scene) => Promise<Ask>>> = {
  'POST /auth/device-links': async (scene) =>
    asking(scene, '', { codeChallenge: pkcePair().codeChallenge }),
  'POST /auth/device-links/open': async (scene) => {
    const { link, headers } = await begun(scene)
    return asking(scene, '/open', { link }, headers)
  },
  'POST /auth/device-links/approve': async (scene) => {
    const { linkId, checkCode, headers } = await opened(scene)
    return asking(scene, '/approve', { linkId, checkCode, password }, headers)
  },
  'POST /auth/device-links/deny': async (scene) => {
    const { linkId, headers } = await opened(scene)
    return asking(scene, '/deny', { linkId }, headers)
  },
  'POST /account/link with a link': async (scene) => {
    const { link } = await begun(scene)
    const send = await openFormPage(scene, '/account/link')
    return () => outcomeOnPage(send({ link }))
  },
  'POST /account/link with an approval': async (scene) =>
    onPage(scene, (checkCode) => ({ check_code: checkCode })),
  'POST /account/link with a refusal': async (scene) => onPage(scene, () => ({ choice: 'deny' })),
  'POST /auth/device-links/collect, opened': async (scene) =>
    collecting(scene, await opened(scene)),
  'POST /auth/device-links/collect': async (scene) => collecting(scene, await approved(scene)),
}
