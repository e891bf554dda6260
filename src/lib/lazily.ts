/**
 * Makes a value at the first call, and only once. For schemas that most processes never need.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return function madeOnce() {
    made ??= { value: make() }
    return made.value
  }
}
