import { hash } from 'node:crypto';
import type { AdRequest, RequestedImp } from '../../serving/ad-request.ts';
import { ASKED_KINDS } from '../../targeting/targeting-rules.ts';
import type { TargetingQuery } from '../../targeting/targeting-query.ts';
import { halfHourAt, HALF_HOURS_A_WEEK } from '../../targeting/week-hours.ts';
import { samplePseudonym, type SampledRequest } from './sampled-request.ts';

/** Characters of a seal that say the browser and the network of a visitor, and not the page. */
const VISITOR_OF_SEAL = 6;
/** Pairs that are kept of a request. */
const MAX_PAIRS = 100;
/** What is counted of a visitor that may not be measured. */
const COUNTED = /^(countries|devices)\d/;

/**
 * A request as it is kept: as one row, or one for each impression that has key-values of its own. Private auctions, which only
 * deals answer, are not kept.
 */
export const sampleRequest = (request: AdRequest, weight: number, userHashKey: string): readonly SampledRequest[] => {
  const { publisher, query, userHash, seal, consent, pageView, imps } = request;
  const isMeasured = consent.measure === null;
  const known = userHash ?? seal?.slice(0, VISITOR_OF_SEAL);
  const visitor = isMeasured && known !== undefined ? samplePseudonym(userHashKey, publisher.id, known) : '';
  const named = visitor !== '';
  const rowOf = (some: readonly RequestedImp[], targeting: TargetingQuery): SampledRequest => ({
    publisherId: publisher.id,
    atMs: query.atMs,
    weight,
    visitor,
    pageView: named && pageView !== undefined ? pageNumber(pageView) : 0,
    isRemembered: named && query.mayRemember,
    floorMicros: some[0]?.terms?.floorMicros ?? null,
    visitorOffset: named ? offsetOf(targeting, query.atMs) : null,
    placements: some.map(({ placementId }) => placementId),
    sizes: some.map(sizesOf),
    pairs: pairsOf(targeting, named),
  });
  const open = imps.filter(({ terms }) => terms?.deals === undefined && terms?.floorMicros !== Infinity);
  const alike = open.filter(({ targeting, terms }) => targeting === undefined && terms === undefined);
  const others = open.filter(({ targeting, terms }) => targeting !== undefined || terms !== undefined);
  const rows = others.map((imp) => rowOf([imp], imp.targeting ?? query.targeting));
  return alike.length === 0 ? rows : [rowOf(alike, query.targeting), ...rows];
};

const pairsOf = (targeting: TargetingQuery, named: boolean): readonly string[] => {
  if (!named) return targeting.pairs.filter((pair) => COUNTED.test(pair));
  const asked = ASKED_KINDS.filter((kind) => kind !== 'schedule').flatMap((kind) => targeting.ask(kind).pairs);
  return [...targeting.pairs, ...asked].slice(0, MAX_PAIRS);
};

const sizesOf = ({ width, height, otherSizes }: RequestedImp): string =>
  width === null && height === null
    ? ''
    : [{ width, height }, ...otherSizes].map((size) => `${size.width ?? ''}x${size.height ?? ''}`).join(',');

/** 31 bits of the name of a page view, which is the publisher's. */
const pageNumber = (pageView: string): number => Number.parseInt(hash('sha256', pageView, 'hex').slice(0, 8), 16) >>> 1 || 1;

/** From the half hours of the week that it offers: that of the visitor, against UTC. */
const offsetOf = (targeting: TargetingQuery, atMs: number): number | null => {
  const half = targeting
    .offered('schedule', 'hour')
    .map((value) => /^v(\d+)\.([01])$/.exec(value))
    .find((found) => found !== null);
  if (!half) return null;
  const ahead = 2 * Number(half[1]) + Number(half[2]) - halfHourAt(atMs, 0);
  return ((ahead + 1.5 * HALF_HOURS_A_WEEK) % HALF_HOURS_A_WEEK) - HALF_HOURS_A_WEEK / 2;
};
