import { describe, expect, it } from 'vitest'
import type { RevocationBus } from '../../src/index.js'
import { messageText, tellListener } from '../../src/stores/bus-message.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { memoryBus } from '../support/memory-bus.js'
import { startOAuthApp } from './oauth-app.js'

/** Two processes over one store of clients. */
async function startTwo(bus?: RevocationBus) {
  const settings = { oauthStores: memoryOAuthStores(), ...(bus !== undefined && { bus }) }
  return [await startOAuthApp(settings), await startOAuthApp(settings)] as const
}

/** As the shipped buses do: what is published is text on the way. */
function textBus(): RevocationBus & { readonly texts: string[] } {
  const bus = memoryBus()
  const texts: string[] = []
  return {
    texts,
    subscribe: bus.subscribe,
    async publish(message) {
      const text = messageText(message)
      texts.push(text)
      tellListener((read) => void bus.publish(read), text)
    },
  }
}

describe('a client that is changed', () => {
  it('is forgotten by every process on the bus, at once', async () => {
    for (const bus of [memoryBus(), textBus()]) {
      const [here, there] = await startTwo(bus)
      expect((await there.clients.find('wiki'))?.disabled).toBeUndefined()
      await here.disable('wiki')
      expect((await there.clients.find('wiki'))?.disabled).toBe(true)
      await here.forHost.enable('wiki')
      expect((await there.clients.find('wiki'))?.disabled).toBe(false)
      const { session } = await there.open('wiki')
      expect((await there.revoke('wiki', 'nothing')).status).toBe(200)
      await here.forHost.rotateSecret('wiki')
      await here.forHost.rotateSecret('wiki')
      // The secret of before is void there as well.
      expect((await there.revoke('wiki', 'nothing')).status).toBe(401)
      expect(await there.endOf(session)).toBeNull()
    }
  })

  it('is noticed within 30 seconds without a bus', async () => {
    const [here, there] = await startTwo()
    await there.clients.find('wiki')
    await here.disable('wiki')
    expect((await there.clients.find('wiki'))?.disabled).toBeUndefined()
    there.clock.advance(30)
    expect((await there.clients.find('wiki'))?.disabled).toBe(true)
  })

  it('is disabled, and its sessions end, though the bus is down', async () => {
    const down = async () => {
      throw new Error('down')
    }
    const app = await startOAuthApp({ bus: { publish: down, subscribe: down } })
    const { session } = await app.open('wiki')
    expect(await app.disable('wiki')).toBe(true)
    expect(await app.endOf(session)).toBe('client-disabled')
  })

  it('is on the bus by its id alone', async () => {
    const bus = textBus()
    const [here] = await startTwo(bus)
    await here.forHost.update({
      id: 'wiki',
      name: 'Wiki',
      type: 'web',
      redirectUris: ['https://wiki.example/callback'],
      scopes: ['openid'],
    })
    expect(bus.texts).toEqual(['{"clientId":"wiki"}'])
  })
})
