import { readFileSync } from 'node:fs';
import { within } from '../../../base/within.ts';
import type { DecisionRow } from '../../decisions/decision-columns.ts';
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

/**
 * A message is one event as JSON (docs/events/event.schema.json). All of a publisher are in one partition, in order. Its time is that of
 * the write: Kafka would delete an old event that is handed over late.
 */
const messageOf = (topic: string, partitions: number, event: SinkEvent) => ({
  topic,
  partition: mixed(event.publisher_id) % partitions,
  key: event.token_id,
  value: JSON.stringify(event),
  headers: {
    event_id: event.event_id,
    version: String(event.version),
    kind: event.kind,
    publisher_id: String(event.publisher_id),
    schema: 'event.schema.json',
  },
});

type Message = Readonly<Omit<ReturnType<typeof messageOf>, 'headers'>> & { readonly headers: Record<string, string> };

/** As the message of an event, without an order: a decision is of one partition as its publisher is. */
const decisionMessageOf = (topic: string, partitions: number, row: DecisionRow): Message => ({
  topic,
  partition: mixed(row.publisher_id) % partitions,
  key: String(row.publisher_id),
  value: JSON.stringify(row),
  headers: { publisher_id: String(row.publisher_id), schema: 'decision.schema.json' },
});

/**
 * Writes events to a topic of Kafka by an idempotent producer: acknowledged by all replicas in sync, and not twice by the retries of a
 * request. A batch that is sent again later is there twice: consumers remove repeated events. Kafka cannot be read back or changed.
 */
export const openKafkaSink: OpenSink = async ({ name, url, replica }) => {
  const { topic, decisionsTopic, brokers, tls, sasl } = readKafkaUrl(url);
  if (!hasNode())
    throw new Error(`The sink ${name} needs Node ${MIN_NODE.join('.')} or later: its Kafka client does. This is ${process.versions.node}.`);
  const { Producer, stringSerializers } = await import('@platformatic/kafka');
  const open = () =>
    new Producer({
      clientId: `ad-server-${replica}`,
      bootstrapBrokers: [...brokers],
      idempotent: true,
      serializers: stringSerializers,
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
  const send = <Row>(
    to: string,
    rows: readonly Row[],
    toMessage: (to: string, partitions: number, row: Row) => Message,
    signal: AbortSignal,
  ) =>
    inTurn(async () => {
      signal.throwIfAborted();
      producer ??= open();
      try {
        // Kept by the client, and read again when it is old. The client's own partitioner has none before the first request.
        const { topics } = await producer.metadata({ topics: [to] });
        const partitions = topics.get(to)!.partitionsCount;
        await producer.send({ messages: rows.map((row) => toMessage(to, partitions, row)) });
      } catch (fault) {
        // Its numbers may be ahead of the broker's.
        await discard();
        throw fault;
      }
    });
  const sink: EventSink = {
    name,
    maxEvents: MAX_EVENTS,
    write: ({ events }, signal) => send(topic, events, messageOf, signal),
    ...(decisionsTopic !== undefined && { writeDecisions: (rows, signal) => send(decisionsTopic, rows, decisionMessageOf, signal) }),
    close: () => inTurn(discard),
  };
  return sink;
};
