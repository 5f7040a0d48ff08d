import type { Publisher } from '../../catalog/model/entities.ts';
import { CREATIVE_FORMATS } from '../../catalog/model/choices.ts';
import type { Consent } from '../../context/consent/consent.ts';
import type { AdSize, AuctionTerms } from '../../decision/ad-query.ts';
import type { AdRequest, RequestedImp } from '../../serving/ad-request.ts';
import { TargetingQuery, type OfferedBy } from '../../targeting/targeting-query.ts';
import { hashOfPair } from '../../targeting/pair-table.ts';
import { ASKED_KINDS, nameOfAsked, pairOf, type AskedKind } from '../../targeting/targeting-rules.ts';
import { HALF_HOUR_MS, halfHourAt, hoursOffered } from '../../targeting/week-hours.ts';
import type { SampledRequest } from '../sample/sampled-request.ts';
import type { Arrival } from './arrivals.ts';

/** What is read of a sampled request once, for all its replays. */
interface Prepared {
  readonly pairs: readonly string[];
  readonly hashes: readonly number[];
  readonly asked: ReadonlyMap<AskedKind, readonly string[]>;
  readonly imps: readonly RequestedImp[];
}

const ALLOWED: Consent = { remember: null, measure: null, profile: null, shareWith: () => null };
const UNKNOWN = { country: null, device: null, browser: null };

export type ReplayRequest = (arrival: Omit<Arrival, 'seed'>) => AdRequest;

/**
 * Makes ad requests of sampled ones, for the decision that serves real ones.
 *
 * @param offsetMs how far the clock of the publisher is before UTC
 */
export const createReplayRequest = (publisher: Publisher, offsetMs: (atMs: number) => number): ReplayRequest => {
  const prepared = new WeakMap<SampledRequest, Prepared>();
  return ({ request, atMs, copy }) => {
    let known = prepared.get(request);
    if (known === undefined) prepared.set(request, (known = prepare(request)));
    const { pairs, hashes, asked, imps } = known;
    const { visitor, visitorOffset, isRemembered, pageView } = request;
    const offeredBy: OfferedBy = (kind) => {
      if (kind !== 'schedule') return asked.get(kind) ?? [];
      const offset = offsetMs(atMs);
      const ofVisitor = visitorOffset === null ? offset : visitorOffset * HALF_HOUR_MS;
      return [...hoursOffered('publisher', halfHourAt(atMs, offset)), ...hoursOffered('visitor', halfHourAt(atMs, ofVisitor))];
    };
    const name = copy === 0 ? visitor : `${visitor}#${copy}`;
    return {
      id: '',
      publisher,
      imps,
      query: { targeting: new TargetingQuery(pairs, offeredBy, hashes), atMs, mayRemember: isRemembered },
      userHash: isRemembered && visitor !== '' ? name : null,
      sessionUser: null,
      consent: ALLOWED,
      pageView: pageView === 0 ? undefined : `${name} ${pageView}`,
      pagePlacements: [],
      hasSegments: false,
      client: undefined,
      seal: undefined,
      // No bidder is asked.
      bidContext: undefined as never,
      visitor: UNKNOWN,
      maxHoldMs: undefined,
      traced: false,
    };
  };
};

const prepare = (request: SampledRequest): Prepared => {
  const asked = new Map<AskedKind, string[]>();
  const pairs: string[] = [];
  for (const pair of request.pairs) {
    const kind = ASKED_KINDS.find((one) => pair.startsWith(pairOf(one, nameOfAsked(one), '')));
    if (kind === undefined) pairs.push(pair);
    else asked.set(kind, [...(asked.get(kind) ?? []), pair.slice(pairOf(kind, nameOfAsked(kind), '').length)]);
  }
  const terms = request.floorMicros === null ? undefined : termsOf(request.floorMicros);
  const imps = request.placements.map((placementId, i): RequestedImp => {
    const [size, ...otherSizes] = sizesIn(request.sizes[i] ?? '');
    return { impId: String(i), placementId, ...(size ?? { width: null, height: null }), otherSizes, targeting: undefined, terms };
  });
  return { pairs, hashes: pairs.map(hashOfPair), asked, imps };
};

const sizesIn = (text: string): readonly AdSize[] =>
  text === ''
    ? []
    : text.split(',').map((size) => {
        const [width = 0, height = 0] = size.split('x').map(Number);
        return { width, height };
      });

/** Of what an auction asks, the sample has its floor. */
const termsOf = (floorMicros: number): AuctionTerms => ({
  floorMicros,
  deals: undefined,
  formats: CREATIVE_FORMATS,
  native: undefined,
  disclosed: false,
  selfDisclosed: false,
  blocked: undefined,
  battr: [],
});
