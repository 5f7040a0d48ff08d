import { setImmediate as otherProofs } from 'node:timers/promises';
import { createZoneOffset } from '../../src/base/zone-offset.ts';
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { borrowTargeting } from '../../src/forecast/replay/borrow-targeting.ts';
import { comingDays } from '../../src/forecast/replay/coming-days.ts';
import { predict, type Prediction, type PredictOptions } from '../../src/forecast/replay/predict.ts';
import { runReplay, type ReplayResult } from '../../src/forecast/replay/run-replay.ts';
import type { TrafficEvent } from '../../src/forecast/traffic/traffic-event.ts';
import { bookCatalog, type BookedCatalog } from '../../testkit/invented-site/bookings.ts';
import { createLife, EVENT } from '../../testkit/invented-site/life.ts';
import { createLivedSite } from '../../testkit/invented-site/lived-site.ts';
import { requestOf } from '../../testkit/invented-site/visits.ts';
import { blinded, withoutTrend, type Blindness } from './blindness.ts';
import { createWorld, type Delivered } from './play.ts';

export interface BackTestOptions {
  readonly redisUrl: string;
  readonly seed: number;
  readonly viewsADay: number;
  readonly lineItems: number;
  /** Of the sample: one visitor in so many. */
  readonly sampleWeight: number;
  readonly say: (line: string) => void;
}

export interface BackTest {
  readonly catalog: BookedCatalog;
  readonly delivered: Delivered;
  readonly forecast: (withDraft: boolean) => Promise<Prediction>;
  /** What a forecast that does not know a rule expects in the middle. */
  readonly middleWithout: (rule: Blindness) => Promise<ReplayResult>;
  /** How far the requests for the placements of the event are off on its day. */
  readonly eventError: (rule?: Blindness) => Promise<number>;
  readonly firstDay: number;
  /** Impressions that pages asked for in the days that are forecast, by placement. */
  readonly asked: ReadonlyMap<string, number>;
  readonly seconds: { readonly played: number };
}

/** A Monday. */
const START_MS = Date.UTC(2026, 2, 2);
const ZONE = 'UTC';
export const HISTORY_DAYS = 14;
export const FORECAST_DAYS = 14;
const PID = { kp: 0.3, ki: 0.05, kd: 0.1 };
const TOKEN_TTL_MS = 30 * MS_PER_MINUTE;
const RENDER_RATE = 0.85;
const CLICK_RATE = 0.001;

/** Four weeks of life: the forecast is made after two of them, and the other two are played. */
export const backTest = async (options: BackTestOptions): Promise<BackTest> => {
  const { redisUrl, seed, viewsADay, lineItems, say } = options;
  const life = createLife({ seed, startMs: START_MS, viewsADay });
  const catalog = bookCatalog({ life, seed: seed + 1, startMs: START_MS, lineItems, impressionsADay: viewsADay * 1.6, zone: ZONE });
  const world = await createWorld({
    ...{
      redisUrl,
      replicas: 3,
      seed: seed + 2,
      tokenTtlMs: TOKEN_TTL_MS,
      pid: PID,
      renderRate: RENDER_RATE,
    },
  });
  const { note, sample, history, snapshotAt } = createLivedSite(options.sampleWeight);
  const firstDay = START_MS / MS_PER_DAY;
  let known = await snapshotAt(catalog.rows, START_MS);

  const asked = new Map<string, number>();
  const ofEvent = new Set(life.places.filter(({ section }) => section === EVENT.section).map(({ id }) => id));
  let askedAtEvent = 0;
  const begunAt = performance.now();
  const delivered = (): Delivered => new Map([...world.delivered].map(([id, days]) => [id, new Map(days)]));
  let before: Delivered = new Map();
  for (let day = 0; day < HISTORY_DAYS + FORECAST_DAYS; day++) {
    const dayMs = START_MS + day * MS_PER_DAY;
    known = await snapshotAt(catalog.rows, dayMs);
    const publisher = known.publishers.get(1)!;
    const requests = life.dayOf(day).map((view) => requestOf(publisher, view));
    for (const request of requests) {
      if (day < HISTORY_DAYS) note(request);
      else for (const { placementId } of request.imps) asked.set(placementId, (asked.get(placementId) ?? 0) + 1);
      if (day === EVENT.day && ofEvent.has(request.imps[0]!.placementId)) askedAtEvent++;
    }
    await world.play(known, requests, dayMs, dayMs + MS_PER_DAY);
    if (day === HISTORY_DAYS - 1) before = delivered();
    if (day % 7 === 6)
      say(`  day ${day + 1}: ${[...world.delivered.values()].reduce((sum, days) => sum + total(days), 0)} impressions delivered`);
  }
  const played = (performance.now() - begunAt) / 1000;
  await world.close();
  const nowMs = START_MS + HISTORY_DAYS * MS_PER_DAY;
  const borrowed = borrowTargeting(sample);

  const optionsOf = async (blind: Blindness | undefined, withDraft: boolean): Promise<PredictOptions> => {
    const snapshot = await snapshotAt(blinded(catalog, blind, withDraft), nowMs);
    return {
      ...{ snapshot, publisherId: 1, nowMs, days: FORECAST_DAYS, zone: ZONE, zoneOffset: createZoneOffset() },
      sample: borrowed,
      history: blind === 'trend' ? withoutTrend(history) : history,
      events: blind === 'event' ? [] : [knownEvent([...ofEvent])],
      models: new Map(),
      replayedADay: 50_000,
      beforeMs: 7 * MS_PER_DAY,
      started: startedOf(before, snapshot),
      rates: { renderRate: () => RENDER_RATE, clickRate: () => CLICK_RATE, viewableRate: () => 0.6, isViewKnown: false },
      pid: PID,
      tokenTtlMs: TOKEN_TTL_MS,
      seed: seed + 77,
      pause: () => otherProofs(),
    };
  };
  const forecast = async (withDraft: boolean): Promise<Prediction> => predict(await optionsOf(undefined, withDraft));
  const eventError = async (rule?: Blindness): Promise<number> => {
    const { requests, shiftMs, weight } = comingDays(await optionsOf(rule, true)).days(() => 1)[EVENT.day - HISTORY_DAYS]!;
    const concerned = requests.filter(({ placements }) => ofEvent.has(placements[0]!));
    return Math.abs(concerned.reduce((sum, request) => sum + weight(request, request.atMs + shiftMs), 0) / askedAtEvent - 1);
  };
  const middleWithout = async (rule: Blindness): Promise<ReplayResult> => {
    const blind = await optionsOf(rule, true);
    const { before: days, scale, ...coming } = comingDays(blind);
    const offsetMs = (atMs: number): number => blind.zoneOffset(ZONE, atMs);
    return runReplay({ ...blind, before: days, scale, offsetMs, days: coming.days(() => 1) });
  };
  return {
    asked,
    catalog,
    delivered: delivered(),
    forecast,
    middleWithout,
    eventError,
    firstDay: firstDay + HISTORY_DAYS,
    seconds: { played },
  };
};

const total = (days: ReadonlyMap<number, number>): number => [...days.values()].reduce((sum, count) => sum + count, 0);

const knownEvent = (placements: readonly string[]): TrafficEvent => ({
  name: 'election night',
  fromMs: START_MS + EVENT.day * MS_PER_DAY + EVENT.fromHour * MS_PER_HOUR,
  toMs: START_MS + EVENT.day * MS_PER_DAY + EVENT.toHour * MS_PER_HOUR,
  factor: EVENT.factor,
  placements,
  targeting: [],
});

const startedOf = (delivered: Delivered, { lineItems }: Snapshot) => {
  const campaigns = new Map<number, { impressions: number; micros: number }>();
  const started = [...delivered].map(([id, days]) => {
    const lineItem = lineItems.get(id);
    const impressions = total(days);
    const micros = (impressions * (lineItem?.cpmMicros ?? 0)) / 1000;
    const campaign = campaigns.get(lineItem?.campaignId ?? 0) ?? { impressions: 0, micros: 0 };
    campaigns.set(lineItem?.campaignId ?? 0, { impressions: campaign.impressions + impressions, micros: campaign.micros + micros });
    return { account: `l${id}`, todayImpressions: 0, todayMicros: 0, impressions, clicks: 0, micros };
  });
  return [
    ...started,
    ...[...campaigns].map(([id, sums]) => ({ account: `c${id}`, todayImpressions: 0, todayMicros: 0, clicks: 0, ...sums })),
  ];
};
