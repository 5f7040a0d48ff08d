import type { Knex } from 'knex';
import { daySpan, localDayOf, UTC_DAYS, type DayRule } from '../base/local-day.ts';
import { MS_PER_DAY, MS_PER_HOUR } from '../base/utc-day.ts';
import { flightOf } from '../catalog/model/flight-dates.ts';
import { frequencyCapsOf } from '../catalog/model/frequency-caps.ts';
import { goalsOf } from '../catalog/model/goals.ts';
import { amountFromMicros } from '../catalog/model/money.ts';
import type { CampaignRecord } from '../catalog/entities/campaign.ts';
import type { LineItemRecord } from '../catalog/entities/line-item.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { curveAt, dayTraffic, trafficInHours, type DayTraffic } from '../catalog/snapshot/traffic-curve.ts';
import { createDeliveryHistory, type DeliveryHistory, type StoredDay } from '../events/postgres/delivery-history.ts';
import type { HourlyRefusals, RefusalStore } from '../events/postgres/refusal-store.ts';
import { pricingOf } from '../catalog/model/pricing.ts';
import type { DayCounts } from '../ledger/read/read-accounts.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import { createEntityReader, type EntityReader } from '../bookings/entity-reader.ts';
import type { FilteredCounts } from '../ledger/read/read-filtered.ts';
import type { ListedLineItem, ReadListed } from './status/read-statuses.ts';
import type { DayFigures, Delivery, Figures } from './delivery.ts';
import { goalCourses } from './goal-course.ts';
import { loadedLineItem, type LoadedLineItem } from './loaded-line-item.ts';
import { filteredOf, grossOf, provisionalOf, withoutProvisional } from '../reports/record-report/report-columns.ts';
import { shareGot } from './share-got.ts';
import { readCounters, type Counters, type CountersSource } from './read-counters.ts';

export interface ReadDeliveryOptions extends CountersSource {
  readonly knex: Knex;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly readListed: ReadListed;
  readonly refusalStore: Pick<RefusalStore, 'read'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const DAYS_SHOWN = 14;
/** Of the share of voice that it got. */
const DAYS_OF_SHARE = 7;

/**
 * How a line item delivers: today and yesterday from the ledger, the past from Postgres. Resolves
 * to undefined when the line item does not exist; rejects when Postgres is away.
 */
export const createReadDelivery = (options: ReadDeliveryOptions): ((id: number) => Promise<Delivery | undefined>) => {
  const reader = createEntityReader({ knex: options.knex });
  const history = createDeliveryHistory({ knex: options.knex });

  return async (id) => {
    const records = await readRecords(reader, id);
    if (!records) return undefined;
    const snapshot = options.currentSnapshot();
    const atMs = options.now();
    const loaded = loadedLineItem(snapshot, id);
    const counters = loaded && (await readCounters(options, loaded, atMs));
    const days = loaded?.snapshot.daysOf(loaded.lineItem.publisherId, atMs) ?? UTC_DAYS;
    const stored = await readHistory(history, records, counters?.account?.day ?? localDayOf(days, atMs), { days, atMs });
    const listed = (await options.readListed([id])).get(id)!;
    const traffic = loaded ? trafficOf(loaded, atMs) : dayTraffic(curveAt, atMs);
    const timeZone = loaded?.snapshot.publishers.get(loaded.lineItem.publisherId)?.timeZone ?? 'UTC';
    const refused =
      records.lineItem.share_of_voice === null
        ? []
        : await options.refusalStore.read(id, traffic.day.endMs - DAYS_OF_SHARE * MS_PER_DAY, atMs);
    return toDelivery({ records, stored, counters, listed, traffic, timeZone, atMs, refused });
  };
};

interface Records {
  readonly id: number;
  readonly lineItem: LineItemRecord;
  readonly campaign: CampaignRecord;
}

const readRecords = async (reader: EntityReader, id: number): Promise<Records | undefined> => {
  const lineItem = (await reader.find(ENTITY_KINDS.line_items, id)) as LineItemRecord | undefined;
  if (!lineItem) return undefined;
  const campaign = (await reader.find(ENTITY_KINDS.campaigns, lineItem.campaign_id)) as CampaignRecord | undefined;
  return campaign && { id, lineItem, campaign };
};

/** `day`: that of the ledger's counts, which may lag the clock by a moment around midnight. */
const readHistory = async (
  history: DeliveryHistory,
  { id, lineItem }: Records,
  day: number,
  { days: rule, atMs }: { readonly days: DayRule; readonly atMs: number },
) => {
  const { startMs } = daySpan(rule, atMs);
  const [days, filtered, eventsToday, eventsYesterday, total, campaignSpendMicros, hours] = await Promise.all([
    history.days(id, day, DAYS_SHOWN),
    history.filtered(id, day, DAYS_SHOWN),
    history.events(id, day),
    history.events(id, day - 1),
    history.total(id),
    history.campaignSpendMicros(lineItem.campaign_id),
    history.hours(id, day, { startMs, lastHour: Math.floor((atMs - startMs) / MS_PER_HOUR) }),
  ]);
  return { days, filtered, eventsToday, eventsYesterday, total, campaignSpendMicros, hours };
};

interface DeliveryParts {
  readonly records: Records;
  readonly stored: Awaited<ReturnType<typeof readHistory>>;
  /** undefined: stored figures are shown. */
  readonly counters: Counters | undefined;
  readonly listed: ListedLineItem;
  readonly traffic: DayTraffic;
  readonly timeZone: string;
  readonly atMs: number;
  /** Of a line item with a share of voice, lately. */
  readonly refused: readonly HourlyRefusals[];
}

const toDelivery = ({
  records: { id, lineItem, campaign },
  stored,
  counters,
  listed,
  traffic,
  timeZone,
  atMs,
  refused,
}: DeliveryParts): Delivery => {
  const { byHour: curve, day } = traffic;
  const { status } = listed;
  const account = counters?.account;
  const limits = counters?.limits;
  const isFlat = pricingOf({ type: lineItem.type, budgetType: lineItem.budget_type }) === 'Flat';
  const [storedYesterday, storedToday] = stored.days.slice(-2) as [StoredDay, StoredDay];
  const filteredOn = ({ date }: StoredDay): FilteredCounts => stored.filtered.get(date) ?? {};
  const filtered = counters?.filtered ?? { today: filteredOn(storedToday), yesterday: filteredOn(storedYesterday) };
  const today = figuresOf(account?.today ?? storedToday, stored.eventsToday, filtered.today);
  const total = account
    ? { impressions: account.totalImpressions, clicks: account.totalClicks, spendMicros: account.totalSpendMicros }
    : stored.total;
  const yesterday = figuresOf(account?.yesterday ?? storedYesterday, stored.eventsYesterday, filtered.yesterday);
  const held = counters ? (account?.heldToday ?? 0) : null;
  const remarks = counters ? [] : ['the counters are unavailable: the figures are those stored so far'];
  return {
    line_item_id: id,
    at: new Date(atMs).toISOString(),
    day: storedToday.date,
    time_zone: timeZone,
    day_began_at: new Date(day.startMs).toISOString(),
    live: counters !== undefined,
    status: { ...status, reasons: [...status.reasons, ...remarks] },
    today: { ...today, held, committed: today.impressions + (held ?? 0) },
    yesterday,
    total: { impressions: total.impressions, clicks: total.clicks, spend: amountFromMicros(total.spendMicros) },
    goals:
      listed.goals ??
      goalCourses(
        goalsOf(lineItem),
        [flightOf(lineItem), flightOf(campaign)],
        { delivered: total, today, yesterday },
        { curve, day, atMs },
      ),
    share_of_voice:
      lineItem.share_of_voice === null
        ? null
        : shareGot(lineItem.share_of_voice, refused, {
            today: { serves: storedToday.serves, fromMs: day.startMs },
            week: { serves: sumOfServes(stored.days.slice(-DAYS_OF_SHARE)), fromMs: 0 },
          }),
    limits: {
      daily_impression_cap: lineItem.daily_impression_cap,
      daily_spend_cap: lineItem.daily_spend_cap,
      budget: isFlat ? null : lineItem.budget,
      campaign_budget: isFlat ? null : campaign.budget,
      campaign_spend: amountFromMicros(limits?.campaignSpendMicros ?? stored.campaignSpendMicros),
      campaign_daily_budget: isFlat ? null : campaign.daily_budget,
      campaign_spend_today: limits ? amountFromMicros(limits.campaignSpendTodayMicros) : null,
    },
    pacing: {
      mode: lineItem.pacing,
      goal: limits?.pacing?.goal ?? null,
      target: limits?.pacing?.due ?? null,
      began: limits?.pacing?.began ?? null,
      permits: limits?.pacing?.permits ?? null,
      curve,
    },
    frequency: frequencyCapsOf(lineItem).map(({ windowMs, ...cap }) => ({ ...cap, window: windowMs / 1000 })),
    hourly: stored.hours,
    last_days: stored.days.map((day) => ({ day: day.date, ...countsOf(day, filteredOn(day)) })),
  };
};

const sumOfServes = (days: readonly StoredDay[]): number => days.reduce((sum, { serves }) => sum + serves, 0);

const countsOf = ({ serves, impressions, clicks, spendMicros }: DayCounts, filtered: FilteredCounts): Omit<DayFigures, 'day'> => ({
  serves,
  gross_impressions: grossOf(impressions, filtered, 'impression'),
  filtered_impressions: filteredOf(filtered, 'impression'),
  provisional_impressions: provisionalOf(filtered, 'impression'),
  impressions,
  gross_clicks: grossOf(clicks, filtered, 'click'),
  filtered_clicks: filteredOf(filtered, 'click'),
  provisional_clicks: provisionalOf(filtered, 'click'),
  clicks,
  spend: amountFromMicros(spendMicros),
});

const figuresOf = (counts: DayCounts, events: Figures['events'], filtered: FilteredCounts): Figures => ({
  ...countsOf(counts, filtered),
  events,
  filtered: withoutProvisional(filtered),
});

const trafficOf = ({ snapshot, lineItem }: LoadedLineItem, atMs: number): DayTraffic => {
  const traffic = dayTraffic((ms) => snapshot.curveAt(lineItem.publisherId, ms), atMs);
  const hours = snapshot.hoursOf(lineItem, atMs);
  return hours === undefined ? traffic : trafficInHours(traffic, hours);
};
