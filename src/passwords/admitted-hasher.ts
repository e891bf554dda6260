import type { Admission } from './admission.js'
import type { FailClosedHasher } from './fail-closed-hasher.js'
import type { Asker } from './waiting-room.js'

/** The host's hasher as the router uses it: whoever wants work done says on whose behalf. */
export interface AdmittedHasher extends Pick<FailClosedHasher, 'needsRehash' | 'canRead'> {
  hash(plain: string, asker: Asker): Promise<string>
  verify(plain: string, hash: string, asker: Asker): Promise<boolean>
}

/** Puts the admission in front of a hasher. The time limit of the hasher begins when the work does, not when it is queued. */
export function admittedHasher(hasher: FailClosedHasher, admission: Admission): AdmittedHasher {
  return {
    hash: (plain, asker) => admission.run(asker, () => hasher.hash(plain)),
    verify: (plain, hash, asker) => admission.run(asker, () => hasher.verify(plain, hash)),
    needsRehash: hasher.needsRehash,
    canRead: hasher.canRead,
  }
}
