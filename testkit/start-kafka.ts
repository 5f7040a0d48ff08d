import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../src/embedded/free-port.ts';
import { startProcess, type Process } from './start-process.ts';
import { untilTrue } from './until.ts';

const VERSION = '4.1.0';
const CLUSTER = 'MkU3OEVBNTcwNTJENDM2Qk';
/** Starts in half the time that the best code of Java would need. */
const JAVA = ['-Xmx512m', '-Xms256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
/** On a busy machine. */
const START_MS = 600_000;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ad-server</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>${VERSION}</version></dependency>
  </dependencies>
</project>`;

/** A broker, and Kafka's own reader of its topics. */
export interface Kafka {
  readonly version: string;
  /** Without TLS and users. */
  readonly port: number;
  /** `kafka://user:password@host:port/topic?…` of the listener with TLS and SCRAM-SHA-512. */
  urlOf(topic: string): string;
  /** Of the broker that runs. */
  pid(): number;
  /** SIGKILL; the topic stays on disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Writes the values of all messages of a topic to a file, a line each, by Kafka's console consumer. */
  readAll(topic: string, file: string): Promise<void>;
}

export interface KafkaOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly topics: readonly string[];
  /** Of each. */
  readonly partitions: number;
}

const USER = { name: 'ads', password: 'a secret of the proof' } as const;
/** SCRAM has the user in the metadata of the cluster. */
const SCRAM = `SCRAM-SHA-512=[name=${USER.name},password=${USER.password}]`;

/** A certificate for localhost with its key, in one file as Kafka reads it, and alone, as a client does. */
const writeCertificate = async (folder: string): Promise<{ readonly keystore: string; readonly ca: string }> => {
  const [key, ca, keystore] = ['key.pem', 'ca.pem', 'keystore.pem'].map((name) => path.join(folder, name)) as [string, string, string];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    ca,
    ...subject,
  ]);
  await writeFile(keystore, `${await readFile(key, 'utf8')}${await readFile(ca, 'utf8')}`);
  return { keystore, ca };
};

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** Starts Kafka without ZooKeeper, from its jars. @throws where there is no Java or Maven */
export const startKafka = async ({ folder, topics, partitions }: KafkaOptions): Promise<Kafka> => {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'pom.xml'), POM);
  await promisify(execFile)('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=libs'], { cwd: folder });
  const [port, secure, controller] = [await freePort(), await freePort(), await freePort()];
  const { keystore, ca } = await writeCertificate(folder);
  const properties = path.join(folder, 'server.properties');
  const settings = {
    ...{ 'process.roles': 'broker,controller', 'node.id': 1, 'controller.quorum.voters': `1@127.0.0.1:${controller}` },
    listeners: `PLAINTEXT://127.0.0.1:${port},SECURE://127.0.0.1:${secure},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},SECURE://localhost:${secure}`,
    ...{ 'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT' },
    ...{ 'controller.listener.names': 'CONTROLLER', 'log.dirs': path.join(folder, 'logs') },
    ...{ 'listener.name.secure.ssl.keystore.type': 'PEM', 'listener.name.secure.ssl.keystore.location': keystore },
    ...{ 'sasl.enabled.mechanisms': 'SCRAM-SHA-512', 'listener.name.secure.sasl.enabled.mechanisms': 'SCRAM-SHA-512' },
    'listener.name.secure.scram-sha-512.sasl.jaas.config': 'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    ...{ 'offsets.topic.replication.factor': 1, 'transaction.state.log.replication.factor': 1, 'transaction.state.log.min.isr': 1 },
    'group.initial.rebalance.delay.ms': 0,
  };
  await writeFile(
    properties,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const command = (main: string, ...args: readonly string[]) => [...JAVA, '-cp', path.join(folder, 'libs', '*'), main, ...args];
  const java = async (main: string, ...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)('java', command(main, ...args))).stdout;
  await java('kafka.tools.StorageTool', 'format', '-t', CLUSTER, '-c', properties, '--add-scram', SCRAM);
  let broker: Process | undefined;
  const start = async (): Promise<void> => {
    broker = await startProcess({ command: ['java', ...command('kafka.Kafka', properties)] });
    if ((await untilTrue(() => isOpen(port), START_MS, 200)) === undefined) throw new Error(`Kafka does not start:\n${broker.output()}`);
  };
  await start();
  const server = ['--bootstrap-server', `127.0.0.1:${port}`];
  for (const topic of topics)
    await java('org.apache.kafka.tools.TopicCommand', ...server, '--create', '--topic', topic, '--partitions', String(partitions));
  return {
    version: VERSION,
    port,
    urlOf: (topic) =>
      `kafka://${USER.name}:${encodeURIComponent(USER.password)}@localhost:${secure}/${topic}?sasl=scram-sha-512&ca=${encodeURIComponent(ca)}`,
    pid: () => broker!.pid,
    start,
    kill: async () => broker?.end('SIGKILL'),
    readAll: async (topic, file) => {
      const reading = [...server, '--topic', topic, '--from-beginning', '--timeout-ms', '20000'];
      const output = await open(file, 'w');
      const consumer = spawn('java', command('org.apache.kafka.tools.consumer.ConsoleConsumer', ...reading), {
        stdio: ['ignore', output.fd, 'ignore'],
      });
      try {
        await once(consumer, 'exit');
      } finally {
        await output.close();
      }
    },
  };
};

const hasProgram = (name: string, flag: string): boolean => spawnSync(name, [flag]).status === 0;

/** Whether there are Java, Maven and a Node that the client of Kafka runs on. */
export const hasKafka = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return (major > 22 || (major === 22 && minor >= 22)) && hasProgram('java', '-version') && hasProgram('mvn', '-v');
};
