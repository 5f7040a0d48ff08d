import type { Chance } from '../../testkit/chance.ts';
import {
  changesOf,
  describeMessage,
  describeValue,
  pickOf,
  rareValue,
  writeMessage,
  writeValue,
  type Message,
  type Value,
} from './message.ts';

/**
 * Whose budget a request has: staff are known by the admin token, operators by their network. A
 * bidder's is that of its answer, to a request that does not change.
 */
export const ROLES = ['stranger', 'staff', 'operator', 'bidder'] as const;
export type Role = (typeof ROLES)[number];

/** A request from which others are bred. */
export interface Gene extends Message {
  readonly endpoint: string;
  readonly role: Role;
  /** Its answer is a file or a creative, whose size the service does not choose. */
  readonly carriesFiles: boolean;
  readonly method: string;
  /** `{7..9}` is another number in each request: 7, 8, 9, 7, … */
  readonly path: string;
  readonly query: readonly (readonly [string, Value])[];
  readonly maxBodyLength: number;
  /** What a bidder answers to it. */
  readonly bid: BidderAnswer | undefined;
}

export interface BidderAnswer extends Message {
  readonly status: number;
}

/** A request without parameters and body, but for what `rest` adds. */
export const createGene = (method: string, path: string, rest: Partial<Gene> = {}): Gene => ({
  endpoint: `${method} ${path}`,
  role: 'stranger',
  carriesFiles: false,
  method,
  path,
  query: [],
  headers: [],
  body: undefined,
  encoding: 'identity',
  framing: 'length',
  maxBodyLength: rest.role === 'staff' ? MAX_STAFF_BODY_LENGTH : MAX_PUBLIC_BODY_LENGTH,
  bid: undefined,
  ...rest,
});

/** Just within the limits of the service: 64 KiB, 512 KiB under /api. */
const MAX_PUBLIC_BODY_LENGTH = 65_000;
const MAX_STAFF_BODY_LENGTH = 520_000;

/** The request, and what its bidder answers. `replay` makes both differ from others of the same gene. */
export const writeGene = (gene: Gene, replay: number): { readonly request: Buffer; readonly bid: Buffer | undefined } => {
  const { method, path, query, maxBodyLength, bid } = gene;
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(writeValue(value, replay))}`).join('&');
  const target = `${pathOf(path, replay)}${search === '' ? '' : `?${search}`}`;
  return {
    request: writeMessage([`${method} ${target} HTTP/1.1`, 'Host: localhost'], gene, replay, maxBodyLength),
    bid: bid && writeMessage([`HTTP/1.1 ${bid.status} Answer`], bid, replay, MAX_BID_LENGTH),
  };
};

/** The service reads no more than 256 KiB. */
const MAX_BID_LENGTH = 260_000;

const pathOf = (path: string, replay: number): string =>
  path.replace(/\{(\d+)\.\.(\d+)\}/, (_, first: string, last: string) =>
    String(Number(first) + (replay % (Number(last) - Number(first) + 1))),
  );

/** Every header that the service or its libraries read: of requests, and of bidders' answers. */
export const HEADERS = [
  'X-Forwarded-For',
  'User-Agent',
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'Origin',
  'Sec-Fetch-Site',
  'Sec-Purpose',
  'Purpose',
  'X-Moz',
  'Sec-GPC',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'Range',
  'Accept',
  'Accept-Encoding',
  'Cookie',
  'Referer',
  'Expect',
];
const BIDDER_HEADERS = ['Content-Type', 'Content-Encoding', 'Transfer-Encoding', 'Keep-Alive', 'Location', 'Set-Cookie', 'X-Any'];
const BIDDER_STATUSES = [200, 200, 200, 204, 302, 500];

/** Changes one to three parts of a request, or of what its bidder answers. */
export const mutateGene = (gene: Gene, chance: Chance): Gene => {
  let bred = gene;
  for (let changes = 1 + Math.floor(chance() * 3); changes > 0; changes--) bred = mutateOnce(bred, chance);
  return bred;
};

const mutateOnce = (gene: Gene, chance: Chance): Gene => {
  const { query, bid } = gene;
  if (bid) {
    const otherStatus = (): BidderAnswer => ({ ...bid, status: pickOf(BIDDER_STATUSES, chance) });
    return { ...gene, bid: pickOf([...changesOf(bid, chance, BIDDER_HEADERS), otherStatus], chance)() };
  }
  const at = Math.floor(chance() * query.length);
  const ofQuery = query.map(() => () => ({
    ...gene,
    query: query.map((given, i) => (i === at ? ([given[0], rareValue(chance)] as const) : given)),
  }));
  return pickOf<() => Gene>([...ofQuery, ...changesOf(gene, chance, HEADERS)], chance)();
};

/** A request in one line: what a reader needs to send it again. */
export const describeGene = (gene: Gene): string =>
  [
    `${gene.method} ${gene.path}`,
    ...gene.query.map(([name, given]) => `?${name}=${describeValue(given)}`),
    ...(gene.bid ? [`bidder ${gene.bid.status}`, ...describeMessage(gene.bid)] : describeMessage(gene)),
  ].join(', ');
