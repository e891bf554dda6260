// BER as the doubles of the tests write and read it, by code that the product does not share.

export interface Node {
  readonly tag: number
  readonly value: Buffer
  /** What is in it, for a constructed one. */
  readonly parts: readonly Node[]
}

type Content = Buffer | string | number | readonly Buffer[]

export function node(tag: number, content: Content = ''): Buffer {
  const value = bytesOf(content)
  const { length } = value
  const size =
    length < 0x80 ? [length] : [0x83, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

function bytesOf(content: Content): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  if (typeof content === 'number') return Buffer.from([content])
  return Buffer.isBuffer(content) ? content : Buffer.concat(content)
}

/** Reads what is there in whole; the rest has not come yet. */
export function read(bytes: Buffer): { nodes: Node[]; rest: Buffer } {
  const nodes: Node[] = []
  let at = 0
  while (bytes.length - at >= 2) {
    const first = bytes[at + 1] as number
    const more = first < 0x80 ? 0 : first & 0x7f
    if (bytes.length < at + 2 + more) break
    const from = at + 2 + more
    const to = from + (more === 0 ? first : bytes.readUIntBE(at + 2, more))
    if (to > bytes.length) break
    const [tag, value] = [bytes[at] as number, bytes.subarray(from, to)]
    nodes.push({ tag, value, parts: (tag & 0x20) === 0 ? [] : read(value).nodes })
    at = to
  }
  return { nodes, rest: bytes.subarray(at) }
}

export const whole = (one: Node | undefined): number =>
  one === undefined ? 0 : one.value.readIntBE(0, one.value.length)
export const text = (one: Node | undefined): string => one?.value.toString() ?? ''

/** The number of a message: up to four bytes. */
export const id = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return node(0x02, bytes)
}
