import { readFileSync } from 'node:fs';
import { within } from '../../../base/within.ts';
import type { EventSink, OpenSink, SinkEvent } from '../event-sink.ts';
import { readKafkaUrl } from './kafka-url.ts';

/** What `@platformatic/kafka` runs on. */
const MIN_NODE = [22, 22] as const;
const MAX_EVENTS = 2_000;
/** A request to a broker, and one of a client that finds its brokers away. */
const REQUEST_MS = 15_000;
const CLOSE_MS = 5_000;

const hasNode = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
};

/** A number from a whole number, of which close numbers differ (MurmurHash3's finalizer). */
const mixed = (id: number): number => {
  let hash = id >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** A message is one event as JSON (docs/events/event.schema.json). All of a publisher are in one partition, in order. */
const messageOf = (topic: string, event: SinkEvent) => ({
  topic,
  key: event.token_id,
  value: JSON.stringify(event),
  timestamp: BigInt(event.counted_at.getTime()),
  headers: {
    event_id: event.event_id,
    version: String(event.version),
    kind: event.kind,
    publisher_id: String(event.publisher_id),
    schema: 'event.schema.json',
  },
  metadata: event.publisher_id,
});

/**
 * Writes events to a topic of Kafka by an idempotent producer: acknowledged by all replicas in sync, and not twice by the retries of a
 * request. A batch that is sent again later is there twice: consumers remove repeated events. Kafka cannot be read back or changed.
 */
export const openKafkaSink: OpenSink = async ({ name, url, replica }) => {
  const { topic, brokers, tls, sasl } = readKafkaUrl(url);
  if (!hasNode())
    throw new Error(`The sink ${name} needs Node ${MIN_NODE.join('.')} or later: its Kafka client does. This is ${process.versions.node}.`);
  const { Producer, stringSerializers } = await import('@platformatic/kafka');
  const open = () =>
    new Producer({
      clientId: `ad-server-${replica}`,
      bootstrapBrokers: [...brokers],
      idempotent: true,
      serializers: stringSerializers,
      partitioner: ({ topic: to, metadata: publisherId }, _key, { metadata }) =>
        mixed(publisherId as number) % (metadata?.topics.get(to)?.partitionsCount ?? 1),
      compression: 'gzip',
      autocreateTopics: false,
      // The drain repeats what fails, later and later.
      retries: 1,
      requestTimeout: REQUEST_MS,
      timeout: REQUEST_MS,
      ...(tls && { tls: { ...(tls.caFile && { ca: readFileSync(tls.caFile) }) } }),
      ...(sasl && { sasl }),
    });
  let producer: ReturnType<typeof open> | undefined;
  const discard = async (): Promise<void> => {
    const old = producer;
    producer = undefined;
    await within(
      CLOSE_MS,
      Promise.resolve(old?.close(true)).catch(() => undefined),
      () => undefined,
    );
  };
  /** One request at a time: the numbers that make a producer idempotent follow the order of its requests. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const sink: EventSink = {
    name,
    maxEvents: MAX_EVENTS,
    write: ({ events }, signal) =>
      inTurn(async () => {
        signal.throwIfAborted();
        producer ??= open();
        try {
          await producer.send({ messages: events.map((event) => messageOf(topic, event)) });
        } catch (fault) {
          // Its numbers may be ahead of the broker's.
          await discard();
          throw fault;
        }
      }),
    close: () => inTurn(discard),
  };
  return sink;
};
