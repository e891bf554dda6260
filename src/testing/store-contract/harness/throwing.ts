import { AssertionError } from 'node:assert/strict'

/**
 * The stores as they are, but a method that throws before it returns a promise fails the test with
 * a text that says so: the test itself would only pass on what was thrown.
 */
export function tellingThrows<Stores extends object>(stores: Stores): Stores {
  // One for each object: `codes.redemption.sessions` must stay the very object that `sessions` is.
  const known = new WeakMap<object, object>()
  const around = <Part extends object>(part: Part, path: string): Part => {
    const before = known.get(part)
    if (before !== undefined) return before as Part
    const get = (_none: object, name: string | symbol) => {
      const member: unknown = Reflect.get(part, name)
      const named = `${path}${String(name)}`
      if (typeof member === 'function')
        return (...given: unknown[]) => asked(named, () => Reflect.apply(member, part, given))
      return typeof member === 'object' && member !== null ? around(member, `${named}.`) : member
    }
    // Not over the part itself: what is frozen would have to be answered as it is.
    const proxy = new Proxy({}, { get }) as Part
    known.set(part, proxy)
    return proxy
  }
  return around(stores, '')
}

function asked(method: string, call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    throw new AssertionError({
      message: `${method} threw before it returned a promise: make it async. It threw: ${error}`,
      actual: error,
      operator: 'storeContract',
    })
  }
}
