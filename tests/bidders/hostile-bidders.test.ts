import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BidOutcome } from '../../src/bidders/bid-outcome.ts';
import type { BidContext } from '../../src/bidders/bidder-port.ts';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import { BID_OUTCOMES } from '../../src/bidders/bid-outcome.ts';
import {
  bidOf,
  context,
  httpBidder,
  invitationTo,
  opportunity,
  outcomeOf,
  rawBidder,
  until,
  watchedBidders,
  type TestBidder,
} from './bidder-fixtures.ts';
import { atEnd } from '../setup/at-end.ts';
import { expectCpuBelow } from '../setup/expect-cpu-below.ts';

const TIMEOUT_MS = 200;
/** The goal is 20 ms; the rest is tolerance for a busy machine. */
const MAX_OVERSHOOT_MS = 60;

interface AnswerCase {
  readonly name: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** What differs from an open request of a page. */
  readonly lineItem?: Partial<LineItem>;
  readonly context?: Partial<BidContext>;
  readonly outcome: BidOutcome;
}

const ANSWERS = JSON.parse(readFileSync(join(__dirname, 'hostile', 'answers.json'), 'utf8')) as readonly AnswerCase[];

const head = (headers: string): string => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}\r\n`;
const drip = (socket: Socket, text: string, everyMs: number): void => {
  let at = 0;
  const timer = setInterval(() => (at < text.length ? socket.write(text.charAt(at++)) : clearInterval(timer)), everyMs);
  socket.on('close', () => clearInterval(timer));
};
const whole = (body: Buffer | string, headers = ''): ((socket: Socket) => void) => {
  const bytes = Buffer.from(body);
  return (socket) => {
    socket.write(head(`content-length: ${bytes.length}\r\n${headers}`));
    socket.write(bytes);
  };
};
const winning = (adm: string): string => JSON.stringify(bidOf({ price: 1, adm }));

/** Hostile behaviours of a server at the socket level. */
const BEHAVIOURS: readonly { readonly name: string; readonly outcome: BidOutcome; readonly handle: (socket: Socket) => void }[] = [
  { name: 'says nothing', outcome: 'timeout', handle: () => undefined },
  { name: 'hangs in the status line', outcome: 'timeout', handle: (socket) => socket.write('HTTP/1.1 20') },
  { name: 'hangs after the headers', outcome: 'timeout', handle: (socket) => socket.write(head('content-length: 100\r\n')) },
  { name: 'hangs in the body', outcome: 'timeout', handle: (socket) => socket.write(head('content-length: 100\r\n') + '{"seatbid":[') },
  { name: 'sends one byte a second', outcome: 'timeout', handle: (socket) => drip(socket, head('content-length: 2\r\n') + '{}', 1_000) },
  {
    name: 'sends a byte of the body every 10 ms',
    outcome: 'timeout',
    handle: (socket) => (socket.write(head('content-length: 9999\r\n')), drip(socket, ' '.repeat(9_999), 10)),
  },
  {
    name: 'sends 1xx answers for ever',
    outcome: 'timeout',
    handle: (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200), 1),
  },
  {
    name: 'sends an endless chunked body of blanks',
    outcome: 'too_large',
    handle: (socket) => {
      socket.write(head('transfer-encoding: chunked\r\n'));
      const timer = setInterval(() => socket.write(`8000\r\n${' '.repeat(0x8000)}\r\n`), 1);
      socket.on('close', () => clearInterval(timer));
    },
  },
  { name: 'sends 10 MB', outcome: 'too_large', handle: whole(Buffer.alloc(10_000_000, 32)) },
  {
    name: 'sends an object of 20,000 members',
    outcome: 'too_large',
    handle: whole(JSON.stringify({ id: '1', ext: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [i, 0])) })),
  },
  { name: 'sends a byte more than 256 KiB', outcome: 'too_large', handle: whole(`{}${' '.repeat(256 * 1024 - 1)}`) },
  {
    name: 'sends a gzip bomb of 50 MB',
    outcome: 'too_large',
    handle: whole(gzipSync(Buffer.alloc(50_000_000, 32)), 'content-encoding: gzip\r\n'),
  },
  {
    name: 'sends gzip that ends early',
    outcome: 'bad_encoding',
    handle: whole(gzipSync('{"seatbid":[]}').subarray(0, 20), 'content-encoding: gzip\r\n'),
  },
  {
    name: 'sends invalid UTF-8',
    outcome: 'bad_encoding',
    handle: whole(Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')])),
  },
  { name: 'sends UTF-16', outcome: 'bad_encoding', handle: whole(Buffer.from('\ufeff{}', 'utf16le')) },
  { name: 'sends 100,000 nested arrays', outcome: 'too_large', handle: whole('['.repeat(100_000) + ']'.repeat(100_000)) },
  {
    name: 'sends 50,000 nested objects in an unused field',
    outcome: 'too_large',
    handle: whole(`{"ext":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`),
  },
  { name: 'sends markup over 64 KiB', outcome: 'markup_too_large', handle: whole(winning('x'.repeat(64 * 1024 + 1))) },
  {
    name: 'sends markup that macros swell over 64 KiB',
    outcome: 'markup_too_large',
    handle: whole(JSON.stringify(bidOf({ price: 1, adid: '\u20ac'.repeat(128), adm: '${AUCTION_AD_ID}'.repeat(3_000) }))),
  },
  {
    name: 'sends markup made to stall a tag scanner',
    outcome: 'not_secure',
    handle: whole(winning(`${'<a '.repeat(10_000)}${'a'.repeat(10_000)}${' '.repeat(10_000)}<img src=http://x>`)),
  },
  { name: 'closes immediately', outcome: 'unreachable', handle: (socket) => socket.destroy() },
  {
    name: 'resets in the body',
    outcome: 'unreachable',
    handle: (socket) => {
      socket.write(head('content-length: 100\r\n') + '{');
      setTimeout(() => socket.resetAndDestroy(), 10);
    },
  },
  {
    name: 'ends before its content length',
    outcome: 'unreachable',
    handle: (socket) => socket.end(head('content-length: 100\r\n') + '{}'),
  },
  { name: 'speaks something else', outcome: 'malformed', handle: (socket) => socket.end('220 mail.example ESMTP\r\n') },
  {
    name: 'sends headers without end',
    outcome: 'malformed',
    handle: (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`),
  },
  {
    name: 'sends two content lengths',
    outcome: 'malformed',
    handle: (socket) => socket.write(head('content-length: 2\r\ncontent-length: 3\r\n') + '{}'),
  },
];

const bodies = new Map(ANSWERS.map((answer, index) => [`/${index}`, answer]));
const faults: unknown[] = [];
const onFault = (fault: unknown): void => void faults.push(fault);
const hurried = watchedBidders({ timeoutMs: TIMEOUT_MS });
/** For answers that are no time-outs, which a busy machine may not hand over before the deadline. */
const patient = watchedBidders();
const servers: TestBidder[] = [];
let answering: TestBidder;
let cases = 0;
let timeOuts = 0;
/** Time-outs that came after the tolerance, by the order of timers. */
let late = 0;

beforeAll(async () => {
  for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) process.on(event, onFault);
  answering = await httpBidder(({ path }, response) => {
    const answer = bodies.get(path);
    response.writeHead(answer?.status ?? 200, answer?.headers);
    response.end(answer?.body);
  });
  servers.push(answering);
  // The first call of a process includes compilation, which is not measured here.
  await hurried.bidders.ask([opportunity([invitationTo(`${answering.url}/none`)])], context);
});

afterAll(async () => {
  await Promise.all([hurried.bidders.close(), patient.bidders.close()]);
  await until(() => servers.every((server) => server.open() === 0), 2_000);
  const left = servers.reduce((sum, server) => sum + server.open(), 0);
  await Promise.all(servers.map((server) => server.close()));
  for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) process.off(event, onFault);
  console.info(`hostile cases ${cases}, time-outs ${timeOuts}, late ${late}, faults ${faults.length}, sockets left ${left}`);
  expect(left).toBe(0);
});

/**
 * Calls one bidder and checks its outcome. A time-out is to come before a timer that is a tolerance longer; what is none takes as much CPU time
 * as the deadline at most. The endpoint is opened for each ask, as some answer a connection once.
 */
const expectOutcome = async (
  openEndpoint: () => Promise<string> | string,
  outcome: BidOutcome,
  asked: Pick<AnswerCase, 'lineItem' | 'context'> = {},
): Promise<void> => {
  const ask = async ({ bidders }: typeof patient): Promise<void> => {
    const invitation = invitationTo(await openEndpoint());
    const invited = { ...invitation, lineItem: { ...invitation.lineItem, ...asked.lineItem } };
    const tolerance = setTimeout(() => {
      if (outcome === 'timeout') late++;
    }, TIMEOUT_MS + MAX_OVERSHOOT_MS);
    const answers = await bidders.ask([opportunity([invited])], { ...context, ...asked.context });
    clearTimeout(tolerance);
    expect(answers.bids).toEqual([]);
    expect(answers.refusals.map(outcomeOf)).toEqual([outcome]);
    expect(answers.refusals[0]).toMatchObject({ reason: BID_OUTCOMES[outcome].reason });
    expect(answers.refusals[0]?.detail).toContain(`seat-non-bid ${BID_OUTCOMES[outcome].seatNonBid}`);
  };
  await (outcome === 'timeout' ? ask(hurried) : expectCpuBelow(TIMEOUT_MS, () => ask(patient)));
  cases++;
  if (outcome === 'timeout') timeOuts++;
  expect([...hurried.seen.errors, ...patient.seen.errors]).toEqual([]);
};

test.each(ANSWERS.map((answer, index) => [answer.name, answer.outcome, index] as const))('answer: %s → %s', async (_, outcome, index) => {
  await expectOutcome(() => `${answering.url}/${index}`, outcome, ANSWERS[index]);
});

test.each(BEHAVIOURS.map(({ name, outcome, handle }) => [name, outcome, handle] as const))(
  'a bidder that %s → %s',
  async (_, outcome, handle) => {
    const open = async (): Promise<string> => {
      const server = await rawBidder(handle);
      servers.push(server);
      return server.url;
    };
    await expectOutcome(open, outcome);
  },
);

test('a bidder with a closed port is unreachable', async () => {
  const gone = await httpBidder(() => undefined);
  await gone.close();
  await expectOutcome(() => gone.url, 'unreachable');
});

test('a name look-up that exceeds the deadline is a timeout', async () => {
  const slow = watchedBidders({ timeoutMs: 100, resolve: () => undefined });
  atEnd(() => slow.bidders.close());
  const { refusals } = await slow.bidders.ask([opportunity([invitationTo('http://bidder.example/')])], context);
  expect(refusals.map(outcomeOf)).toEqual(['timeout']);
});

test('no hostile bidder caused an internal error, a warning or an error log', () => {
  expect(cases).toBeGreaterThanOrEqual(97);
  // A busy machine holds this process in some of them, not in the middle one.
  expect(late).toBeLessThan(timeOuts / 2);
  expect({ faults, errors: [...hurried.seen.errors, ...patient.seen.errors] }).toEqual({ faults: [], errors: [] });
});
