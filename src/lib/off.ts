import { AuthConfigError } from '../errors.js'

/** The functions `names` of a capability whose option is not set: each call rejects with it. */
export function off<Name extends string>(
  option: string,
  problem: string,
  remedy: string,
  names: readonly Name[],
): Readonly<Record<Name, () => Promise<never>>> {
  const refuse = async () => {
    throw new AuthConfigError(option, problem, remedy)
  }
  const functions = Object.fromEntries(names.map((name) => [name, refuse]))
  return Object.freeze(functions as Record<Name, typeof refuse>)
}
