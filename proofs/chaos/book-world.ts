import type { CatalogRow } from '../../src/catalog/model/catalog-reading.ts';
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import { audience, TARGETINGS } from './book-audience.ts';
import type { Draw } from './draw.ts';
import type { StepClass, World } from './story.ts';

/** Stories with months begin at the end of this one, when the clocks of Europe change. */
export const MONTH = '2031-03';
export const MONTH_ENDS_MS = Date.UTC(2031, 3, 1);
/** Later than now: the event writer prunes tallies by the real clock. */
const START_MS = Date.UTC(2031, 2, 10);
export const TTLS_MS = [MS_PER_MINUTE, 5 * MS_PER_MINUTE, 20 * MS_PER_MINUTE, 30 * MS_PER_MINUTE, 12 * MS_PER_HOUR];
/** Micros per thousand impressions; an impression bills a thousandth. */
export const CPMS_MICROS = [100_000, 1_000_000, 1_333_000, 5_000_000, 50_000_000];
const CPCS_MICROS = [10_000, 70_000, 500_000];
export const REPLICAS = 3;
const DAYS_BOOKED = 40;
const ROADBLOCK_EVERY = 3;
const SEQUENCE_EVERY = 3;

/** The random bookings of a story: small caps and budgets, so that each is reached many times. */
export const bookWorld = (draw: Draw, has: (name: StepClass) => boolean): World => {
  const ttlMs = draw.of(TTLS_MS.slice(0, 4));
  const clickers = has('activity') && draw.oneIn(3);
  const closes = has('close') && draw.oneIn(3);
  // Months are closed for advertisers without rules.
  const labelled = has('labels') && !closes && draw.oneIn(2);
  // Before clocks change in Europe, and at Lord Howe.
  const daysLater = has('zones') ? draw.of([0, 0, 18, 25]) : 0;
  const startMs =
    (closes ? MONTH_ENDS_MS - 2 * MS_PER_DAY - 4 * MS_PER_HOUR : START_MS + daysLater * MS_PER_DAY) +
    draw.below(24) * MS_PER_HOUR +
    draw.below(3600) * 1000;
  const flight = { start_at: new Date(START_MS - MS_PER_DAY), end_at: new Date(START_MS + DAYS_BOOKED * MS_PER_DAY) };
  const publishers: CatalogRow[] = [];
  const placements: CatalogRow[] = [placement(OPEN_PLACEMENT, null)];
  const campaigns: CatalogRow[] = [];
  const targetings: CatalogRow[] = [];
  const lineItems: CatalogRow[] = [];
  const creatives: CatalogRow[] = [];
  for (let id = 1; id <= 2 + draw.below(2); id++) {
    publishers.push({
      id,
      name: `publisher ${id}`,
      domain: 'publisher.example',
      api_key_hash: 'f'.repeat(63) + id,
      api_key_hint: '',
      // Months are closed by the zones of statements.
      time_zone: has('zones') && !closes ? draw.of(ZONES) : 'UTC',
      one_per_advertiser: labelled && draw.oneIn(2),
    });
    if (has('visitors')) targetings.push({ id, publisher_id: id, name: 'shared', targeting: draw.of(TARGETINGS) });
    placements.push(placement(placementId(id, 0), id), { ...placement(filmOf(id), id), formats: ['video'] });
    for (let c = 0; c < 1 + draw.below(2); c++) {
      const campaignId = campaigns.length + 1;
      campaigns.push({
        id: campaignId,
        publisher_id: id,
        name: 'campaign',
        ...flight,
        budget_micros: draw.oneIn(2) ? budget(draw) : null,
        daily_budget_micros: draw.oneIn(4) ? budget(draw) : null,
        ...(labelled && { advertiser_id: 1 + draw.below(LABELLED.length) }),
      });
      for (let i = 0; i < 1 + draw.below(3); i++) {
        const item = lineItem(draw, has, lineItems.length + 1, campaignId);
        const named = has('visitors') && draw.oneIn(6) ? { targeting_id: id } : {};
        lineItems.push({ ...item, ...named, ...flight, ...(clickers && !draw.oneIn(3) && NO_LIMITS) });
        // The second creative of every other line item also runs where the first one does.
        for (let nth = 0; nth < 2; nth++) {
          const more = nth === 1 && i % 2 === 1 ? [placementId(id, 0)] : [];
          creatives.push(creative(creatives.length + 1, item['id'] as number, [placementId(id, nth), ...more]));
        }
        if (item['roadblock'] === true && has('companions') && draw.oneIn(2))
          for (const companion_set of SETS)
            for (let nth = 0; nth < 2; nth++)
              creatives.push({ ...creative(creatives.length + 1, item['id'] as number, [placementId(id, nth)]), companion_set });
        // A roadblock is on all of its placements, which no request for a film names.
        if (has('pods') && item['roadblock'] !== true) creatives.push(film(draw, creatives.length + 1, item, filmOf(id)));
      }
    }
  }
  return {
    startMs,
    clickers,
    closes,
    mayLose: has('loss') && draw.oneIn(3),
    replicas: Array.from({ length: REPLICAS }, () => ({ ttlMs, skewMs: draw.below(1_000) - 500 })),
    rows: {
      publishers,
      placements,
      advertisers: closes ? ADVERTISERS : labelled ? LABELLED : [],
      bidders: [],
      targetings,
      campaigns,
      line_items: lineItems,
      creatives,
    },
  };
};

const ADVERTISERS: readonly CatalogRow[] = [1, 2, 3].map((id) => ({ id, name: `advertiser ${id}` }));
/** Competitors of the first two, and of the last two; none of one kind twice in a page. */
const LABELLED: readonly CatalogRow[] = [
  { id: 1, name: 'cars', exclusion_labels: ['cars'], exclusive: true },
  { id: 2, name: 'cars and phones', exclusion_labels: ['cars', 'phones'], exclusive: false },
  { id: 3, name: 'phones', exclusion_labels: ['phones'], exclusive: false },
];
const OPEN_PLACEMENT = 'open';

/** The placements of a publisher's pages: first its own, then one that is open to all publishers. */
export const placementId = (publisherId: number, nth: number): string => (nth === 0 ? `own-${publisherId}` : OPEN_PLACEMENT);

/** The placement of a publisher's films, whose ad breaks have several ads. */
export const filmOf = (publisherId: number): string => `film-${publisherId}`;

export const budget = (draw: Draw): number => (draw.of(CPMS_MICROS.slice(1)) / 1000) * (1 + draw.below(20)) + draw.below(1_000);

const NO_LIMITS: CatalogRow = {
  ...{
    budget_micros: null,
    daily_impression_cap: null,
    daily_spend_cap_micros: null,
    goal_impressions: null,
    frequency_cap: null,
    frequency_caps: [],
  },
  ...{ rate_limit: null, pacing: 'ASAP', rotation: 'even', schedule: [], targeting: {} },
};

/** The columns of a line item's limits. */
export const limits = (draw: Draw, has: (name: StepClass) => boolean): CatalogRow => ({
  budget_micros: draw.oneIn(2) ? budget(draw) : null,
  daily_impression_cap: draw.oneIn(2) ? 1 + draw.below(12) : null,
  daily_spend_cap_micros: draw.oneIn(3) ? budget(draw) : null,
  goal_impressions: draw.oneIn(4) ? 1 + draw.below(20) : null,
  frequency_cap: has('users') && draw.oneIn(3) ? 1 + draw.below(3) : null,
  frequency_window_s: draw.of([10, 60, 600, 3600]),
  frequency_caps: has('users') ? frequencyCaps(draw, has) : [],
});

const SCOPES = ['line_item', 'campaign', 'advertiser'] as const;
/** Over a campaign or an advertiser, of a lifetime, and so that a user does not see one twice in a row. */
const frequencyCaps = (draw: Draw, has: (name: StepClass) => boolean): readonly object[] => {
  const wide = has('wideCaps');
  const ofMany = { scope: wide ? draw.of(SCOPES.slice(1)) : 'campaign', impressions: 1 + draw.below(4), window: draw.of([60, 600]) };
  const ofClicks = {
    scope: draw.of(wide ? SCOPES : SCOPES.slice(0, 2)),
    clicks: 1 + draw.below(2),
    window: draw.of([60, 600, 3600, ...(wide ? [null] : [])]),
  };
  const inAll = { scope: draw.of(SCOPES), impressions: 2 + draw.below(5), window: null };
  const notAgain = { scope: draw.of(SCOPES), impressions: 1, window: draw.of([30, 120, 600]) };
  return [
    ...(draw.oneIn(4) ? [ofMany] : []),
    ...(has('clicks') && draw.oneIn(3) ? [ofClicks] : []),
    ...(wide && draw.oneIn(5) ? [inAll] : []),
    ...(wide && draw.oneIn(5) ? [notAgain] : []),
  ];
};

/** With a change of clocks in the days of stories, too. */
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'] as const;
const SETS = ['a', 'b'] as const;

const lineItem = (draw: Draw, has: (name: StepClass) => boolean, id: number, campaign_id: number): CatalogRow => {
  const kinds = [
    'CPM',
    'CPM',
    ...(has('clicks') ? ['CPC', 'VCPM'] : []),
    ...(has('views') ? ['CPCV', 'CPCV'] : []),
    'Flat',
    ...(has('bids') || has('typedBids') ? ['bid', 'bid'] : []),
  ];
  const kind = draw.of(kinds);
  const type = kind === 'bid' ? 'programmatic' : 'direct';
  const bidType = has('typedBids') ? draw.of(['CPM', 'VCPM', 'CPC', 'Flat']) : 'CPM';
  return {
    id,
    campaign_id,
    name: `line item ${id}`,
    type,
    active: true,
    budget_type: kind === 'bid' ? bidType : kind,
    cpm_micros: kind === 'bid' ? null : draw.of(CPMS_MICROS),
    cpc_micros: draw.of(CPCS_MICROS),
    cpcv_micros: draw.of(CPCS_MICROS),
    priority: 1 + draw.below(3),
    pacing: has('pacing') ? draw.of(['ASAP', 'ASAP', 'ASAP', 'Even', 'PID']) : 'ASAP',
    rate_limit: has('pacing') && draw.oneIn(6) ? 1 : null,
    rate_burst: null,
    ...audience(draw, has),
    roadblock: type === 'direct' && id % ROADBLOCK_EVERY === 0,
    endpoint: type === 'programmatic' ? 'https://bidder.example/bid' : null,
    ...limits(draw, has),
    ...(type === 'direct' && has('users') && has('sequences') && id % SEQUENCE_EVERY === 1 && SEQUENCE),
  };
};

/** A sequence goes by what its frequency cap counts. */
export const SEQUENCE: CatalogRow = { rotation: 'sequence', frequency_cap: 4 };

const placement = (id: string, publisher_id: number | null): CatalogRow => ({
  id,
  publisher_id,
  width: 300,
  height: 250,
  formats: ['html'],
});

const creative = (id: number, line_item_id: number, [placement_id, ...more_placement_ids]: readonly string[]): CatalogRow => ({
  id,
  placement_id,
  more_placement_ids,
  line_item_id,
  format: 'html',
  content: '<b>ad</b>',
  advertiser_domain: null,
  width: null,
  height: null,
  click_url: null,
  blocked_at: null,
});

/** A video; a bidder supplies its own. Several campaigns advertise for one domain. */
const film = (draw: Draw, id: number, { id: lineItemId, type }: CatalogRow, placementIdOfFilm: string): CatalogRow => {
  const media = [{ url: 'https://cdn.example/a.mp4', type: 'video/mp4', width: 640, height: 360 }];
  const content = { duration: draw.of([5, 10, 15, 30]), media };
  return {
    ...creative(id, lineItemId as number, [placementIdOfFilm]),
    format: 'video',
    content: type === 'programmatic' ? '{}' : JSON.stringify(content),
    advertiser_domain: draw.of([null, null, 'tea.example', 'Tea.example', 'boots.example']),
  };
};
