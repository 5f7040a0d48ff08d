import { readKafkaUrl } from '../../../src/events/sinks/kafka/kafka-url.ts';

// Messages are written to Kafka, by TLS and SCRAM, in `npm run prove -- --only sinks` and `decisions`.

test.each([
  [
    'kafka://broker/ad-events',
    { topic: 'ad-events', decisionsTopic: undefined, brokers: ['broker:9092'], tls: undefined, sasl: undefined },
  ],
  [
    'kafka://ads:p%40ss@one:9093/ad-events?brokers=two:9094,three&tls=true&decisions=ad-decisions',
    {
      ...{ topic: 'ad-events', decisionsTopic: 'ad-decisions', brokers: ['one:9093', 'two:9094', 'three:9092'] },
      ...{ tls: { caFile: undefined }, sasl: { mechanism: 'SCRAM-SHA-512', username: 'ads', password: 'p@ss' } },
    },
  ],
  [
    'kafka://ads:secret@one/ad-events?sasl=plain&ca=/etc/ca.pem',
    {
      ...{ topic: 'ad-events', decisionsTopic: undefined, brokers: ['one:9092'], tls: { caFile: '/etc/ca.pem' } },
      ...{ sasl: { mechanism: 'PLAIN', username: 'ads', password: 'secret' } },
    },
  ],
])('%s names brokers, topics and how to sign in', (url, address) => {
  expect(readKafkaUrl(new URL(url))).toEqual(address);
});

test.each([
  ['kafka://ads:secret@one/', 'is kafka://host:9092/topic'],
  ['kafka://ads:secret@one/a%20topic', 'is kafka://host:9092/topic'],
  ['kafka://ads:secret@one/ad-events?decisions=a/b', 'decisions of a Kafka sink is a topic'],
  ['kafka://ads:secret@one/ad-events?sasl=gssapi', 'sasl of a Kafka sink is plain, scram-sha-256, scram-sha-512'],
])('%s is refused, and not repeated', (url, detail) => {
  let message = '';
  try {
    readKafkaUrl(new URL(url));
  } catch (fault) {
    ({ message } = fault as Error);
  }
  expect(message).toContain(detail);
  expect(message).not.toContain('secret');
});
