import { MS_PER_DAY, MS_PER_HOUR } from '../../src/base/utc-day.ts';
import { CHECKS } from '../../src/catalog/checks/check-entities.ts';
import type { CatalogRow, CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import { ROWS } from '../../src/catalog/postgres/rows.ts';
import { createChance, type Chance } from '../chance.ts';
import type { Life } from './life.ts';

const HOUR_S = MS_PER_HOUR / 1000;
const DAY_S = MS_PER_DAY / 1000;

/** Rows of the catalog, and the line items that are asked about. */
export interface BookedCatalog {
  readonly rows: Readonly<Record<CatalogTable, readonly CatalogRow[]>>;
  /** With a goal of three times what matches. */
  readonly impossibleId: number;
  /** Booked on the day of the forecast, above the others. */
  readonly draftId: number;
}

export interface BookingOptions {
  readonly life: Life;
  readonly seed: number;
  readonly startMs: number;
  readonly lineItems: number;
  /** Impressions of an average day. */
  readonly impressionsADay: number;
  readonly zone: string;
}

const CAMPAIGN_SIZE = 5;
const ADVERTISERS = 20;

/** Line items of every kind: goals, caps, budgets, frequency caps, priorities, pacing, hours, targeting, exclusions. */
export const bookCatalog = ({ life, seed, startMs, lineItems: count, impressionsADay, zone }: BookingOptions): BookedCatalog => {
  const chance = createChance(seed);
  const date = (day: number): string => new Date(startMs + day * MS_PER_DAY).toISOString();
  const whole = { start_date: date(-1), end_date: date(60) };
  const checked = (table: 'line_items' | 'campaigns', record: object): CatalogRow => {
    const found = CHECKS[table](record, { dimensions: new Map() });
    if (!found.ok) throw new Error(`${JSON.stringify(record)}: ${JSON.stringify(found.faults)}`);
    return asRead(ROWS[table].toRow(found.record as never));
  };
  const campaigns = Array.from({ length: Math.ceil(count / CAMPAIGN_SIZE) }, (_, i): CatalogRow => ({
    ...checked('campaigns', { publisher_id: 1, advertiser_id: 1 + (i % ADVERTISERS), name: `campaign ${i + 1}`, ...whole }),
    id: i + 1,
  }));
  const perItem = impressionsADay / count;
  const items = Array.from({ length: count }, (_, i) => draw(i + 1, chance, { life, date, perItem }));
  const impossibleId = count + 1;
  const draftId = count + 2;
  const place = life.places[7]!;
  items.push({
    ...{ campaign_id: 1, name: 'impossible', ...plain(date(14), date(28)), priority: 1, cpm: 9, pacing: 'Even', placement_ids: [place.id] },
    goal_impressions: Math.round(3 * impressionsADay * 14 * 0.02),
    targeting: { countries: ['AT'] },
  });
  items.push({
    ...{ campaign_id: 2, name: 'draft', ...plain(date(14), date(28)), priority: 1, cpm: 12, pacing: 'Even' },
    placement_ids: life.places.filter(({ section }) => section === 'sport').map(({ id }) => id),
    goal_impressions: Math.round(impressionsADay * 14 * 0.05),
  });
  const lineItems = items.map(({ placement_ids: _, ...item }, i): CatalogRow => ({ ...checked('line_items', item), id: i + 1 }));
  const creatives = items.flatMap(({ placement_ids: [first, ...more] }, i): CatalogRow[] => [
    { id: i + 1, line_item_id: i + 1, placement_id: first, more_placement_ids: more, format: 'html', content: 'ad' },
  ]);
  const placements = life.places.map(({ id, width, height }): CatalogRow => ({ id, publisher_id: 1, width, height, formats: ['html'] }));
  return {
    impossibleId,
    draftId,
    rows: {
      publishers: [{ id: 1, name: 'p', domain: 'p.example', api_key_hash: 'hash', time_zone: zone }],
      placements,
      advertisers: Array.from({ length: ADVERTISERS }, (_, i) => ({
        ...{ id: i + 1, name: `a${i + 1}`, domain: `a${i + 1}.example`, exclusion_labels: i < 6 ? [`trade ${i % 2}`] : [] },
      })),
      bidders: [],
      targetings: [],
      campaigns,
      line_items: lineItems,
      creatives,
    },
  };
};

/** A row as Postgres gives it back: JSON is parsed. */
const asRead = (row: CatalogRow): CatalogRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value,
    ]),
  );

interface DrawnItem {
  readonly campaign_id: number;
  readonly placement_ids: readonly string[];
  readonly [field: string]: unknown;
}

const plain = (start: string, end: string) => ({ type: 'direct', active: true, budget_type: 'CPM', start_date: start, end_date: end });

const draw = (
  id: number,
  chance: Chance,
  { life, date, perItem }: { readonly life: Life; readonly date: (day: number) => string; readonly perItem: number },
): DrawnItem => {
  const one = <T>(of: readonly T[]): T => of[Math.floor(chance() * of.length)]!;
  const section = one(life.sections);
  const some = life.places.filter((place) => (chance() < 0.8 ? place.section === section : chance() < 0.1));
  const placement_ids = [
    ...new Set([one(life.places.filter((place) => place.section === section)), ...some.filter(() => chance() < 0.5)]),
  ].map((place) => place.id);
  const starts = one([-1, -1, 0, 3, 8, 12, 16, 20]);
  const ends = one([18, 22, 26, 28, 35, 50]);
  const days = Math.max(ends - Math.max(starts, 0), 1);
  const kind = chance();
  const amount = Math.round(perItem * Math.exp(1.2 * (chance() - 0.4)) * days) + 50;
  return {
    ...{ campaign_id: Math.ceil(id / CAMPAIGN_SIZE), name: `item ${id}`, ...plain(date(starts), date(Math.max(ends, starts + 2))) },
    ...{ priority: one([1, 1, 2, 2, 2, 2, 3, 3]), cpm: Math.round(50 + 700 * chance()) / 100, placement_ids },
    pacing: kind < 0.35 ? 'Even' : kind < 0.55 ? 'PID' : 'ASAP',
    ...(kind < 0.45 && { goal_impressions: amount }),
    ...(kind >= 0.45 && kind < 0.65 && { daily_impression_cap: Math.max(Math.round(amount / days), 5) }),
    ...(kind >= 0.65 && kind < 0.75 && { daily_spend_cap: Math.max(Math.round((amount / days) * 0.4) / 100, 0.05) }),
    ...(chance() < 0.35 && { frequency_cap: one([1, 2, 3, 5]), frequency_window: one([HOUR_S, DAY_S, DAY_S, 7 * DAY_S]) }),
    ...(chance() < 0.1 && { schedule: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '06:00', to: '20:00' }] }),
    targeting: {
      ...(chance() < 0.3 && { countries: [one(['DE', 'AT', 'CH', 'FR']), 'DE'].slice(0, chance() < 0.5 ? 1 : 2) }),
      ...(chance() < 0.25 && { devices: [one(['mobile', 'desktop'])] }),
      ...(chance() < 0.1 && { key_values: { section: [section] } }),
    },
  };
};
