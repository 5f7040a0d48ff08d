import { createHash } from 'node:crypto';
import pg from 'pg';
import { migrateLatest } from '../src/catalog/postgres/migrate.ts';
import { createChance } from '../testkit/chance.ts';
import { MS_PER_DAY } from '../src/base/utc-day.ts';
import { BROWSERS, CONNECTIONS, OPERATING_SYSTEMS } from '../src/catalog/model/choices.ts';
import { WEEK_DAYS } from '../src/targeting/week-hours.ts';

/** What is booked in one benchmark. */
export interface CatalogPlan {
  readonly lineItems: number;
  /** The line items are dealt out to so many publishers in turn. */
  readonly publishers: number;
  /** `adversarial`: all line items match every request but for their key-values; only the lowest in rank match those. */
  readonly targeting: 'realistic' | 'adversarial' | 'every';
  /** Of the line items, with a frequency cap; default: one in five. */
  readonly frequencyShare?: number;
  /** Line items with this daily cap that rank above all others for every request. */
  readonly capped?: { readonly lineItems: number; readonly dailyImpressions: number };
}

export interface BenchPublisher {
  readonly id: number;
  readonly apiKey: string;
}

export interface SeededCatalog {
  readonly databaseUrl: string;
  readonly publishers: readonly BenchPublisher[];
  readonly cappedLineItems: readonly number[];
}

export const PLACEMENTS = [
  { id: 'article-top', width: 728, height: 90 },
  { id: 'article-mid', width: 300, height: 250 },
  { id: 'article-end', width: 300, height: 600 },
  { id: 'front-page1', width: 970, height: 250 },
] as const;
export const COUNTRIES = ['DE', 'US', 'FR', 'GB', 'IT', 'ES', 'NL', 'PL', 'SE', 'AT', 'CH', 'BE'] as const;
export const SECTIONS = ['news', 'sport', 'business', 'culture', 'travel', 'technology', 'other'] as const;
export const TOPICS = 200;
export const COLOURS = 10;
export const LANGUAGES = ['de', 'en', 'fr', 'it', 'es', 'nl', 'pl', 'sv'] as const;
export const REFERRERS = ['search.example', 'social.example', 'mail.example', 'news.example'] as const;
export const AUDIENCES = 500;

const DEVICES = ['mobile', 'desktop', 'tablet'] as const;
const ITEMS_PER_CAMPAIGN = 10;
const ROWS_PER_INSERT = 5_000;
const SEED = 7;
/** Of the adversarial catalog, so many at the end of the ranking match. */
const MATCHING_AT_THE_END = 64;

type Row = Readonly<Record<string, unknown>>;

/**
 * Migrates an empty database and books the plan in it. The same plan gives the same rows.
 *
 * @param migrate of the build that will use it; default: this checkout's
 */
export const seedCatalog = async (
  databaseUrl: string,
  plan: CatalogPlan,
  migrate: (databaseUrl: string) => Promise<unknown> = migrateLatest,
): Promise<SeededCatalog> => {
  await migrate(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const publishers = Array.from({ length: plan.publishers }, (_, i) => ({ id: i + 1, apiKey: `bench-key-of-publisher-${i + 1}` }));
    const insert = (table: string, rows: readonly Row[]) => insertRows(client, table, rows);
    await insert(
      'publishers',
      publishers.map(({ id, apiKey }) => ({
        id,
        name: `Publisher ${id}`,
        domain: `publisher-${id}.example`,
        api_key_hash: createHash('sha256').update(apiKey).digest('hex'),
        api_key_hint: '',
        created_at: new Date(),
      })),
    );
    await insert(
      'placements',
      PLACEMENTS.map((placement) => ({ ...placement, publisher_id: null, formats: ['html', 'banner', 'native'] })),
    );
    const chance = createChance(SEED);
    await insert('campaigns', campaignRows(plan, chance));
    if (plan.targeting === 'every') await insert('targetings', sharedTargetings(plan));
    const lineItems = Array.from({ length: plan.lineItems }, (_, i) => lineItemRow(plan, i, chance));
    await insert('line_items', lineItems);
    await insert(
      'creatives',
      lineItems.flatMap((_, i) => creativeRows(i, chance)),
    );
    await client.query('analyze');
    return { databaseUrl, publishers, cappedLineItems: Array.from({ length: plan.capped?.lineItems ?? 0 }, (_, i) => i + 1) };
  } finally {
    await client.end();
  }
};

/** Columns that no row names keep the default of the table. */
const insertRows = async (client: pg.Client, table: string, rows: readonly Row[]): Promise<void> => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].join(', ');
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    const page = JSON.stringify(rows.slice(at, at + ROWS_PER_INSERT));
    await client.query(`insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`, [page]);
  }
};

const flight = () => ({ start_at: new Date(Date.now() - MS_PER_DAY), end_at: new Date(Date.now() + 60 * MS_PER_DAY) });

/** Campaigns are dealt out to the publishers in turn, and line items to the campaigns of their publisher ten by ten. */
const campaignRows = ({ lineItems, publishers }: CatalogPlan, chance: () => number): readonly Row[] =>
  Array.from({ length: Math.max(publishers, Math.ceil(lineItems / ITEMS_PER_CAMPAIGN)) }, (_, i) => ({
    id: i + 1,
    publisher_id: (i % publishers) + 1,
    name: `Campaign ${i + 1}`,
    ...flight(),
    budget_micros: chance() < 0.7 ? 5_000_000_000_000 : null,
  }));

/**
 * One line item. Four in five have a budget, three in ten a daily cap, one in five a frequency cap, one in five is paced evenly and one in
 * twenty by the controller, one in twenty has a rate limit: so the ledger meets every rule, and some of them refuse.
 */
const lineItemRow = (plan: CatalogPlan, i: number, chance: () => number): Row => {
  const one = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)]!;
  const campaigns = Math.max(plan.publishers, Math.ceil(plan.lineItems / ITEMS_PER_CAMPAIGN));
  const capped = i < (plan.capped?.lineItems ?? 0);
  const last = plan.targeting === 'adversarial' && i >= plan.lineItems - MATCHING_AT_THE_END;
  const kind = chance();
  const budgetType = capped || last || kind < 0.9 ? 'CPM' : kind < 0.95 ? 'CPC' : 'Flat';
  const pace = chance();
  const pacing = capped || last || pace >= 0.25 ? 'ASAP' : pace < 0.2 ? 'Even' : 'PID';
  const dailyCap = capped
    ? plan.capped?.dailyImpressions
    : chance() < 0.3 || pacing === 'PID'
      ? Math.round(10 ** (4.5 + 3.5 * chance()))
      : null;
  const row = {
    id: i + 1,
    campaign_id: (i % campaigns) + 1,
    name: `Line item ${i + 1}`,
    type: 'direct',
    active: true,
    ...flight(),
    budget_type: budgetType,
    cpm_micros:
      budgetType === 'CPM'
        ? capped
          ? 90_000_000
          : last
            ? 100_000 + (plan.lineItems - i) * 1000
            : Math.round(50 + 1150 * chance()) * 10_000
        : null,
    cpc_micros: budgetType === 'CPC' ? Math.round(10 + 90 * chance()) * 10_000 : null,
    budget_micros: budgetType === 'Flat' ? 500_000_000 : chance() < 0.8 ? Math.round(10 ** (11 + 2 * chance())) : null,
    priority: capped ? 1 : last ? 3 : one([1, 2, 2, 2, 3]),
    pacing,
    daily_impression_cap: dailyCap,
    daily_spend_cap_micros: null,
    frequency_cap: !capped && !last && chance() < (plan.frequencyShare ?? 0.2) ? one([2, 3, 5, 10]) : null,
    frequency_window_s: null,
    rate_limit: !capped && !last && chance() < 0.05 ? 50 : null,
    rate_burst: null,
    endpoint: null,
  };
  if (plan.targeting === 'every') return { ...row, ...everyTarget(plan, i, chance, one) };
  return {
    ...row,
    targeting: capped ? {} : plan.targeting === 'adversarial' ? adversarialTargeting(i, last) : realisticTargeting(chance, one),
  };
};

const realisticTargeting = (chance: () => number, one: <T>(values: readonly T[]) => T): Row => ({
  ...(chance() < 0.5 ? { countries: [...new Set([one(COUNTRIES), one(COUNTRIES), one(COUNTRIES)])] } : {}),
  ...(chance() < 0.3 ? { devices: [one(DEVICES)] } : {}),
  ...(chance() < 0.3 ? { dimensions: { section: [one(SECTIONS)] } } : {}),
  ...(chance() < 0.4
    ? { key_values: { topic: [`t${Math.floor(chance() * TOPICS)}`], colour: [`c${Math.floor(chance() * COLOURS)}`] } }
    : {}),
});

/** Besides the rules of realisticTargeting one or two of the others for each line item, by which one in a few requests is refused. */
const everyTarget = (plan: CatalogPlan, i: number, chance: () => number, one: <T>(values: readonly T[]) => T): Row => {
  const topic = Math.floor(chance() * 10);
  const age = 13 + Math.floor(chance() * 60);
  const others: readonly Row[] = [
    { languages: [one(LANGUAGES)] },
    { browsers: [one(BROWSERS), one(BROWSERS)] },
    { os: [one(OPERATING_SYSTEMS), one(OPERATING_SYSTEMS)] },
    { connection: [one(CONNECTIONS), one(CONNECTIONS)] },
    { urls: [`p.example/${one(SECTIONS)}`] },
    { referrers: [one(REFERRERS)] },
    { audiences: Array.from({ length: 5 }, () => `a${Math.floor(chance() * AUDIENCES)}`) },
    { regions: ['US-CA', 'DE-BY'] },
    { cities: ['Springfield'] },
    { dimensions: { age: { min: age, max: age + 20 } } },
    { key_values: { topic: { prefix: `t${topic}` } } },
    { exclude: { countries: [one(COUNTRIES)], urls: [`p.example/${one(SECTIONS)}`] } },
    { exclude: { audiences: [`a${Math.floor(chance() * AUDIENCES)}`], key_values: { colour: [`c${topic}`] } } },
  ];
  const targeting = { ...(chance() < 0.3 ? realisticTargeting(chance, one) : {}), ...one(others), ...(chance() < 0.3 ? one(others) : {}) };
  return {
    targeting,
    targeting_id: chance() < 0.1 ? (i % plan.publishers) + 1 : null,
    schedule: JSON.stringify(chance() < 0.2 ? [{ days: [...WEEK_DAYS], from: one(['00:00', '06:00', '12:00']), to: '24:00' }] : []),
  };
};

/** One of each publisher, by its number. */
const sharedTargetings = ({ publishers }: CatalogPlan): readonly Row[] =>
  Array.from({ length: publishers }, (_, i) => ({
    ...{ id: i + 1, publisher_id: i + 1, name: 'Two languages', targeting: { languages: LANGUAGES.slice(0, 2) }, archived: false },
  }));

const adversarialTargeting = (i: number, last: boolean): Row => ({
  countries: COUNTRIES,
  devices: DEVICES,
  dimensions: { section: SECTIONS },
  key_values: { topic: last ? Array.from({ length: TOPICS }, (_, topic) => `t${topic}`) : [`u${i % TOPICS}`] },
});

/** Two creatives a line item, on two placements, most of them markup. */
const creativeRows = (i: number, chance: () => number): readonly Row[] => {
  const first = Math.floor(chance() * PLACEMENTS.length);
  return [0, 1].map((n) => {
    const { id, width, height } = PLACEMENTS[(first + n) % PLACEMENTS.length]!;
    const kind = chance();
    const format = kind < 0.7 ? 'html' : kind < 0.9 ? 'banner' : 'native';
    return {
      id: 2 * i + n + 1,
      placement_id: id,
      line_item_id: i + 1,
      format,
      content: CONTENT[format]!(i, width, height),
      advertiser_domain: `advertiser-${i % 500}.example`,
      width,
      height,
      click_url: `https://advertiser-${i % 500}.example/offers/${i}`,
      blocked_at: null,
    };
  });
};

const CONTENT: Readonly<Record<string, (i: number, width: number, height: number) => string>> = {
  html: (i, width, height) =>
    `<a href="https://advertiser-${i % 500}.example/offers/${i}" target="_blank" rel="noopener"><img src="https://cdn.example/creatives/${i}/${width}x${height}.jpg" width="${width}" height="${height}" alt="Offer ${i}" style="display:block;border:0"></a>`,
  banner: (i, width, height) =>
    JSON.stringify({
      image: `https://cdn.example/creatives/${i}/${width}.jpg`,
      alt: `Offer ${i}`,
      images: [
        { url: `https://cdn.example/creatives/${i}/${width}.jpg`, width, height },
        { url: `https://cdn.example/creatives/${i}/${2 * width}.jpg`, width: 2 * width, height: 2 * height },
      ],
    }),
  native: (i) =>
    JSON.stringify({
      title: `Offer ${i}`,
      description: 'A sentence or two about what is offered, as a feed shows it.',
      brand: `Brand ${i % 500}`,
      image: `https://cdn.example/creatives/${i}/square.jpg`,
      click: `https://advertiser-${i % 500}.example/offers/${i}`,
    }),
};
