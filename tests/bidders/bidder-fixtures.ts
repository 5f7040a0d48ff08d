import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { BID_OUTCOME_NAMES, describeOutcome, type BidOutcome } from '../../src/bidders/bid-outcome.ts';
import type { BidderObserver } from '../../src/bidders/bidder-observer.ts';
import type { BidContext, BidOpportunity, BidRefusal } from '../../src/bidders/bidder-port.ts';
import { createBidders, type BiddersOptions } from '../../src/bidders/create-bidders.ts';
import { USD_ONLY } from '../../src/bidders/currency-rates.ts';
import type { Booking, CreativeContent } from '../../src/catalog/model/entities.ts';
import { NO_SIGNALS } from '../../src/context/consent/privacy-signals.ts';
import {
  sampleBlocked,
  sampleBlockedAdvertisers,
  sampleCampaign,
  sampleCreative,
  sampleLineItem,
  samplePrivacy,
} from '../../testkit/sample-booking.ts';

const flight = { startMs: 0, endMs: 4_102_444_800_000 };

export const context: BidContext = {
  requestId: 'r1',
  publisher: {
    id: 7,
    name: 'Daily',
    domain: 'daily.example',
    origins: new Set(),
    privacy: samplePrivacy,
    blocked: sampleBlocked,
    reviveZoneId: null,
    blockedAdvertisers: sampleBlockedAdvertisers,
    onePerAdvertiser: false,
    dynamicAllocation: false,
    timeZone: 'UTC',
    currency: 'USD',
    archived: false,
    apiKeyHash: 'secret-hash',
  },
  userHash: 'u-hash',
  userAgent: 'Mozilla/5.0 (Linux; Android 14) Mobile',
  ip: '198.51.100.7',
  country: 'DE',
  device: 'mobile',
  pageUrl: 'https://daily.example/news',
  signals: { ...NO_SIGNALS, gdpr: true, consent: 'CONSENT', usPrivacy: '1YNN' },
  bidders: new Map(),
  dsa: undefined,
  blocked: undefined,
  schain: undefined,
  test: false,
  shareWith: () => null,
};

export const invitationTo = (
  endpoint: string | null,
  lineItemId = 1,
  content: CreativeContent = { format: 'html', markup: '' },
): Booking => ({
  lineItem: sampleLineItem({
    id: lineItemId,
    publisherId: 7,
    name: `line item ${lineItemId}`,
    type: 'programmatic',
    flight,
    cpmMicros: 99_000_000,
    budgetMicros: 123_456_789,
    endpoint,
  }),
  campaign: sampleCampaign({ publisherId: 7, name: 'secret campaign', flight }),
  creative: sampleCreative(lineItemId, { id: lineItemId * 10, content }),
});

export const nativeContent: CreativeContent = { format: 'native', assets: {} };

export const opportunity = (invitations: readonly Booking[], impId = 'imp-1'): BidOpportunity => ({
  impId,
  placement: {
    id: 'top',
    publisherId: 7,
    width: 300,
    height: 250,
    formats: ['html', 'native'],
    floorMicros: 0,
    video: null,
    blockedAdvertisers: sampleBlockedAdvertisers,
    archived: false,
  },
  width: 300,
  otherSizes: [],
  floorMicros: 0,
  height: 250,
  invitations,
});

export interface Seen {
  readonly calls: BidOutcome[];
  readonly bids: BidOutcome[];
  readonly circuits: string[];
  /** Those of a deal or a placement under its name and the step. */
  readonly steps: Record<string, number>;
  readonly shares: number[];
  readonly notices: string[];
  readonly errors: unknown[];
}

/** Bidders that record their notifications. */
export const watchedBidders = (options: Partial<BiddersOptions> = {}) => {
  const seen: Seen = { calls: [], bids: [], circuits: [], steps: {}, shares: [], notices: [], errors: [] };
  const count = (step: string, times = 1): number => (seen.steps[step] = (seen.steps[step] ?? 0) + times);
  const observe: BidderObserver = {
    call: (outcome) => seen.calls.push(outcome),
    bid: (outcome) => seen.bids.push(outcome),
    circuit: (endpoint, state) => seen.circuits.push(`${endpoint} ${state ?? 'gone'}`),
    step: (_, step, times) => count(step, times),
    impression: ({ bidderId, placementId, dealId }, step) =>
      count(dealId === undefined ? `placement ${placementId} ${step}` : `deal ${dealId} of ${bidderId} ${step}`),
    askedShare: (_, share) => seen.shares.push(share),
    notice: (kind, outcome) => seen.notices.push(`${kind} ${outcome}`),
  };
  const bidders = createBidders({
    // Longer than a busy machine takes: a test of time-outs sets its own.
    timeoutMs: 2_000,
    allowPrivateAddresses: true,
    rateOf: USD_ONLY,
    openHeader: () => undefined,
    observe,
    log: { info: () => undefined, error: (_, fields) => seen.errors.push(fields) },
    ...options,
  });
  return { bidders, seen };
};

export interface TestBidder {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** Connections accepted since the start. */
  readonly accepted: () => number;
  /** Connections open now. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

const listen = async (server: Server | ReturnType<typeof createTcpServer>): Promise<TestBidder> => {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted: () => accepted,
    open: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export interface ReceivedRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export const httpBidder = (handle: (request: ReceivedRequest, response: ServerResponse) => void): Promise<TestBidder> =>
  listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () =>
        handle(
          { path: request.url ?? '', method: request.method ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() },
          response,
        ),
      );
    }),
  );

/** A bidder that handles the raw socket after the first bytes have arrived. */
export const rawBidder = (handle: (socket: Socket) => void): Promise<TestBidder> =>
  listen(createTcpServer((socket) => socket.once('data', () => handle(socket))));

export const answerJson = (response: ServerResponse, body: unknown): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
};

/** The outcome of a refusal; its message and codes are unique per outcome, and the words of the bidder follow them. */
export const outcomeOf = ({ detail }: BidRefusal): BidOutcome | undefined =>
  BID_OUTCOME_NAMES.find((outcome) => detail === describeOutcome(outcome) || detail.startsWith(`${describeOutcome(outcome)}: `));

export const bidOf = (bid: object): object => ({
  id: 'a',
  cur: 'USD',
  seatbid: [{ seat: 's1', bid: [{ id: 'b1', impid: 'imp-1', ...bid }] }],
});

export const until = async (holds: () => boolean, withinMs = 5_000): Promise<void> => {
  const end = performance.now() + withinMs;
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
};
