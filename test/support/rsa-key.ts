// RSA keys take long to make, so that files which run in one process share this one.
import { generateSigningKey, type SigningKey } from '../../src/index.js'

/** A key for RS256. */
export const rsaKey: SigningKey = await generateSigningKey('RS256')
