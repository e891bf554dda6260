// What works once works once, however many ask at the same moment, in two processes wherever they
// can share a store; and what ends in one of them is over in the other.
import { afterAll, beforeAll, describe, it } from 'vitest'
import { ownResource } from '../oauth/relying-party.js'
import { everyEngine } from '../support/engines.js'
import { apps, courierOf } from '../support/oauth-apps.js'
import { rounds } from '../support/rounds.js'
import {
  inOneMemory,
  type SharedKind,
  sharedKinds,
  tellingKinds,
} from '../support/server-processes.js'
import { accountRaces } from './account-races.js'
import { appRaces } from './app-races.js'
import { crossings } from './crossings.js'
import { deviceRaces, terminal } from './device-races.js'
import { providerRaces } from './provider-races.js'
import { type Race, run, type Servers, startServers } from './races.js'
import { secondFactorRaces } from './second-factor-races.js'

const races: readonly Race[] = [
  ...accountRaces,
  ...secondFactorRaces,
  ...appRaces,
  ...deviceRaces,
  ...providerRaces,
]
const courier = { ...courierOf('nobody'), id: 'courier-' }
const settings = { clients: [...apps, courier, terminal], audience: ownResource }

const kinds: readonly (readonly [SharedKind, processes: number])[] = everyEngine
  ? [[inOneMemory, 1], ...sharedKinds.map((kind) => [kind, 2] as const)]
  : tellingKinds.map((kind) => [kind, 2] as const)

describe.each(kinds.map(([kind, processes]) => ({ ...kind, kind, processes })))(
  'on $name',
  ({ kind, isThere, processes }) => {
    let servers: Servers
    const endings: (() => Promise<void>)[] = []
    beforeAll(async () => {
      if (!isThere) return
      servers = await startServers(kind, processes, settings, (end) => void endings.unshift(end))
    })
    afterAll(async () => {
      for (const end of endings) await end()
    })

    for (const race of races)
      it.skipIf(!isThere)(`50 at once ${race.title}`, async () => {
        const times = Math.min(rounds(1), race.mostRounds ?? Number.POSITIVE_INFINITY)
        for (let round = 0; round < times; round += 1) await run(race, servers)
      })

    for (const { title, check } of crossings) it.skipIf(!isThere)(title, () => check(servers))
  },
)
