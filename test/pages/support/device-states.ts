import type { FormFault, PageForm } from '../../../src/pages/form-parts.js'
import type { View, ViewOf } from './views.js'

/** What is in these pages that somebody has typed or registered. */
interface DeviceData {
  readonly account: ViewOf<'device'>['account']
  readonly foreignClient: { readonly name: string }
  readonly deviceName: string
  readonly typed: string
  readonly refusal: string
  readonly scopes: readonly string[]
  readonly apis: readonly string[]
}

/** The states of the pages on which users sign a device in. */
export function deviceStates(
  data: DeviceData,
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const { account, foreignClient, deviceName, typed, refusal: message, scopes, apis } = data
  const form = formWith(null)
  const typing = { page: 'device-code', account, form, userCode: '' } as const
  const askedAt = new Date('2030-01-02T03:04:05Z')
  const asked: ViewOf<'device'> = {
    page: 'device',
    account,
    form,
    clientName: foreignClient.name,
    isOwnApp: false,
    scopes,
    apis: [],
    userCode: 'BCDF-GHJK',
    device: { name: deviceName, ip: '192.0.2.7', askedAt },
    network: 'same',
  }
  const unknown = { name: null, ip: null, askedAt }
  const ip = '2001:db8:1234:5678:9abc:def0:1234:5678'
  return {
    'device-code': typing,
    'device-code-filled': { ...typing, userCode: asked.userCode },
    'device-code-wrong': { ...typing, userCode: typed, form: formWith({ kind: 'wrong' }) },
    'device-code-stale': { ...typing, form: formWith({ kind: 'stale' }) },
    device: asked,
    'device-apis': { ...asked, apis },
    'device-own': { ...asked, isOwnApp: true, device: unknown },
    'device-other-network': { ...asked, network: 'other', device: { ...asked.device, ip } },
    'device-refused-network': { ...asked, network: 'refused' },
    'device-unread': { ...asked, form: formWith({ kind: 'wrong' }) },
    'device-refused': { ...asked, form: formWith({ kind: 'refused', message }) },
  }
}

/** The states of the page on which users link a device. */
export function linkStates(
  { account, deviceName, typed, refusal: message }: DeviceData,
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const form = formWith(null)
  const askedAt = new Date('2030-01-02T03:04:05Z')
  const linkScript = '/oauth/assets/link-0123456789abcdef.js'
  const linking = { page: 'link', account, form, linkScript } as const
  const linked: ViewOf<'link-device'> = {
    page: 'link-device',
    account,
    form,
    device: {
      name: typed,
      agent: deviceName,
      network: '192.0.2.7',
      sameNetwork: true,
      at: askedAt,
    },
  }
  const unsaid = { name: null, agent: null, network: null, sameNetwork: false, at: askedAt }
  return {
    link: linking,
    'link-wrong': { ...linking, form: formWith({ kind: 'wrong' }) },
    'link-stale': { ...linking, form: formWith({ kind: 'stale' }) },
    'link-sign-in': {
      page: 'link-sign-in',
      signIn: '/oauth/sign-in?return_to=%2Flink',
      linkScript,
    },
    'link-device': linked,
    'link-device-other-network': { ...linked, device: unsaid },
    'link-device-wrong': { ...linked, form: formWith({ kind: 'wrong' }) },
    'link-device-refused': { ...linked, form: formWith({ kind: 'refused', message }) },
  }
}
