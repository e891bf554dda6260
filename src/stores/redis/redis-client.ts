/** What is used of a client of node-redis (`createClient`, `createCluster`). */
export interface NodeRedisClient {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  publish(channel: string, message: string): Promise<unknown>
  duplicate(): NodeRedisSubscriber
}

/** What is used of a connection of node-redis that only listens. */
export interface NodeRedisSubscriber {
  on(event: 'error', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  destroy(): void
}

/** What is used of a client of ioredis (`Redis`, `Cluster`). */
export interface IoredisClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  publish(channel: string, message: string): Promise<unknown>
  duplicate(): IoredisSubscriber
}

/** What is used of a connection of ioredis that only listens. */
export interface IoredisSubscriber {
  readonly status: string
  on(event: string, listener: (...values: unknown[]) => void): unknown
  connect(): Promise<unknown>
  subscribe(channel: string): Promise<unknown>
  disconnect(): void
}

/** The host's connected client: of node-redis or ioredis, for one server or a cluster. */
export type RedisClient = NodeRedisClient | IoredisClient
