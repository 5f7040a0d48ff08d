import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { createDayRules, localDayOf, startOfDay } from '../base/local-day.ts';
import { dateOfDay, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../base/utc-day.ts';
import { createZoneOffset } from '../base/zone-offset.ts';
import { createCatalogBuilder } from '../catalog/snapshot/build-catalog.ts';
import { openSnapshot, type OpenedSnapshot } from '../catalog/snapshot/open-snapshot.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { createCatalogStore } from '../catalog/postgres/catalog-store.ts';
import type { PidGains } from '../config/settings.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { answerReplayed, answerSampled } from './answer-forecast.ts';
import { answerAvailability } from './availability/answer-availability.ts';
import type { Availability, AvailabilityQuestion } from './availability/availability.ts';
import type { KnownTraffic } from './availability/cut-availability.ts';
import type { Baseline } from './asked-forecast.ts';
import type { ForecastAnswer } from './forecast-answer.ts';
import { createMatchLineItem } from './match-line-item.ts';
import { readFollowed } from './read-followed.ts';
import { readSold } from './read-sold.ts';
import { EXTENTS, readEvents, readInputs, type ForecastInputs } from './read-inputs.ts';
import { comingDays } from './replay/coming-days.ts';
import { createKeptReplays, type KeptReplays } from './replay/kept-replays.ts';
import { predict, type PredictOptions } from './replay/predict.ts';
import { createReplayRequest, type ReplayRequest } from './replay/replayed-request.ts';
import { FORECAST_DAYS } from './forecast-days.ts';
import { findShort, type ShortLineItem } from './short-line-items.ts';
import { withDraft, type Draft } from './with-draft.ts';

/** A question about one line item. */
export interface ForecastQuestion {
  readonly publisherId: number;
  readonly nowMs: number;
  /** An existing one; undefined: the draft. */
  readonly lineItemId: number | undefined;
  readonly draft: Draft | undefined;
  /** Placements without history by the name of each, and the one that it is expected to be like. */
  readonly models: Readonly<Record<string, string>>;
}

export interface ForecastProgress {
  /** From the sample alone. */
  readonly onSampled: (answer: ForecastAnswer) => void;
  /** The part that is done, 0 to 1. Rejects to end the work. */
  readonly onPause: (done: number) => Promise<void>;
}

export interface ForecasterOptions {
  readonly knex: Knex;
  readonly dimensions: DimensionSchema;
  readonly pid: PidGains;
  readonly tokenTtlMs: number;
}

const REPLAYED_A_DAY = 50_000;
/** Before now, for the places of visitors under frequency caps. */
const BEFORE_MS = 3 * MS_PER_DAY;
const SEED = 20_261_127;
/**
 * How long what was read of the sample and of counts is used. Replays have one moment of the day in common, so that they differ by
 * bookings alone, and what did not change is not replayed again.
 */
const INPUTS_MS: Readonly<Record<Extent, number>> = { estimate: 10 * MS_PER_MINUTE, replay: 2 * MS_PER_HOUR };
const MAX_PUBLISHERS = 2;
/** Line items that fall short and are stored: what would help each takes a part of a second. */
const MAX_SHORT = 100;

type Extent = keyof typeof EXTENTS;

interface KeptInputs {
  readonly readAtMs: number;
  readonly today: number;
  readonly inputs: ForecastInputs;
  /** Made from them. */
  readonly replays: KeptReplays;
}

interface KeptBaseline {
  readonly made: Baseline;
  readonly from: KeptInputs;
}

/** Reads, replays and keeps what can be kept. One question at a time. */
export const createForecaster = ({ knex, dimensions, pid, tokenTtlMs }: ForecasterOptions) => {
  const store = createCatalogStore({ knex });
  const builder = createCatalogBuilder({ dimensions });
  const zoneOffset = createZoneOffset();
  const ruleOf = createDayRules(zoneOffset);
  const inputsOf = new Map<string, KeptInputs>();
  const baselines = new Map<number, KeptBaseline>();
  let opened: OpenedSnapshot | undefined;

  const load = async (nowMs: number, draft: Draft | undefined): Promise<Snapshot> => {
    opened = openSnapshot(await store.readAll((reading) => builder.build(withDraft(reading, draft), nowMs)), opened);
    return opened.snapshot;
  };
  const todayOf = (zone: string, nowMs: number): number => localDayOf(ruleOf(zone, nowMs), nowMs);
  const read = async (publisherId: number, nowMs: number, today: number, extent: Extent): Promise<KeptInputs> => {
    const key = `${publisherId} ${extent}`;
    const kept = inputsOf.get(key);
    const isFresh = kept?.today === today && nowMs - kept.readAtMs < INPUTS_MS[extent];
    // What staff note is known with the next question.
    if (isFresh && isDeepStrictEqual(kept.inputs.events, await readEvents(knex, publisherId, kept.readAtMs))) return kept;
    const inputs = await readInputs(knex, publisherId, nowMs, today, EXTENTS[extent]);
    const found: KeptInputs = { readAtMs: nowMs, today, inputs, replays: createKeptReplays() };
    if (inputsOf.size >= MAX_PUBLISHERS * Object.keys(EXTENTS).length) inputsOf.clear();
    // Without requests the next question looks again.
    if (inputs.sample.length > 0) inputsOf.set(key, found);
    return found;
  };
  const zoneOf = (snapshot: Snapshot, publisherId: number): string => {
    const publisher = snapshot.publishers.get(publisherId);
    if (!publisher) throw new Error(`publisher ${publisherId} is not loaded`);
    return publisher.timeZone;
  };

  const optionsOf = async (
    snapshot: Snapshot,
    { publisherId, nowMs, models }: Pick<ForecastQuestion, 'publisherId' | 'nowMs' | 'models'>,
    extent: Extent = 'replay',
  ) => {
    const zone = zoneOf(snapshot, publisherId);
    const kept = await read(publisherId, nowMs, todayOf(zone, nowMs), extent);
    const options = {
      ...kept.inputs,
      ...{ snapshot, publisherId, zone, zoneOffset, pid, tokenTtlMs, days: FORECAST_DAYS },
      nowMs: extent === 'replay' ? kept.readAtMs : nowMs,
      models: new Map(Object.entries(models)),
      replayedADay: REPLAYED_A_DAY,
      beforeMs: BEFORE_MS,
      ...{ seed: SEED, kept: kept.replays },
    } satisfies Omit<PredictOptions, 'pause'>;
    return { options, from: kept };
  };

  const baseline = async (publisherId: number, nowMs: number, pause: (done: number) => Promise<void>): Promise<Baseline> => {
    const snapshot = await load(nowMs, undefined);
    const { options, from } = await optionsOf(snapshot, { publisherId, nowMs, models: {} });
    const kept = baselines.get(publisherId);
    if (kept?.made.version === snapshot.version && kept.from === from) return kept.made;
    const prediction = await predict({ ...options, pause });
    const made: Baseline = { version: snapshot.version, prediction, ...prediction.sold, widening: options.widening };
    if (baselines.size >= MAX_PUBLISHERS) baselines.clear();
    baselines.set(publisherId, { made, from });
    return made;
  };

  const toRequestOf = (snapshot: Snapshot, publisherId: number, zone: string): ReplayRequest =>
    createReplayRequest(snapshot.publishers.get(publisherId)!, (atMs) => zoneOffset(zone, atMs));
  const knownTraffic = async ({ publisherId, nowMs }: AvailabilityQuestion): Promise<KnownTraffic> => {
    const snapshot = await load(nowMs, undefined);
    const zone = zoneOf(snapshot, publisherId);
    const { inputs } = await read(publisherId, nowMs, todayOf(zone, nowMs), 'estimate');
    return { snapshot, sample: inputs.sample, toRequest: toRequestOf(snapshot, publisherId, zone) };
  };

  /** The days to come of a publisher. */
  const trafficOf = async (snapshot: Snapshot, question: Pick<ForecastQuestion, 'publisherId' | 'nowMs' | 'models'>, extent: Extent) => {
    const { options } = await optionsOf(snapshot, question, extent);
    const coming = comingDays(options);
    if (!coming.isKnown) throw new NothingKnown();
    const toRequest = toRequestOf(snapshot, question.publisherId, options.zone);
    return { snapshot, publisherId: question.publisherId, coming, toRequest, options, dateOf: dateOfDay };
  };
  const askOf = async (traffic: Awaited<ReturnType<typeof trafficOf>>, lineItemId: number, draft?: Draft) => ({
    ...traffic,
    lineItemId,
    followed: await readFollowed(knex, lineItemId, draft),
    matches: createMatchLineItem(traffic.snapshot, traffic.publisherId, lineItemId),
  });

  const short = async (publisherId: number, nowMs: number, pause: (done: number) => Promise<void>): Promise<readonly ShortLineItem[]> => {
    const before = await baseline(publisherId, nowMs, pause);
    const snapshot = await load(nowMs, undefined);
    const traffic = await trafficOf(snapshot, { publisherId, nowMs, models: {} }, 'estimate');
    const { coming, options } = traffic;
    const untilMs = startOfDay(ruleOf(options.zone, nowMs), coming.today + FORECAST_DAYS);
    const found = findShort({ ...{ snapshot, publisherId, nowMs, untilMs, started: options.started }, prediction: before.prediction });
    const helped: ShortLineItem[] = [];
    for (const one of found.slice(0, MAX_SHORT)) {
      await pause(1);
      if (one.lacksCreative) {
        helped.push(one);
        continue;
      }
      const asked = await askOf(traffic, one.lineItemId);
      const [remedy] = answerReplayed({ ...asked, before, after: before.prediction }).remedies;
      helped.push({ ...one, remedy: remedy ?? null });
    }
    return helped;
  };

  /** What the sample alone says, with what is known of the last replay. */
  const estimate = async (question: ForecastQuestion): Promise<ForecastAnswer> => {
    const traffic = await trafficOf(await load(question.nowMs, question.draft), question, 'estimate');
    const sold = baselines.get(question.publisherId)?.made ?? (await readSold(knex, question.publisherId));
    return answerSampled({ ...(await askOf(traffic, lineItemOf(question), question.draft)), baseline: sold });
  };

  return {
    /** What all bookings of a publisher deliver; where none has changed it is kept for two hours. */
    baseline,
    /** Of its line items, those that are expected to fall short, with what would help. */
    short,
    /** What the sample alone says. It may be asked while another question pauses. Rejects as `answer` does. */
    sample: estimate,
    /** What is sold of a part of the traffic, by the last replay that is stored. It may be asked while another question pauses. */
    availability: (question: AvailabilityQuestion): Promise<Availability> =>
      answerAvailability(knex, question, () => knownTraffic(question)),
    /** Rejects when Postgres is unavailable, there is nothing to forecast from, or a pause rejects. */
    answer: async (question: ForecastQuestion, { onSampled, onPause }: ForecastProgress): Promise<ForecastAnswer> => {
      const { publisherId, nowMs, draft } = question;
      onSampled(await estimate(question));
      await onPause(0);
      const traffic = await trafficOf(await load(nowMs, draft), question, 'replay');
      const asked = await askOf(traffic, lineItemOf(question), draft);
      const { options } = traffic;
      const isDraft = draft !== undefined;
      const before = await baseline(publisherId, nowMs, (done) => onPause(done * (isDraft ? 0.5 : 1)));
      if (!isDraft) return answerReplayed({ ...asked, before, after: before.prediction });
      const withIt = await load(nowMs, draft);
      const after = await predict({ ...options, snapshot: withIt, pause: (done) => onPause(0.5 + done / 2) });
      return answerReplayed({ ...asked, snapshot: withIt, before, after });
    },
  };
};

/** The id that a question is about: a booking, or what is drafted. */
const lineItemOf = ({ lineItemId, draft }: ForecastQuestion): number => lineItemId ?? draft?.lineItemId ?? 0;

/** There is no whole day of the sample yet. */
export class NothingKnown extends Error {
  constructor() {
    super('Nothing is known of the traffic yet: the first whole day of requests has not ended');
  }
}
