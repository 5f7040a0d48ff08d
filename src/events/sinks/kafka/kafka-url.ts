import path from 'node:path';

/** The mechanisms of SASL, as a URL names them. */
const MECHANISMS = { plain: 'PLAIN', 'scram-sha-256': 'SCRAM-SHA-256', 'scram-sha-512': 'SCRAM-SHA-512' } as const;
type Mechanism = (typeof MECHANISMS)[keyof typeof MECHANISMS];

export interface KafkaAddress {
  readonly topic: string;
  /** `?decisions=`: the topic of sampled decisions; undefined: it gets none. */
  readonly decisionsTopic: string | undefined;
  /** host:port. */
  readonly brokers: readonly string[];
  readonly tls: { readonly caFile: string | undefined } | undefined;
  readonly sasl: { readonly mechanism: Mechanism; readonly username: string; readonly password: string } | undefined;
}

const PORT = '9092';
const TOPIC = /^[A-Za-z0-9._-]{1,249}$/;

/**
 * `kafka://user:password@host:9092/topic?brokers=host2:9092,host3:9092&tls=true&ca=/file&sasl=scram-sha-512`.
 *
 * @throws when it is wrong; the message has no credentials
 */
export const readKafkaUrl = (url: URL): KafkaAddress => {
  const topic = decodeURIComponent(url.pathname.slice(1));
  if (url.hostname === '' || !TOPIC.test(topic)) throw new Error('A Kafka sink is kafka://host:9092/topic.');
  const query = url.searchParams;
  const decisionsTopic = query.get('decisions') ?? undefined;
  if (decisionsTopic !== undefined && !TOPIC.test(decisionsTopic)) throw new Error('decisions of a Kafka sink is a topic.');
  const others = (query.get('brokers') ?? '').split(',').filter((broker) => broker !== '');
  const brokers = [url.host, ...others].map((broker) => (/:\d+$/.test(broker) ? broker : `${broker}:${PORT}`));
  const mechanism = query.get('sasl') ?? 'scram-sha-512';
  if (!Object.hasOwn(MECHANISMS, mechanism)) throw new Error(`sasl of a Kafka sink is ${Object.keys(MECHANISMS).join(', ')}.`);
  const caFile = query.get('ca');
  return {
    topic,
    decisionsTopic,
    brokers,
    tls: query.get('tls') === 'true' || caFile !== null ? { caFile: caFile === null ? undefined : path.resolve(caFile) } : undefined,
    sasl:
      url.username === ''
        ? undefined
        : {
            mechanism: MECHANISMS[mechanism as keyof typeof MECHANISMS],
            username: decodeURIComponent(url.username),
            password: decodeURIComponent(url.password),
          },
  };
};
