import { UnexpectedAnswer } from '../lib/host-call.js'

/** One element of BER: its tag, and where its content lies. */
interface Element {
  readonly tag: number
  readonly from: number
  readonly to: number
}

/** Something that LDAP does not say. */
export class NotLdap extends UnexpectedAnswer {}

/** What a server has answered. */
export interface LdapAnswer {
  readonly id: number
  /** The tag of the operation, as in {@link operations}. */
  readonly operation: number
  readonly body: Buffer
  /** The values of controls, by their number. */
  readonly controls: ReadonlyMap<string, Buffer>
}

/** Tags of the answers that are known here. */
export const operations = {
  bound: 0x61,
  entry: 0x64,
  searched: 0x65,
  reference: 0x73,
  extended: 0x78,
} as const

/** The result of an operation. The server's own words are left out: they may hold anything. */
export interface LdapResult {
  readonly code: number
  /** The sub-code of Active Directory, such as `52e`. */
  readonly subCode: string | undefined
  readonly controls: ReadonlyMap<string, Buffer>
}

/** An entry as it came. Names of attributes are in lower case, and without options. */
export interface LdapEntry {
  readonly dn: string
  readonly attributes: ReadonlyMap<string, readonly Buffer[]>
}

const [sequence, set, integer, text, enumeration] = [0x30, 0x31, 0x02, 0x04, 0x0a]

/**
 * Puts messages together from what arrives, each in one buffer of the length that it says of
 * itself, so that a server that drips costs time, and no memory.
 *
 * @throws NotLdap if it is no message, or longer than `most`
 */
export function createAssembler(most: number): (chunk: Buffer) => Generator<Buffer> {
  let head: number[] = []
  let message: Buffer | undefined
  let filled = 0
  return function* whole(chunk) {
    let at = 0
    while (at < chunk.length) {
      if (message === undefined) {
        head.push(chunk[at] as number)
        at += 1
        const length = messageLength(Buffer.from(head), most)
        if (length === null) continue
        message = Buffer.allocUnsafe(length)
        message.set(head)
        filled = head.length
        head = []
      }
      const taken = chunk.copy(message, filled, at)
      filled += taken
      at += taken
      if (filled < message.length) return
      const done = message
      message = undefined
      yield done
    }
  }
}

function messageLength(bytes: Buffer, most: number): number | null {
  if (bytes[0] !== sequence) throw new NotLdap('an answer that is no message')
  const first = bytes[1]
  if (first === undefined) return null
  const more = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || more > 4) throw new NotLdap('an answer of unknown length')
  if (bytes.length < 2 + more) return null
  const length = 2 + more + (more === 0 ? first : bytes.readUIntBE(2, more))
  if (length > most) throw new NotLdap('an answer that is too long')
  return length
}

/**
 * Reads one whole message. What the library does with a message that contradicts itself is to loop
 * for ever, or to take it for a success, so answers are read here, strictly.
 *
 * @throws NotLdap
 */
export function readMessage(bytes: Buffer): LdapAnswer {
  const [message, ...others] = elements(bytes, 0, bytes.length)
  if (message === undefined || others.length > 0) throw new NotLdap('an answer that is no message')
  const [id, operation, controls, ...rest] = elements(bytes, message.from, message.to)
  if (id?.tag !== integer || operation === undefined || rest.length > 0)
    throw new NotLdap('an answer without a number, or an operation')
  return {
    id: wholeOf(bytes, id),
    operation: operation.tag,
    body: bytes.subarray(operation.from, operation.to),
    controls: controls === undefined ? new Map() : readControls(bytes, controls),
  }
}

/** Reads the result of an operation. */
export function readResult({ body, controls }: LdapAnswer): LdapResult {
  const [code, matched, said] = elements(body, 0, body.length)
  if (code?.tag !== enumeration || matched?.tag !== text || said?.tag !== text)
    throw new NotLdap('a result without a code')
  const subCode = /\bdata ([\da-f]{1,8})\b/i.exec(textOf(body, said))?.[1]
  return { code: wholeOf(body, code), subCode: subCode?.toLowerCase(), controls }
}

/** Reads an entry of a search. */
export function readEntry({ body }: LdapAnswer): LdapEntry {
  const [dn, list, ...others] = elements(body, 0, body.length)
  if (dn?.tag !== text || list?.tag !== sequence || others.length > 0)
    throw new NotLdap('an entry without a name, or attributes')
  const attributes = new Map<string, Buffer[]>()
  for (const attribute of elements(body, list.from, list.to)) {
    const [type, values, ...more] = elements(body, attribute.from, attribute.to)
    if (attribute.tag !== sequence || type?.tag !== text || values?.tag !== set || more.length > 0)
      throw new NotLdap('an attribute without a name, or values')
    // `memberOf;range=0-1499` is a part of memberOf.
    const name = textOf(body, type).toLowerCase().replace(/;.*$/s, '')
    const found = elements(body, values.from, values.to)
    if (found.some(({ tag }) => tag !== text)) throw new NotLdap('a value that is none')
    const known = attributes.get(name) ?? []
    for (const { from, to } of found) known.push(body.subarray(from, to))
    attributes.set(name, known)
  }
  return { dn: textOf(body, dn), attributes }
}

/** The cookie of the next page; null after the last one. */
export function nextPage({ controls }: LdapResult): Buffer | null {
  const value = controls.get('1.2.840.113556.1.4.319')
  if (value === undefined) return null
  const [list] = elements(value, 0, value.length)
  const [, cookie] = list === undefined ? [] : elements(value, list.from, list.to)
  if (cookie?.tag !== text) throw new NotLdap('a page without a cookie')
  return cookie.to > cookie.from ? value.subarray(cookie.from, cookie.to) : null
}

/** The control of password policies (draft-behera-ldap-password-policy). */
export const passwordPolicy = '1.3.6.1.4.1.42.2.27.8.5.1'

/** The fault that a password policy has found: 0 expired, 1 locked, 2 must be changed. */
export function policyFault({ controls }: LdapResult): number | null {
  const value = controls.get(passwordPolicy)
  if (value === undefined) return null
  const [list] = elements(value, 0, value.length)
  if (list === undefined) return null
  const fault = elements(value, list.from, list.to).find(({ tag }) => tag === 0x81)
  return fault === undefined ? null : wholeOf(value, fault)
}

function readControls(bytes: Buffer, list: Element): ReadonlyMap<string, Buffer> {
  if (list.tag !== 0xa0) throw new NotLdap('an answer with something after its operation')
  return new Map(
    elements(bytes, list.from, list.to).map((control) => {
      const [type, ...members] = elements(bytes, control.from, control.to)
      if (type?.tag !== text) throw new NotLdap('a control without a number')
      const value = members.find(({ tag }) => tag === text)
      return [
        textOf(bytes, type),
        value === undefined ? Buffer.alloc(0) : bytes.subarray(value.from, value.to),
      ]
    }),
  )
}

// Each lies wholly within its parent, and the last one ends where the parent ends.
function elements(bytes: Buffer, from: number, to: number): Element[] {
  const found: Element[] = []
  let at = from
  while (at < to) {
    const [tag = 0, first = 0] = [bytes[at], bytes[at + 1]]
    const more = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + more
    if (first === 0x80 || more > 4 || start > to) throw new NotLdap('an answer of unknown length')
    const end = start + (more === 0 ? first : bytes.readUIntBE(at + 2, more))
    if (end > to) throw new NotLdap('an answer that is longer than it says')
    found.push({ tag, from: start, to: end })
    at = end
  }
  return found
}

function wholeOf(bytes: Buffer, { from, to }: Element): number {
  if (to - from < 1 || to - from > 4) throw new NotLdap('a number that is none')
  return bytes.readIntBE(from, to - from)
}

function textOf(bytes: Buffer, { from, to }: Element): string {
  return bytes.toString('utf8', from, to)
}
