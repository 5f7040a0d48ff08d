import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';
import type { ZoneOffset } from '../../src/base/zone-offset.ts';
import type { Bid, Bidders } from '../../src/bidders/bidder-port.ts';
import { isVideo, type Campaign, type LineItem, type Publisher } from '../../src/catalog/model/entities.ts';
import type { Snapshot, Turn } from '../../src/catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { createOfferedBy } from '../../src/http/openrtb/offered-by.ts';
import type { WireAdRequest } from '../../src/http/openrtb/ad-request-schema.ts';
import type { Asker } from '../../src/http/request/request-context.ts';
import { createAllowances } from '../../src/ledger/allowances/allowances.ts';
import { LOT_RULE } from '../../src/ledger/allowances/lot-rule.ts';
import type { LotReport } from '../../src/ledger/allowances/report-lots.ts';
import { NO_HOLDS } from '../../src/ledger/free-holds.ts';
import type { Hit, Settled, ServedAd } from '../../src/ledger/hit.ts';
import type { LedgerBooks } from '../../src/ledger/books/ledger-books.ts';
import type { LedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import type { Reservation, ReserveRequest } from '../../src/ledger/reservation.ts';
import type { AuctionTerms } from '../../src/decision/ad-query.ts';
import type { AdRequest } from '../../src/serving/ad-request.ts';
import { createSessionCaps } from '../../src/serving/session-caps.ts';
import { createServeAd } from '../../src/serving/serve-ad.ts';
import { targetingQuery, type TargetingQuery } from '../../src/targeting/targeting-query.ts';
import { hitLimits } from '../../src/tracking/hit-limits.ts';
import { createRecordHit, type HitOutcome } from '../../src/tracking/record-hit.ts';
import type { PendingHits } from '../../src/tracking/pending-hits.ts';
import { createTokens } from '../../src/tracking/tokens.ts';
import type { FaultyRedis } from './faulty-redis.ts';
import { filmOf, placementId } from './book-world.ts';
import { STORY_ACTIVITY } from './story-activity.ts';
import type { AdCall, Settings } from './story.ts';

/** The settings with which replicas begin. */
export const FIRST_SETTINGS: Settings = { pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, signingSecret: 0 };
/** Caps of stories are small: at the service's rule no lot would be granted under them. */
const LARGE_LOTS = { ...LOT_RULE, part: 1 / 2, sparePart: 1 / 2, minAds: 1 };
const SECRETS = ['first', 'second'].map((kid) => ({ kid, secret: `the ${kid} secret of every replica of a chaos run` }));

const LACKING: ReadonlySet<NoBidReason> = new Set([NoBidReason.DailyCap, NoBidReason.BudgetSpent, NoBidReason.GoalReached]);

/** An ad that a replica answered with, and what was booked for it in that replica's snapshot. */
export interface Selected {
  readonly ad: ServedAd;
  readonly token: string;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Micros per thousand impressions; null: a direct line item. */
  readonly bidMicros: number | null;
  /** Other than by a call of the ledger, at least in part. */
  readonly fromLots: boolean;
  /** False: served without counters, because the line item has no limits. */
  readonly reserved: boolean;
  /** Its turn in the sequence of its line item; undefined: that is none. */
  readonly turn: Turn | undefined;
  /** Of a video; null: not known, or it is none. */
  readonly durationMs: number | null;
  /** Of its advertiser; null: not known. */
  readonly domain: string | null;
  /** The placements that a roadblock is shown on, in their order; none: it is not one. */
  readonly together: readonly string[];
  readonly companionSet: string | null;
  /** Micros that were held for it when it was kept for its page; undefined: those that it costs now. */
  readonly keptMicros?: number | undefined;
  /** It was, or may have been, kept for a request of another user, who holds the place under frequency caps. */
  readonly hasPlaceOfOther?: boolean;
}

export interface ReplicaOptions {
  readonly client: FaultyRedis;
  readonly keys: LedgerKeys;
  readonly pending: Pick<PendingHits, 'store'>;
  /** undefined: Redis does not lose its data. */
  readonly books: LedgerBooks | undefined;
  readonly tokenTtlMs: number;
  readonly settings: Settings;
  readonly snapshot: () => Snapshot;
  readonly now: () => number;
  readonly newId: () => string;
  readonly random: () => number;
  readonly zoneOffset: ZoneOffset;
  readonly onSettled: (hit: Hit, settled: Settled) => void;
  /** Impressions that were decided without Redis. */
  readonly onLots: (imps: number) => void;
  readonly onFailure: (fault: Error) => void;
}

export interface SelectAnswer {
  readonly ads: readonly Selected[];
  /** An impression was not filled because the client holds too many ads. */
  readonly unearned: boolean;
}

/** The parts of a replica that decide ads and count hits, composed as in src/replica/compose-delivery.ts. */
export interface Replica {
  /** What it has not yet reported of its lots, or Redis has not answered. */
  readonly pending: readonly LotReport[];
  /** Of these: what Redis may have carried out. */
  readonly unanswered: readonly LotReport[];
  /** The line items that the ledger refused it, because nothing of them is left, since this was last asked. */
  lacking(): ReadonlySet<number>;
  /** Reports its lots to the ledger; `all`: it stops. */
  reportLots(all: boolean): Promise<void>;
  select(call: AdCall): Promise<SelectAnswer>;
  /** undefined: the token is not valid (any more) by this replica's clock. */
  track(token: string, hit: Pick<Hit, 'kind' | 'eventType' | 'invalidReason' | 'signals'>): Promise<HitOutcome | undefined>;
}

/** The call of `select` that is being answered. */
const callOf = new AsyncLocalStorage<{ fromLots: boolean }>();

export const createReplica = (options: ReplicaOptions): Replica => {
  const { client, keys, pending, books, tokenTtlMs, settings, snapshot, now, newId, random, zoneOffset, onSettled, onLots, onFailure } =
    options;
  const { redis, link } = client;
  const ledger = createLedger({
    redis,
    link,
    keys,
    tokenTtlMs,
    pid: settings.pid,
    lotRule: LARGE_LOTS,
    activityRule: STORY_ACTIVITY,
    books,
  });
  const lacking = new Set<number>();
  const noteLacking = ({ imps }: ReserveRequest, reservation: Reservation | undefined): Reservation | undefined => {
    reservation?.imps.forEach(({ refused }, i) =>
      refused.forEach((reason, at) => LACKING.has(reason) && lacking.add(imps[i]![at]!.lineItem.id)),
    );
    return reservation;
  };
  const allowances = createAllowances({
    ledger: {
      ...ledger,
      reserve: async (request, onLate) => noteLacking(request, await ledger.reserve(request, onLate)),
    },
    tokenTtlMs,
    enabled: true,
    reserveMs: 60_000,
    isUp: (publisherId) => link.upOf(keys.shardOf(publisherId)),
    now,
    clock: now,
    observe: { decided: (by, imps) => by !== 'ledger' && noteLots(by, imps), granted: () => undefined, returned: () => undefined },
  });
  /** Without Redis, what holds anything is taken from a lot. */
  const noteLots = (by: 'lots' | 'outage', imps: number): void => {
    if (by === 'lots') onLots(imps);
    const call = callOf.getStore();
    if (call) call.fromLots = true;
  };
  const signing = SECRETS.slice(settings.signingSecret);
  const tokens = createTokens({ secrets: [...signing, ...SECRETS.filter((one) => !signing.includes(one))], now });
  /** By the id of the request. */
  const offered = new Map<string, AdCall['bids']>();
  const serveAd = createServeAd({
    bidders: createOfflineBidders((requestId) => offered.get(requestId) ?? {}),
    reserve: allowances.reserve,
    fromLots: allowances.fromLots,
    newId,
    random,
    clock: () => 0,
    onBidsDecided: () => undefined,
    sessionCaps: createSessionCaps(),
    // The ledger counts every hold.
    freeHolds: { ...NO_HOLDS, allows: () => false },
  });
  const recordHit = createRecordHit({
    ledger,
    pending,
    keys,
    hitLimitsOf: (hit) => hitLimits(snapshot(), hit),
    onFallback: () => undefined,
    onFailure,
    onSettled,
  });

  return {
    get pending() {
      return allowances.pending;
    },
    get unanswered() {
      return ledger.unansweredReports();
    },
    lacking: () => {
      const noted = new Set(lacking);
      lacking.clear();
      return noted;
    },
    reportLots: (all) => (all ? allowances.stop() : allowances.report()),
    select: async (call) => {
      // Its row is gone, and with it its key: 401.
      if (!snapshot().publishers.has(call.publisher)) return { ads: [], unearned: false };
      const id = newId();
      offered.set(id, call.bids);
      const about = { fromLots: false };
      const request = adRequest(id, call, snapshot(), now(), zoneOffset);
      const { filled, unfilled } = await callOf.run(about, () => serveAd(snapshot(), request));
      offered.delete(id);
      const ads = filled.map(({ won: { ad, candidate, bid } }) => ({
        ad,
        token: tokens.sign(ad),
        lineItem: candidate.lineItem,
        campaign: candidate.campaign,
        bidMicros: bid?.cpmMicros ?? null,
        fromLots: about.fromLots,
        reserved: ad.holdEndMs !== 0,
        turn: candidate.turn,
        durationMs: bid ? bid.durationMs : isVideo(candidate.creative.content) ? candidate.creative.content.video.durationMs : null,
        domain: bid ? (bid.adomain[0] ?? null) : candidate.creative.advertiserDomain,
        companionSet: candidate.creative.companionSet,
        together: candidate.lineItem.sales.roadblock ? snapshot().placementsOf(candidate.lineItem.id).toSorted() : [],
      }));
      return { ads, unearned: unfilled.some(({ reason }) => reason === NoBidReason.HoldsNotEarned) };
    },
    track: async (token, hit) => {
      const ad = tokens.verify(token);
      return ad && recordHit({ ...hit, ad, atMs: now(), country: null, device: null });
    },
  };
};

const adRequest = (id: string, call: AdCall, snapshot: Snapshot, atMs: number, zoneOffset: ZoneOffset): AdRequest => ({
  id,
  publisher: snapshot.publishers.get(call.publisher)!,
  imps: Array.from({ length: call.imps }, (_, nth) => ({
    impId: String(nth + 1),
    placementId: call.breakMs === null ? placementId(call.publisher, (call.first + nth) % 2) : filmOf(call.publisher),
    width: null,
    height: null,
    otherSizes: [],
    targeting: undefined,
    terms: call.breakMs === null ? undefined : termsOf(call.imps, call.breakMs, nth),
  })),
  query: {
    targeting: queryOf(call.visitor, snapshot.publishers.get(call.publisher)!, atMs, zoneOffset),
    atMs,
    mayRemember: call.user !== null,
  },
  userHash: call.user,
  sessionUser: null,
  consent: { remember: call.user === null ? 'gdpr_without_consent' : null, measure: null, profile: null, shareWith: () => null },
  client: call.client ?? undefined,
  // Unknown but for the network.
  seal: call.network === null ? undefined : `0${call.network}....`,
  visitor: { country: null, device: null, browser: null },
  bidContext: { requestId: id } as AdRequest['bidContext'],
  pageView: call.view ?? undefined,
  pagePlacements: call.namesPage ? [0, 1].map((nth) => placementId(call.publisher, nth)) : [],
  hasSegments: false,
  maxHoldMs: undefined,
  traced: false,
});

/** What a request offers to targeting, read as the door of the service does (src/http/openrtb/to-ad-request.ts). */
const queryOf = (
  { country, language, keyValues, utcOffset }: AdCall['visitor'],
  { timeZone }: Publisher,
  atMs: number,
  zoneOffset: ZoneOffset,
): TargetingQuery => {
  const device = { ...(language !== null && { langb: language }), ...(utcOffset !== null && { geo: { utcoffset: utcOffset } }) };
  const offeredBy = createOfferedBy({
    wire: { device } as unknown as WireAdRequest,
    req: { get: () => undefined } as unknown as Request,
    visitor: { browser: null, os: null } as Asker['visitor'],
    profile: null,
    atMs,
    offsetMs: (ms) => zoneOffset(timeZone, ms),
  });
  return targetingQuery(new Map(), { country }, keyValues, offeredBy);
};

/** Of one impression of a break, from 0. */
const termsOf = (slots: number, maxMs: number, nth: number): AuctionTerms => ({
  floorMicros: 0,
  deals: undefined,
  formats: ['video', 'audio'],
  native: undefined,
  pod: { id: '1', name: 'break', impId: '1', maxMs, slot: nth + 1, slots },
  disclosed: false,
  selfDisclosed: false,
  blocked: undefined,
  battr: [],
});

const createOfflineBidders = (bidsOf: (requestId: string) => AdCall['bids']): Pick<Bidders, 'ask'> => ({
  ask: (opportunities, { requestId }) => {
    const offered = bidsOf(requestId);
    const bids = opportunities.flatMap(({ impId, placement, invitations, pod }) =>
      invitations.flatMap((invitation): Bid[] => {
        const cpmMicros = offered[invitation.lineItem.id];
        if (cpmMicros === undefined) return [];
        const bid = bidOf(impId, placement.id, invitation, cpmMicros);
        return [pod ? { ...bid, ...videoOf(cpmMicros + pod.slot) } : bid];
      }),
    );
    return Promise.resolve({ bids, refusals: [] });
  },
});

/** What a bid says of its video: often its advertiser, which others have too, and its length. */
const videoOf = (chance: number): Pick<Bid, 'adomain' | 'durationMs'> => ({
  adomain: chance % 3 === 0 ? [] : [chance % 3 === 1 ? 'tea.example' : `brand-${chance % 5}.example`],
  durationMs: chance % 4 === 0 ? null : (chance % 4) * 5_000,
});

const bidOf = (impId: string, placementId: string, invitation: Bid['invitation'], cpmMicros: number): Bid => ({
  impId,
  placementId,
  invitation,
  cpmMicros,
  bidId: `bid-${invitation.lineItem.id}`,
  adm: '<b>ad</b>',
  tag: null,
  deal: '',
  adomain: [],
  cat: [],
  cattax: 1,
  dsa: undefined,
  width: null,
  height: null,
  durationMs: null,
  winNoticeUrl: null,
  billingNoticeUrl: null,
  lossNoticeUrl: null,
  foreignNotices: [],
  bidder: `bidder-${invitation.lineItem.id}`,
});
