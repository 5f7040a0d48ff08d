import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/embedded/free-port.ts';
import { startProcess, type Process } from '../../testkit/start-process.ts';
import { untilTrue } from '../../testkit/until.ts';

const VERSION = '4.1.0';
const CLUSTER = 'MkU3OEVBNTcwNTJENDM2Qk';
const MAX_OUTPUT = 1024 * 1024 * 1024;
const HEAP = ['-Xmx512m', '-Xms256m'];

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ad-server</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>${VERSION}</version></dependency>
  </dependencies>
</project>`;

/** A broker with one topic, and Kafka's own reader of it. */
export interface Kafka {
  readonly version: string;
  readonly port: number;
  /** SIGKILL; the topic stays on disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** The values of all messages of the topic, by Kafka's console consumer. */
  readAll(): Promise<readonly string[]>;
}

export interface KafkaOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly topic: string;
  readonly partitions: number;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** Starts Kafka without ZooKeeper, from its jars. @throws where there is no Java or Maven */
export const startKafka = async ({ folder, topic, partitions }: KafkaOptions): Promise<Kafka> => {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'pom.xml'), POM);
  await promisify(execFile)('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=libs'], { cwd: folder });
  const [port, controller] = [await freePort(), await freePort()];
  const properties = path.join(folder, 'server.properties');
  const settings = {
    ...{ 'process.roles': 'broker,controller', 'node.id': 1, 'controller.quorum.voters': `1@127.0.0.1:${controller}` },
    ...{ listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`, 'controller.listener.names': 'CONTROLLER' },
    ...{ 'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT', 'log.dirs': path.join(folder, 'logs') },
    ...{ 'offsets.topic.replication.factor': 1, 'transaction.state.log.replication.factor': 1, 'transaction.state.log.min.isr': 1 },
    'group.initial.rebalance.delay.ms': 0,
  };
  await writeFile(
    properties,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const command = (main: string, ...args: readonly string[]) => [...HEAP, '-cp', path.join(folder, 'libs', '*'), main, ...args];
  const java = async (main: string, ...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)('java', command(main, ...args), { maxBuffer: MAX_OUTPUT })).stdout;
  await java('kafka.tools.StorageTool', 'format', '-t', CLUSTER, '-c', properties);
  let broker: Process | undefined;
  const start = async (): Promise<void> => {
    broker = await startProcess({ command: ['java', ...command('kafka.Kafka', properties)] });
    if ((await untilTrue(() => isOpen(port), 120_000, 200)) === undefined) throw new Error(`Kafka does not start:\n${broker.output()}`);
  };
  await start();
  const server = ['--bootstrap-server', `127.0.0.1:${port}`];
  await java('org.apache.kafka.tools.TopicCommand', ...server, '--create', '--topic', topic, '--partitions', String(partitions));
  return {
    version: VERSION,
    port,
    start,
    kill: async () => broker?.end('SIGKILL'),
    readAll: async () => {
      const read = await java(
        'org.apache.kafka.tools.consumer.ConsoleConsumer',
        ...[...server, '--topic', topic, '--from-beginning', '--timeout-ms', '20000'],
      );
      return read.split('\n').filter((line) => line !== '');
    },
  };
};
