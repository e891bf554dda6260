// The users of server-process.mjs: a table that all processes share.

/** Users in a table, with everything that a router may ask of them. */
export function usersIn(kysely, table) {
  const rowsWith = (column, value) => kysely.selectFrom(table).selectAll().where(column, '=', value)
  const userOf = (row) =>
    row === undefined
      ? null
      : { id: row.id, username: row.username, name: row.name, passwordHash: row.password_hash }
  const found = async (column, value) => rowsWith(column, value).executeTakeFirst()

  /** One conditional write; true for the one caller whose condition still held. */
  async function change(userId, column, from, to) {
    const { numUpdatedRows } = await kysely
      .updateTable(table)
      .set(to)
      .where('id', '=', userId)
      .where(column, from === null ? 'is' : '=', from)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }

  async function create({ email, username, name, passwordHash }) {
    const id = `u-${username}`
    const row = { id, username, name, email, email_verified: 1, email_factor: 0 }
    try {
      await kysely
        .insertInto(table)
        .values({ ...row, password_hash: passwordHash })
        .execute()
      return { outcome: 'created', user: { id, username, name, passwordHash } }
    } catch (error) {
      if (!isDuplicate(error)) throw error
      const other = await found('email', email)
      return { outcome: 'taken', field: other === undefined ? 'username' : 'email' }
    }
  }

  async function updateEmail(id, from, to) {
    try {
      const isChanged = await change(id, 'email', from, { email: to, email_verified: 1 })
      return { outcome: isChanged ? 'changed' : 'superseded' }
    } catch (error) {
      if (isDuplicate(error)) return { outcome: 'taken' }
      throw error
    }
  }

  return {
    create,
    updateEmail,
    findByIdentifier: async ({ kind, value }) =>
      userOf(await found(kind === 'email' ? 'email' : 'username', value)),
    findById: async (id) => userOf(await found('id', id)),
    async findContact(id) {
      const row = await found('id', id)
      if (row === undefined) return null
      const { email, email_verified, email_factor } = row
      return { email, emailVerified: email_verified === 1, emailFactor: email_factor === 1 }
    },
    nameIsFree: async (name) => (await found('username', name)) === undefined,
    updatePasswordHash: (id, from, to) => change(id, 'password_hash', from, { password_hash: to }),
    markEmailVerified: (id, email) => change(id, 'email', email, { email_verified: 1 }),
    async setEmailFactor(id, on) {
      const row = kysely.updateTable(table).where('id', '=', id)
      await row.set({ email_factor: on ? 1 : 0 }).execute()
    },
    async delete(id) {
      await kysely.deleteFrom(table).where('id', '=', id).execute()
    },
  }
}

const isDuplicate = ({ code }) =>
  ['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE'].includes(code)
