import { MS_PER_DAY } from '../../base/utc-day.ts';
import { createDayRules, localDayOf, startOfDay } from '../../base/local-day.ts';
import { newList, under } from '../../base/under.ts';
import type { ZoneOffset } from '../../base/zone-offset.ts';
import { matchTargeting } from '../../targeting/match-targeting.ts';
import { TargetingQuery } from '../../targeting/targeting-query.ts';
import type { SampledRequest } from '../sample/sampled-request.ts';
import { planTraffic, type TrafficHistory } from '../traffic/plan-traffic.ts';
import type { TrafficEvent } from '../traffic/traffic-event.ts';
import { placementFactors, productOf, type PlacementGroup } from './placement-factors.ts';
import type { ReplayedDay } from './run-replay.ts';

export interface ComingDaysOptions {
  readonly nowMs: number;
  /** How many days, today among them. */
  readonly days: number;
  /** The time zone of the publisher. */
  readonly zone: string;
  readonly zoneOffset: ZoneOffset;
  /** In the order of time. */
  readonly sample: readonly SampledRequest[];
  readonly history: TrafficHistory;
  readonly events: readonly TrafficEvent[];
  /** Placements without history, each with the one that it is expected to be like. */
  readonly models: ReadonlyMap<string, string>;
  /** Impressions a day that a replay decides, about. */
  readonly replayedADay: number;
  /** Milliseconds before now that are replayed first. */
  readonly beforeMs: number;
}

const WEEK = 7;
/** Weeks of the sample that come again, the later ones first. */
const MAX_WEEKS = 4;

/**
 * The traffic to come, as days that are replayed. Each day to come is a day of the sample with the same weekday, and with as much traffic of each placement as is planned. Weeks
 * come again in their order, so that visitors who return over days return.
 */
export const comingDays = (options: ComingDaysOptions) => {
  const { nowMs, days: count, zone, zoneOffset, events, models, replayedADay } = options;
  const ruleOf = createDayRules(zoneOffset);
  const dayOf = (ms: number): number => localDayOf(ruleOf(zone, ms), ms);
  const startOf = (day: number): number => startOfDay(ruleOf(zone, nowMs + (day - today) * MS_PER_DAY), day);
  const today = dayOf(nowMs);
  const byDay = sampledByDay(options.sample, dayOf, models);
  const full = fullDays([...byDay.keys()], today);
  const weeks = Math.min(Math.floor(full / WEEK), MAX_WEEKS);
  const cycle = weeks > 0 ? weeks * WEEK : Math.max(full, 1);
  const sourceOf = (ahead: number): number => today - cycle + (ahead % cycle);
  const eventAt = createEventFactor(events);
  const plan = planTraffic({
    ...{ history: options.history, today, days: count, models },
    eventFactor: (placement, day) => meanEventFactor(events, placement, startOf(day), startOf(day + 1)),
  });
  const groups = new Map<number, readonly PlacementGroup[]>();
  const groupsOf = (source: number): readonly PlacementGroup[] => under(groups, source, () => groupsIn(byDay.get(source) ?? []));
  const known = new Map<number, ReadonlyMap<string, number>>();
  const factorsOf = (day: number, source: number): ReadonlyMap<string, number> =>
    under(known, day, () => placementFactors(groupsOf(source), (placement) => plan.expected(placement, day)));
  const expectedADay = [...new Set([...options.history.keys(), ...models.keys()])].reduce(
    (sum, placement) => sum + plan.expected(placement, today),
    0,
  );
  const leastWeight = options.sample.reduce((least, { weight }) => Math.min(least, weight), Infinity);
  /** Impressions of the world for each one of the replay. */
  const scale = Math.max(
    Number.isFinite(leastWeight) ? leastWeight : 1,
    2 ** Math.ceil(Math.log2(Math.max(expectedADay / (1.5 * replayedADay), 1))),
  );

  const dayLike = (day: number, source: number, fromMs: number, untilMs: number, times: number): ReplayedDay => {
    const factors = factorsOf(day, source);
    return {
      ...{ day, fromMs, untilMs },
      requests: byDay.get(source) ?? [],
      shiftMs: startOf(day) - startOf(source),
      weight: (request, atMs) => request.weight * productOf(factors, request.placements) * times * eventAt(request, atMs),
    };
  };
  const asItWas = (day: number): ReplayedDay => ({
    ...{ day, shiftMs: 0, fromMs: nowMs - options.beforeMs, untilMs: nowMs },
    requests: byDay.get(day) ?? [],
    weight: (request) => request.weight,
  });
  return {
    ...{ plan, today, scale },
    /** How far a single day may be off: the standard deviation of the logarithm of its level. */
    spreadOfDay: (daysAhead: number): number => Math.hypot(plan.spread(daysAhead), plan.dayNoise),
    /**
     * The variance of a count that is compared with one of the sample, as a multiple of the count: of the days to come, and of
     * those of the sample, of which each may come several times.
     */
    countNoise: plan.countNoise * (1 + scale * Math.max(count / cycle, 1)),
    /** Impressions that pages asked for are known, and requests are sampled: false: there is nothing to replay. */
    isKnown: full > 0,
    /** `level`: times the traffic that is expected, by how many days ahead it is. */
    days: (level: (daysAhead: number) => number): readonly ReplayedDay[] =>
      Array.from({ length: count }, (_, ahead) => {
        const day = today + ahead;
        return dayLike(day, sourceOf(ahead), ahead === 0 ? nowMs : startOf(day), startOf(day + 1), level(ahead));
      }),
    before: [...byDay.keys()]
      .filter((day) => day <= today && startOf(day + 1) > nowMs - options.beforeMs)
      .sort((a, b) => a - b)
      .map(asItWas),
  };
};

export type ComingDays = ReturnType<typeof comingDays>;

/** Also as requests of the placements that are expected to be like others. */
const sampledByDay = (
  sample: readonly SampledRequest[],
  dayOf: (ms: number) => number,
  models: ReadonlyMap<string, string>,
): ReadonlyMap<number, readonly SampledRequest[]> => {
  const likeOf = new Map<string, string[]>();
  for (const [placement, model] of models) likeOf.set(model, [...(likeOf.get(model) ?? []), placement]);
  const byDay = new Map<number, SampledRequest[]>();
  for (const request of sample) {
    const requests = under(byDay, dayOf(request.atMs), newList<SampledRequest>);
    requests.push(request);
    for (const model of likeOf.size === 0 ? [] : request.placements)
      for (const placement of likeOf.get(model) ?? []) requests.push({ ...request, placements: [placement], sizes: [''] });
  }
  return byDay;
};

/** Whole days without a gap before today. */
const fullDays = (days: readonly number[], today: number): number => {
  const known = new Set(days);
  let full = 0;
  while (known.has(today - full - 1)) full++;
  return full;
};

/** The requests of a day by the placements that they ask for. */
const groupsIn = (requests: readonly SampledRequest[]): readonly PlacementGroup[] => {
  const groups = new Map<string, { placements: readonly string[]; weight: number }>();
  for (const { placements, weight } of requests) {
    const key = placements.join(' ');
    const group = groups.get(key);
    if (group) group.weight += weight;
    else groups.set(key, { placements, weight });
  }
  return [...groups.values()];
};

type EventFactor = (request: SampledRequest, atMs: number) => number;

const createEventFactor = (events: readonly TrafficEvent[]): EventFactor => {
  if (events.length === 0) return () => 1;
  const matching = new WeakMap<SampledRequest, readonly TrafficEvent[]>();
  return (request, atMs) => {
    let found = matching.get(request);
    if (found === undefined) matching.set(request, (found = events.filter((event) => concerns(event, request))));
    return found.reduce((factor, event) => (atMs >= event.fromMs && atMs < event.toMs ? factor * event.factor : factor), 1);
  };
};

const concerns = ({ placements, targeting }: TrafficEvent, request: SampledRequest): boolean =>
  (placements.length === 0 || request.placements.some((placement) => placements.includes(placement))) &&
  (targeting.length === 0 || matchTargeting(targeting, new TargetingQuery(request.pairs)) === undefined);

/** Of past events on whole placements: by how much they multiplied a day. What an event did to a part of a placement is not known. */
const meanEventFactor = (events: readonly TrafficEvent[], placement: string, startMs: number, endMs: number): number =>
  events
    .filter(({ targeting, placements }) => targeting.length === 0 && (placements.length === 0 || placements.includes(placement)))
    .reduce((factor, event) => {
      const part = Math.max(0, Math.min(event.toMs, endMs) - Math.max(event.fromMs, startMs)) / (endMs - startMs);
      return factor * (1 + part * (event.factor - 1));
    }, 1);
