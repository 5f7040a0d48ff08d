import { randomUUID } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { asError } from '../base/narrow.ts';
import { IDLE_KEY_TTL_MS } from '../base/utc-day.ts';
import { within } from '../base/within.ts';

/** Tells all replicas that the catalog has changed, and hears it from them. Only ever a hint: whoever hears it reads Postgres. */
export interface ChangeNotices {
  /**
   * Starts listening; `onChange` is called after another replica's announcement, whether heard by message or seen by polling. Resolves once
   * the present version is known, or after a second if Redis does not answer; listening goes on either way. Never rejects.
   */
  start(onChange: () => void): Promise<void>;
  /** Rejects when Redis is away: the other replicas then see the change by polling Postgres. */
  announce(): Promise<void>;
  close(): Promise<void>;
}

export interface ChangeNoticeOptions {
  /** Makes a new connection, already connecting; called twice, because a subscribing connection can do nothing else. */
  readonly connect: () => Redis | Cluster;
  /** Name of the version key and of the channel. */
  readonly name?: string;
  /** A lost message costs at most this long. */
  readonly pollIntervalMs?: number;
  /** Called when Redis goes away, once per outage and connection, and when it is back. */
  readonly onAvailability?: (available: boolean, error?: Error) => void;
}

const FIRST_ANSWER_MS = 1000;

/**
 * Announcements go over Redis pub/sub, which may lose them; so each also moves on a version kept in Redis, which every replica polls, and
 * reads again whenever its subscription is (re)made.
 */
export const createChangeNotices = ({
  connect,
  name = 'adserver:catalog',
  pollIntervalMs = 2000,
  onAvailability = () => undefined,
}: ChangeNoticeOptions): ChangeNotices => {
  const sender = randomUUID();
  const versionKey = `${name}:version`;
  const commands = connect();
  const subscriber = connect();
  /** The last version this replica knows of; undefined until Redis has first answered. */
  let seen: number | undefined;
  let listening = false;
  let closed = false;
  let onChange: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let available = true;

  const setAvailable = (now: boolean, error?: Error): void => {
    if (now !== available && !closed) onAvailability(now, error);
    available = now;
  };
  // ioredis reports a lost connection as an event and reconnects by itself; without a listener the event would end up on stderr.
  for (const connection of [commands, subscriber]) connection.on('error', (error: Error) => setAvailable(false, error));

  /** Redis that was emptied answers 0: another version than the one seen, hence a change, which is the safe reading. */
  const poll = async (): Promise<void> => {
    try {
      const version = Number((await commands.get(versionKey)) ?? 0);
      const changed = seen !== undefined ? version !== seen : listening;
      seen = version;
      setAvailable(true);
      if (changed) onChange();
    } catch (fault) {
      setAvailable(false, asError(fault));
    }
  };

  const pollForever = (): void => {
    timer = setTimeout(() => void poll().finally(() => closed || pollForever()), pollIntervalMs);
    timer.unref();
  };

  const subscribe = async (): Promise<void> => {
    try {
      await subscriber.subscribe(name);
      // Whatever was announced while there was no subscription shows in the version.
      if (listening) await poll();
    } catch (fault) {
      setAvailable(false, asError(fault));
    }
  };

  subscriber.on('message', (_channel: string, message: string) => {
    const [from, version] = message.split(' ');
    if (from === sender || closed) return;
    // Known already from a poll: the reload is under way or done.
    if (seen !== undefined && Number(version) <= seen) return;
    seen = Number(version);
    onChange();
  });

  return {
    start: async (listener) => {
      onChange = listener;
      subscriber.on('ready', () => void subscribe());
      if (subscriber.status === 'ready') void subscribe();
      await within(FIRST_ANSWER_MS, whenReady(commands).then(poll), () => undefined);
      listening = true;
      if (!closed) pollForever();
    },
    announce: async () => {
      const version = await commands.incr(versionKey);
      await commands.pexpire(versionKey, IDLE_KEY_TTL_MS);
      // Our own step is no news to us; a step of somebody else in between is.
      if (seen !== undefined && version === seen + 1) seen = version;
      await commands.publish(name, `${sender} ${version}`);
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      subscriber.disconnect();
      commands.disconnect();
      return Promise.resolve();
    },
  };
};

const whenReady = (connection: Redis | Cluster): Promise<void> =>
  connection.status === 'ready' ? Promise.resolve() : new Promise((resolve) => connection.once('ready', () => resolve()));
