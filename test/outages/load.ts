// What clients do all day, 50 times a second, against two processes; with a journal of what they
// were promised.
import { ask, type Chat, logIn, obtainTokens, type Reply, type Tokens } from './chat.js'

/** One answer, and when its request was sent. */
export interface Answered {
  readonly kind: 'hot guard' | 'cold guard' | 'login' | 'refresh' | 'logout'
  readonly sentAt: number
  readonly status: number
  readonly milliseconds: number
}

/** What the clients saw and were promised. */
export interface Journal {
  readonly answers: Answered[]
  /** Everything but a 200, and a 503 that says when to come back. */
  readonly wrong: string[]
  /** Tokens whose logout was acknowledged. */
  readonly loggedOut: string[]
  /** Tokens whose login was acknowledged, and which nobody has tried to log out. */
  readonly loggedIn: string[]
  /** The latest tokens of each device. */
  readonly devices: Tokens[]
}

/** A load that runs until it is stopped. */
export interface Load {
  readonly journal: Journal
  /** No more requests are sent; resolves when the last one is answered. */
  stop(): Promise<void>
}

/** With every change only what is answered is judged, not how soon: a machine may be busy. */
export const judgesTimes: boolean = process.env['JUDGE_TIMES'] !== 'no'

const hotSessions = 8
// So many that, one asked after the other, the guard has forgotten each before its turn comes
// again.
const coldSessions = 80
const devices = 20

/** Signs everybody in, and begins. */
export async function startLoad(chats: readonly [Chat, Chat]): Promise<Load> {
  const journal: Journal = { answers: [], wrong: [], loggedOut: [], loggedIn: [], devices: [] }
  for (let i = 0; i < devices; i += 1)
    journal.devices.push(await obtainTokens(chats[0], `device-${i}`))
  const hot = await tokensOf(chats[0], 'hot', hotSessions)
  const cold = await tokensOf(chats[0], 'cold', coldSessions)
  // Logouts are tried again until they are acknowledged, as clients do.
  const unwanted: string[] = []
  const tried = new Set<string>()
  let logins = 0

  async function note(kind: Answered['kind'], asked: Promise<Reply>): Promise<Reply> {
    const sentAt = performance.now()
    const reply = await asked
    const { status, retryAfter, milliseconds, body } = reply
    journal.answers.push({ kind, sentAt, status, milliseconds })
    const isRight = status === 200 || (status === 503 && Number(retryAfter) > 0)
    const isDone = kind === 'logout' && status === 401 && retryAfter === null
    if (!isRight && !isDone) journal.wrong.push(`${kind}: ${status} ${JSON.stringify(body)}`)
    if (judgesTimes && milliseconds > 3000)
      journal.wrong.push(`${kind}: ${status} after ${Math.round(milliseconds)} ms`)
    return reply
  }

  const work = {
    hot: async (chat: Chat, turn: number) =>
      void (await note('hot guard', ask.rooms(chat, at(hot, turn)))),
    cold: async (chat: Chat, turn: number) =>
      void (await note('cold guard', ask.rooms(chat, at(cold, turn)))),
    async login(chat: Chat) {
      logins += 1
      const reply = await note('login', ask.login(chat, `visitor-${logins}`))
      if (reply.status === 200)
        (logins % 3 === 0 ? journal.loggedIn : unwanted).push(reply.body.data.authToken)
    },
    async logout(chat: Chat) {
      const token = unwanted.shift()
      if (token === undefined) return
      const reply = await note('logout', ask.logout(chat, token))
      // After a 503 the session may have ended all the same, and then nobody can end it once more.
      if (reply.status === 200 || (reply.status === 401 && tried.has(token)))
        journal.loggedOut.push(token)
      else if (reply.status === 503) unwanted.push(token)
      else journal.wrong.push(`logout of a live session: ${reply.status}`)
      tried.add(token)
    },
    async refresh(chat: Chat, turn: number) {
      const mine = turn % devices
      if (busy.has(mine)) return
      busy.add(mine)
      const reply = await note(
        'refresh',
        ask.refresh(chat, at(journal.devices, mine).refresh_token),
      )
      if (reply.status === 200) journal.devices[mine] = reply.body
      busy.delete(mine)
    },
  }
  const busy = new Set<number>()
  const underWay = new Set<Promise<void>>()
  const round = [
    work.hot,
    work.login,
    work.cold,
    work.refresh,
    work.hot,
    work.logout,
    work.cold,
    work.refresh,
    work.login,
    work.logout,
  ]
  let turn = 0
  const timer = setInterval(() => {
    const job = at(round, turn)
    // Each kind of work comes to both processes.
    const chat = at(chats, turn + Math.floor(turn / round.length))
    const done = job(chat, Math.floor(turn / round.length)).finally(() => underWay.delete(done))
    underWay.add(done)
    turn += 1
  }, 20)

  return {
    journal,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}

async function tokensOf(chat: Chat, name: string, count: number): Promise<string[]> {
  const tokens: string[] = []
  for (let i = 0; i < count; i += 1) tokens.push(await logIn(chat, `${name}-${i}`))
  return tokens
}

function at<T>(list: readonly T[], turn: number): T {
  return list[turn % list.length] as T
}
