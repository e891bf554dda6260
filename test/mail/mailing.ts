// A mailer, and the host's part of it.
import type { AuthEventBody, Mail, TextOptions } from '../../src/index.js'
import type { GroundKit } from '../../src/kits/ground-kit.js'
import { unwatched } from '../../src/lib/watch.js'
import {
  createMailer,
  type Mailer,
  type MailSettings,
  type MailToSend,
} from '../../src/mail/mailer.js'
import { createTexts } from '../../src/pages/texts.js'
import { kitOf } from '../support/kit-of.js'

export const context = { requestId: 'r-1', ip: '192.0.2.7', userAgent: 'Firefox on Linux' }

/** What the mails of these tests are because of. */
export const because = {
  ip: '192.0.2.7',
  device: 'Firefox on Linux',
  at: new Date('2026-03-04T05:06:07Z'),
}

export const request: MailToSend = {
  kind: 'password-changed',
  to: 'ada@mail.example',
  locale: null,
  user: { id: 'u-ada', name: 'Ada Lovelace' },
}

export interface Mailing {
  readonly mailer: Mailer
  readonly mails: Mail[]
  readonly events: AuthEventBody[]
  /** Until what is under way is done. */
  settled(): Promise<void>
}

interface MailingSettings {
  readonly texts?: TextOptions
  readonly storeTimeout?: number
  readonly clock?: () => Date
  /** Default: a host without them. */
  readonly pages?: Pick<MailSettings, 'forgotUrl' | 'accountUrl'>
}

const without = { forgotUrl: undefined, accountUrl: undefined }

export function mailing(
  send?: (mail: Mail) => unknown,
  { texts, storeTimeout = 500, clock = () => because.at, pages = without }: MailingSettings = {},
): Mailing {
  const mails: Mail[] = []
  const events: AuthEventBody[] = []
  const audit = (event: AuthEventBody) => events.push(event)
  const kit = kitOf<GroundKit>({ clock, audit, watch: unwatched })
  const mailer = createMailer(kit, {
    sender: {
      async send(mail) {
        mails.push(mail)
        await send?.(mail)
      },
    },
    nameDevice: async (userAgent) => userAgent,
    languages: createTexts(texts, 'Example Chat'),
    language: 'en',
    ...pages,
    storeTimeout,
  })
  return {
    mailer,
    mails,
    events,
    async settled() {
      while (mailer.stats().waiting > 0) await new Promise(setImmediate)
    },
  }
}
