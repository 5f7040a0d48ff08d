import { randomUUID } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { asError } from '../base/narrow.ts';
import { IDLE_KEY_TTL_MS } from '../base/utc-day.ts';
import { within } from '../base/within.ts';

/**
 * Announces catalog changes to all replicas and receives their announcements. An announcement is
 * only a hint: its receiver reads Postgres.
 */
export interface ChangeNotices {
  /**
   * Starts listening. `onChange` is called after another replica's announcement, received as a
   * message or found by polling; `onLost` when Redis has lost its data, so that only Postgres knows whether there was one. Resolves once the present version is known, or after a second if
   * Redis does not answer; listening continues in both cases. Never rejects.
   */
  start(onChange: () => void, onLost: () => void): Promise<void>;
  /**
   * Rejects when Redis is unavailable; the other replicas then find the change by polling Postgres.
   */
  announce(): Promise<void>;
  /** Tells the other replicas that Redis has lost data of a scope, and counts anew. Rejects when Redis is unavailable; they find it within seconds. */
  announceEpoch(scope: number): Promise<void>;
  /** Called after another replica's `announceEpoch`. */
  onEpoch: (scope: number) => void;
  close(): Promise<void>;
}

export interface ChangeNoticeOptions {
  /**
   * Makes a new connection, already connecting. Called twice, because a subscribed connection
   * accepts no other commands.
   */
  readonly connect: () => Redis | Cluster;
  /** How the names of the version key and of the channel begin. */
  readonly name?: string;
  /** The longest delay that a lost message causes. */
  readonly pollIntervalMs?: number;
  /** Called when Redis becomes unavailable, once per outage and connection, and when it is back. */
  readonly onAvailability?: (available: boolean, error?: Error) => void;
}

/** The version key begins with it, and so does the channel. */
const CATALOG_CHANNEL = 'adserver:catalog';
const FIRST_ANSWER_MS = 1000;
/** In place of the version. */
const EPOCH = 'epoch';

/** Channels are of the whole server: another database has another one, as it has other keys. */
const channelOf = (name: string, connection: Redis | Cluster): string => {
  const database = 'db' in connection.options ? (connection.options.db ?? 0) : 0;
  return database === 0 ? name : `${name}:${database}`;
};

/**
 * Announcements use Redis pub/sub, which can lose messages. Each announcement therefore also
 * increments a version in Redis, which every replica polls, and reads when its subscription is
 * (re)made.
 */
export const createChangeNotices = ({
  connect,
  name = CATALOG_CHANNEL,
  pollIntervalMs = 2000,
  onAvailability = () => undefined,
}: ChangeNoticeOptions): ChangeNotices => {
  const sender = randomUUID();
  const versionKey = `${name}:version`;
  const commands = connect();
  const subscriber = connect();
  const channel = channelOf(name, subscriber);
  /** The last version that this replica has read; undefined until Redis first answers. */
  let seen: number | undefined;
  let listening = false;
  let closed = false;
  let onChange: () => void = () => undefined;
  let onLost: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let available = true;

  const setAvailable = (now: boolean, error?: Error): void => {
    if (now !== available && !closed) onAvailability(now, error);
    available = now;
  };
  // ioredis emits an event for a lost connection and reconnects; without a listener the event is
  // written to stderr.
  for (const connection of [commands, subscriber]) connection.on('error', (error: Error) => setAvailable(false, error));

  /** A version that is lower than the one before is that of a Redis that has lost data: of an emptied one 0. */
  const poll = async (): Promise<void> => {
    try {
      let before: number | undefined;
      let version: number;
      do {
        before = seen;
        // GETEX is a write: a demoted master refuses it, but would answer GET with an old version.
        version = Number((await commands.getex(versionKey, 'PX', IDLE_KEY_TTL_MS)) ?? 0);
        // A version that became known meanwhile may be newer than this answer, which would look like a change.
      } while (seen !== before);
      const changed = seen !== undefined ? version !== seen : listening;
      const lost = seen !== undefined && version < seen;
      seen = version;
      setAvailable(true);
      if (lost) onLost();
      else if (changed) onChange();
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
      await subscriber.subscribe(channel);
      // Announcements made while there was no subscription show in the version.
      if (listening) await poll();
    } catch (fault) {
      setAvailable(false, asError(fault));
    }
  };

  subscriber.on('message', (_channel: string, message: string) => {
    const [from, version, scope] = message.split(' ');
    if (from === sender || closed) return;
    if (version === EPOCH) return notices.onEpoch(Number(scope));
    // A poll has found this version already, so a reload is running or done.
    if (seen !== undefined && Number(version) <= seen) return;
    seen = Number(version);
    onChange();
  });

  // A demoted master refuses writes, which makes `commands` connect anew, perhaps to another server.
  // It never refuses a subscription, so the subscriber has to follow.
  const follow = (): void => {
    if (subscriber.status === 'ready') subscriber.disconnect(true);
  };

  const notices: ChangeNotices = {
    start: async (...listeners) => {
      [onChange, onLost] = listeners;
      void whenReady(commands).then(() => commands.on('ready', follow));
      subscriber.on('ready', () => void subscribe());
      if (subscriber.status === 'ready') void subscribe();
      await within(FIRST_ANSWER_MS, whenReady(commands).then(poll), () => undefined);
      listening = true;
      if (!closed) pollForever();
    },
    announce: async () => {
      const version = await commands.incr(versionKey);
      // A reload follows our own increment anyway; another replica's increment in between remains a
      // change. At once, because a poll may already be reading this version.
      if (seen !== undefined && version === seen + 1) seen = version;
      await commands.pexpire(versionKey, IDLE_KEY_TTL_MS);
      await commands.publish(channel, `${sender} ${version}`);
    },
    announceEpoch: async (scope) => void (await commands.publish(channel, `${sender} ${EPOCH} ${scope}`)),
    onEpoch: () => undefined,
    close: () => {
      closed = true;
      clearTimeout(timer);
      subscriber.disconnect();
      commands.disconnect();
      return Promise.resolve();
    },
  };
  return notices;
};

const whenReady = (connection: Redis | Cluster): Promise<void> =>
  connection.status === 'ready' ? Promise.resolve() : new Promise((resolve) => connection.once('ready', () => resolve()));
