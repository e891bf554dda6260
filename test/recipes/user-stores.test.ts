// The stores of docs/examples/users, run as they stand there, over a real table.
import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { UserStore } from 'messaging-auth-router'
import { type UserToAdd, userStoreContract } from 'messaging-auth-router/testing'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { postgresUrl } from '../support/services.js'
import { drizzleUsers } from './.scratch/users/drizzle.js'
import { PrismaClient } from './.scratch/users/generated/client.js'
import { prismaUsers } from './.scratch/users/prisma.js'
import { defineUsers, sequelizeUsers } from './.scratch/users/sequelize.js'
import { typeormUsers, UserEntity } from './.scratch/users/typeorm.js'
import { type EmptyDatabase, emptyDatabase } from './empty-database.js'

// No unique index: the contract asks what happens where two users have one name.
const table = `create table users (
  id serial primary key, username text not null, email text not null, name text not null,
  password_hash text, disabled boolean not null default false)`

interface Opened {
  readonly users: UserStore
  close(): Promise<void>
}

const stores: Readonly<Record<string, (database: EmptyDatabase) => Promise<Opened>>> = {
  async Drizzle({ pool }) {
    return { users: drizzleUsers(drizzle(pool)), close: async () => {} }
  },
  async TypeORM({ url }) {
    const source = await new DataSource({
      type: 'postgres',
      url,
      entities: [UserEntity],
    }).initialize()
    return {
      users: typeormUsers(source.getRepository(UserEntity)),
      close: () => source.destroy(),
    }
  },
  async Sequelize({ url }) {
    const sequelize = new Sequelize(url, { logging: false })
    return { users: sequelizeUsers(defineUsers(sequelize)), close: () => sequelize.close() }
  },
  async Prisma({ url }) {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
    return { users: prismaUsers(prisma), close: () => prisma.$disconnect() }
  },
}

describe.skipIf(postgresUrl === null)('the UserStore of docs/examples/users', () => {
  const open: { database?: EmptyDatabase } = {}
  const database = () => open.database as EmptyDatabase
  beforeAll(async () => {
    open.database = await emptyDatabase()
    await database().pool.query(table)
  })
  afterAll(() => open.database?.drop())

  const addUser = async (user: UserToAdd) => {
    const { rows } = await database().pool.query<{ id: number }>(
      'insert into users (username, email, name, password_hash, disabled) ' +
        'values ($1, $2, $3, $4, $5) returning id',
      [user.username, user.email, user.name, user.passwordHash, user.disabled],
    )
    return String(rows[0]?.id)
  }

  for (const [name, connect] of Object.entries(stores)) {
    describe(`for ${name}`, () => {
      const tests = userStoreContract(async () => {
        const { users, close } = await connect(database())
        return { users, addUser, close }
      })
      for (const test of tests) it(test.name, test.run)
    })
  }
})
