import type { Knex } from 'knex';
import { dayOf, MS_PER_DAY, MS_PER_HOUR, SECONDS_PER_DAY } from '../../base/utc-day.ts';
import type { LineItem } from '../../catalog/model/entities.ts';
import { usdFromMicros } from '../../catalog/model/money.ts';
import type { CampaignRecord, LineItemRecord } from '../../catalog/model/records.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isLive } from '../../decision/is-live.ts';
import { rankDirect } from '../../decision/rank-candidates.ts';
import type { Account, AccountReader, DayCounts } from '../../ledger/read/read-accounts.ts';
import type { LimitReading, ReadLimits } from '../../ledger/read/read-limits.ts';
import type { TrafficCurve } from '../../ledger/traffic-curve.ts';
import type { DayFigures, Delivery, EffectiveStatus, Figures } from './delivery.ts';
import { createDeliveryHistory } from './delivery-history.ts';
import { deliveryStatus } from './delivery-status.ts';
import { ENTITY_KINDS } from '../entities/entity-kind.ts';
import { createEntityReader } from '../entities/entity-reader.ts';

export interface ReadDeliveryOptions {
  readonly knex: Knex;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly accounts: AccountReader;
  readonly readLimits: ReadLimits;
  /** False: the counters are not asked, because they would not answer. */
  readonly countersUp: () => boolean;
  readonly curveOf: (snapshot: Snapshot, publisherId: number, atMs: number) => TrafficCurve;
  readonly now: () => number;
}

const DAYS = 14;

/** How a line item delivers: the ledger's figures for today, Postgres's for what was. undefined: there is no such line item. Rejects when Postgres is away. */
export const createReadDelivery = (options: ReadDeliveryOptions): ((id: number) => Promise<Delivery | undefined>) => {
  const { knex, currentSnapshot, curveOf, now } = options;
  const reader = createEntityReader({ knex });
  const history = createDeliveryHistory({ knex });

  return async (id) => {
    const record = (await reader.find(ENTITY_KINDS.line_items, id)) as LineItemRecord | undefined;
    if (!record) return undefined;
    const campaign = (await reader.find(ENTITY_KINDS.campaigns, record.campaign_id)) as CampaignRecord | undefined;
    if (!campaign) return undefined;
    const snapshot = currentSnapshot();
    const lineItem = snapshot?.lineItems.get(id);
    const atMs = now();
    const counters = snapshot && lineItem && (await readCounters(options, snapshot, lineItem, atMs));
    const day = counters?.account?.day ?? dayOf(atMs);
    const [days, eventsToday, eventsYesterday, total, campaignSpend, hourly, creatives] = await Promise.all([
      history.days(id, day, DAYS),
      history.events(id, day),
      history.events(id, day - 1),
      history.total(id),
      history.campaignSpend(record.campaign_id),
      history.hours(id, day, Math.floor((atMs % MS_PER_DAY) / MS_PER_HOUR)),
      creativesOf(knex, snapshot, lineItem, id, atMs),
    ]);
    const account = counters?.account;
    const limits = counters?.limits;
    const stored = (back: number): Figures => figuresOf(days[DAYS - 1 - back]!, back === 0 ? eventsToday : eventsYesterday);
    const today = account ? liveFigures(account.today, eventsToday) : stored(0);
    const held = counters ? (account?.heldToday ?? 0) : null;
    const status =
      snapshot && lineItem
        ? deliveryStatus({ lineItem, campaign: snapshot.campaigns.get(lineItem.campaignId)!, creatives, limits, atMs })
        : notLoaded(snapshot, id);
    const remarks = [
      ...(counters ? [] : ['the counters do not answer: figures are those stored so far']),
      ...(hourly ? [] : ['today has too many events to count by the hour']),
    ];
    return {
      line_item_id: id,
      at: new Date(atMs).toISOString(),
      day: days[DAYS - 1]!.day,
      live: counters !== undefined,
      status: { value: status.value, reasons: [...status.reasons, ...remarks] },
      today: { ...today, held, committed: today.impressions + (held ?? 0) },
      yesterday: account ? liveFigures(account.yesterday, eventsYesterday) : stored(1),
      total: account ? { impressions: account.totalImpressions, spend: usdFromMicros(account.totalSpendMicros) } : total,
      limits: {
        daily_impression_cap: record.daily_impression_cap,
        daily_spend_cap: record.daily_spend_cap,
        budget: record.budget,
        campaign_budget: campaign.budget,
        campaign_spend: limits ? usdFromMicros(limits.campaignSpendMicros) : campaignSpend,
      },
      pacing: {
        mode: record.pacing,
        target: limits?.pacing?.due ?? null,
        allowance: limits?.pacing?.allowance ?? null,
        curve: snapshot && lineItem ? curveOfDay(curveOf, snapshot, lineItem.publisherId, atMs) : Array.from({ length: 24 }, () => 1 / 24),
      },
      frequency:
        record.frequency_cap === null ? null : { places: record.frequency_cap, window: record.frequency_window ?? SECONDS_PER_DAY },
      hourly: hourly ?? [],
      last_days: days,
    };
  };
};

interface Counters {
  /** undefined: nothing has happened yet. */
  readonly account: Account | undefined;
  readonly limits: LimitReading | undefined;
}

/** undefined: the counters do not answer, which is no reason to show nothing. */
const readCounters = async (
  { accounts, readLimits, countersUp, curveOf }: ReadDeliveryOptions,
  snapshot: Snapshot,
  lineItem: LineItem,
  atMs: number,
): Promise<Counters | undefined> => {
  if (!countersUp()) return undefined;
  const { publisherId } = lineItem;
  try {
    const [account] = await accounts.lineItems(publisherId, [lineItem.id]);
    const [limits] = await readLimits({
      publisherId,
      userHash: null,
      curve: curveOf(snapshot, publisherId, atMs),
      candidates: [anyCandidate(snapshot, lineItem)],
    });
    return { account, limits };
  } catch {
    // Redis went away in between; its own client has told the log.
    return undefined;
  }
};

/** The line item as the ledger would be offered it for a user who has not seen it. */
const anyCandidate = (snapshot: Snapshot, lineItem: LineItem) => {
  const creatives = [...snapshot.creatives.values()].filter(({ lineItemId }) => lineItemId === lineItem.id);
  const entry = creatives
    .flatMap(({ placementId }) => snapshot.candidateIndex(lineItem.publisherId, placementId)?.entries ?? [])
    .find((candidate) => candidate.lineItem.id === lineItem.id);
  const creative = creatives[0] ?? NO_CREATIVE;
  const campaign = snapshot.campaigns.get(lineItem.campaignId)!;
  return rankDirect({ creative, campaign, lineItem: { ...lineItem, frequencyCap: null }, ecpmMicros: entry?.ecpmMicros ?? 0 }, -1);
};

const NO_CREATIVE = {
  id: 0,
  placementId: '',
  lineItemId: 0,
  content: { format: 'html', markup: '' },
  advertiserDomain: null,
  blocked: false,
  width: null,
  height: null,
  clickUrl: null,
} as const;

/** Each creative with what keeps it, by itself, from being served. */
const creativesOf = async (
  knex: Knex,
  snapshot: Snapshot | undefined,
  lineItem: LineItem | undefined,
  id: number,
  atMs: number,
): Promise<readonly { readonly id: number; readonly obstacle: string | undefined }[]> => {
  const rows = await knex('creatives').where({ line_item_id: id }).orderBy('id').select<{ id: number }[]>('id');
  const campaign = lineItem && snapshot?.campaigns.get(lineItem.campaignId);
  if (!snapshot || !lineItem || !campaign) return rows.map((row) => ({ id: row.id, obstacle: undefined }));
  const live = isLive(lineItem, campaign, atMs);
  return rows.map((row) => {
    const creative = snapshot.creatives.get(row.id);
    if (!creative) return { id: row.id, obstacle: setAside(snapshot, 'creatives', row.id) };
    // A line item that is not live leaves all its creatives out, which says nothing about them.
    const leftOut = live
      ? snapshot.leftOut(lineItem.publisherId, creative.placementId).find((left) => left.creative.id === row.id)
      : undefined;
    return { id: row.id, obstacle: leftOut?.detail };
  });
};

const notLoaded = (snapshot: Snapshot | undefined, id: number): EffectiveStatus => ({
  value: 'blocked',
  reasons: [snapshot ? setAside(snapshot, 'line_items', id) : 'the campaign data has not been loaded yet'],
});

const setAside = ({ quarantined }: Snapshot, table: string, id: number): string => {
  const row = quarantined.find((each) => each.table === table && each.id === String(id));
  return row ? `set aside when the catalog was loaded: ${row.reason}` : 'not loaded yet, or set aside with what it belongs to';
};

const figuresOf = ({ day: _, ...figures }: DayFigures, events: Figures['events']): Figures => ({ ...figures, events });

const liveFigures = ({ serves, impressions, clicks, spendMicros }: DayCounts, events: Figures['events']): Figures => ({
  serves,
  impressions,
  clicks,
  spend: usdFromMicros(spendMicros),
  events,
});

const curveOfDay = (curveOf: ReadDeliveryOptions['curveOf'], snapshot: Snapshot, publisherId: number, atMs: number): readonly number[] => {
  const midnight = atMs - (atMs % MS_PER_DAY);
  return Array.from({ length: 24 }, (_, hour) => curveOf(snapshot, publisherId, midnight + hour * MS_PER_HOUR).shareOfHour);
};
