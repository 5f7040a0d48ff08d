/** The process id of the server that a client is connected to. */
export const redisPid = async (redis: { info(section: string): Promise<string> }): Promise<number> =>
  Number(/^process_id:(\d+)/m.exec(await redis.info('server'))?.[1]);
