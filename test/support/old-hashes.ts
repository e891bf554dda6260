// Hashes that other systems have written, of the password of the test host and of one that is not
// ASCII. "Made by" means that the tool itself was run; the others are published.
import { createHash } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { pbkdf2, preDigestedBcrypt, scrypt } from '../../src/index.js'
import { argon2 } from '../../src/passwords/readers/argon2.js'
import { password, workerUrl } from './host.js'

/** With a ligature and a circled digit, which better-auth takes for `fi` and `1`. */
const oddPassword = 'Pässwörd ﬁne ①'

/** Settings of a Firebase project and an account of it, as Google publishes them. */
export const firebase = {
  signerKey:
    'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
}

const plmSalt = 'd07088765c90e3988201228772a884caf88c99012a68e11f330f1621a8c6f55b'
const plmHash =
  'bde89685ae3c7aaaaf5675ac45e1e5e89946d04c4b4a9025747b61a5807be2eaa72fbe9402009f0eb3b6384f' +
  '4c0796e7bf9bf34152f925f03fe05513f309b5185ee69245c390c05f88a155d9d05c71945fdb187eba2e2fd1' +
  'ee15585d57e1bc9c5487b464754ae9b2f2c19fb19257d7b69c23f47a52875a4687f8a304d08b6eb6d5ca21b1' +
  '14786b99b050dbe23ec6254abe823c4155ce2e4fb9408e360ec113185caf3e7628d23b21dbc5eda3386106eb' +
  'ac555c455b1094a90bd9daef0317d8a4e84f4367278ee779cb8aebd5ced9c58ca93f632f5f629226fbb7ca8b' +
  '750831140737c1d254b594a9a651cf55ed762302857b68bad295dd161157db567cd2680e68636d98db2b1577' +
  '26fb58bc5e1d35ecf2cf9fc69f22d101b6f5c5df68ec31676abaafdf99824628b5729b96b61f897e3fef5406' +
  '551d2a97589fc350dd10cecaa9cd62866ead59d0d1e766e3a01e6586dc4dea1fc419ec30bfcd7c81caf94052' +
  '4155a1cb94e0c451e0597c646c75770a9c0ed391cdbe8709dee9dda27eabbd2768d6226a68e0bc4228f9ff9a' +
  '9be3e398d673c24fa6b379f9e49b3a4c1b98575bd3419aa7185add5998ea499c0c08cb2074295c33e6d3875f' +
  '0f2f6bc4dfb4b8e30dce4c50cde58c132550b6dfa35dd6e0d5fdc30ba5527c566ce90f82087663cd1b4f7b3d' +
  '862880ad4a0da1f4067a2bf13f77a1b4f6f4504d2636c31f50d42430'

const meteor = preDigestedBcrypt('sha256-hex', { threads: 1, workerUrl })
const nodebb = preDigestedBcrypt('sha512-hex', { threads: 1, workerUrl })

/**
 * Where it comes from, what reads it, the right password, the stored text. Several files read them
 * in one process, so none of them closes the readers.
 */
export const oldHashes = [
  [
    'Django 3.2.25, made by it',
    pbkdf2({ iterations: [260_000] }),
    password,
    'pbkdf2_sha256$260000$lRF3SsfQYhr5BVqlMjTHyT$2kxwh4mAtxAglF8D7Bwd1tul615x8z7W0uZPEBzDlpc=',
  ],
  [
    'Django, another alphabet, made by it',
    pbkdf2({ iterations: [1000, 260_000] }),
    oddPassword,
    'pbkdf2_sha256$260000$SCbsySjJ5EFUqAy6DurtIl$1KB/Y0zTmJIJTMMFYxtczKkmXuP8O8Sef7LwZuG1Wt8=',
  ],
  [
    'Django, SHA-1, made by it',
    pbkdf2({ iterations: [260_000], digest: 'sha1' }),
    password,
    'pbkdf2_sha1$260000$rQjSWLeCHB80tiiwaDhsSm$53ch8bnj0EQ4ebUueCcLK3kyxvo=',
  ],
  [
    'Werkzeug 3.1.8, made by it',
    pbkdf2({ iterations: [260_000] }),
    password,
    'pbkdf2:sha256:260000$qk6hJLUMNdPuQ23u$' +
      'd782ec6596a9a28c1f5c51302a3bd88fe6c171f18901dfa553ef6bf5fc356e3b',
  ],
  [
    'Werkzeug, SHA-512, made by it',
    pbkdf2({ iterations: [210_000], digest: 'sha512' }),
    oddPassword,
    'pbkdf2:sha512:210000$6YcGU4LV6wI9umk0$2374bdd2984342d8e378948f6c8be84a223075043a44e9a6f2107e' +
      'af8b03f1de16597c3ebb4653e6e72b05472568b8658a3959defe0856e2da91bcb3758fc415',
  ],
  [
    'passlib 1.7.4, made by it',
    pbkdf2({ iterations: [29_000] }),
    password,
    '$pbkdf2-sha256$29000$x5hzTsmZ8z7HWAthTGltzQ$Uyv5.EFc7gOvXjh9kk.9p3AEyRi/B3cfA52YDZt6FSA',
  ],
  [
    'passport-local-mongoose 9.2.0, made by it and joined',
    pbkdf2({ iterations: [25_000], keyLength: 512 }),
    password,
    `pbkdf2:sha256:25000$${plmSalt}$${plmHash}`,
  ],
  [
    'scrypt of Werkzeug 3.1.8, made by it',
    scrypt({ params: [{ N: 32_768, r: 8, p: 1 }] }),
    password,
    'scrypt:32768:8:1$dD35aoi2QbUAMo99$514114b369bc8eab81291d4a9d0d4a4f3119cdc215ad4e436b742a9b0d' +
      '18ec0eb00223f4c85453055899390faf9fa2ada0e8cd1acb386dc10df4f93bcd34f109',
  ],
  [
    'scrypt of passlib 1.7.4, made by it',
    scrypt({ params: [{ N: 16_384, r: 8, p: 1, keyLength: 32 }] }),
    password,
    '$scrypt$ln=14,r=8,p=1$W0spxfj/PwdAaG1NyRlDCA$GXB1LvEirduMCikFzWN9rmxLW/UXOMhn5K/DWo3YkA4',
  ],
  [
    'better-auth (@better-auth/utils), made by it',
    scrypt({ params: [{ N: 16_384, r: 16, p: 1 }] }),
    password,
    '60fac9ed4de6683095e6c1416227dfc0:6f427d1fb7ca2ad065f7afa6cad942d4df31ddf23c1b16b1ce1e4e255ed' +
      '810d6e56f4b875dd808f7337e55e4fd6449d20d1d29e80034caed606941611a8f1273',
  ],
  [
    'better-auth, which brings passwords into one form, made by it',
    scrypt({ params: [{ N: 16_384, r: 16, p: 1 }] }),
    oddPassword,
    'ca2d4c0b9af5b8771ae7d5cc269bb8fb:9345c4deb6ab2ba86b9a9692adeaaf200c19750c630875bba380bd1f2c0' +
      'c5b2c193ecfd74fafe7e182211e790c4b6e41adba550abb94bb73d97f0dfdbce96abb',
  ],
  [
    'Firebase, from the README of its scrypt, joined',
    scrypt({ params: [firebase] }),
    'user1password',
    '$firebase-scrypt$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3a' +
      'oItz+VHjoZilo78198JAdRuid5lQ==',
  ],
  [
    'Firebase, another alphabet, made by firebase-scrypt 2.2.0',
    scrypt({ params: [firebase] }),
    oddPassword,
    '$firebase-scrypt$42xEC+ixf3L2lw==$KS3AyPUE7cq9/EYVBU5662MLOlPPmpuSjwIIStTIzE87tc2+uMHAWIoVuK' +
      'gCFhbVdxLWudTQj8xwn5kBF33ZFA==',
  ],
  [
    'Meteor, from the tests of accounts-js',
    meteor,
    'pw',
    '$2b$10$.JcBAAvCuaZlnQIBW/Q7GedYUY47ZcBe3rFnmGEv1uGqPvY3KL69e',
  ],
  [
    'Meteor, from the fixtures of an application',
    meteor,
    'test123',
    '$2a$10$I3erQ084OiyILTv8ybtQ4ON6wusgPbMZ6.P33zzSDei.BbDL.Q4EO',
  ],
  [
    'NodeBB, made by its two calls: SHA-512 in hexadecimal, then bcryptjs',
    nodebb,
    oddPassword,
    '$2b$12$IAaEgJiNXU248idXPbb2cu6pEWLL6ezz24P6OasBXsC4dDqzyIb3S',
  ],
  [
    'argon2id of the reference implementation, made by its command',
    argon2(),
    password,
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQxNmJ5dGVzIQ$' +
      'W2/hNMtQKxyFQI3cOFyMdL9hfH0kK/3DKouGLtcZUyw',
  ],
  [
    'argon2i of the reference implementation, made by its command',
    argon2({ params: [{ algorithm: 'argon2i', memoryCost: 4096, timeCost: 3, parallelism: 1 }] }),
    password,
    '$argon2i$v=19$m=4096,t=3,p=1$c29tZXNhbHQxNmJ5dGVzIQ$' +
      'vkoNNWvcny4MfDDk+LmiWY1o70pAN1brZTpdoufjtsY',
  ],
] as const

/** A hash as Meteor makes it, at a cost that tests can afford. */
export const meteorHash: string = bcrypt.hashSync(
  createHash('sha256').update(password).digest('hex'),
  4,
)
