import { amountFromMicros } from '../../catalog/model/money.ts';
import type { CampaignDay, CreativeDay, ReportCounts } from '../../events/postgres/delivery-report.ts';
import { filteredName, HIT_KINDS, PROVISIONAL, type HitKind } from '../../ledger/hit.ts';
import { show, type Columns, type Shown } from '../../api/columns.ts';
import * as s from '../../base/schema.ts';

/** The filtered hits of a kind; `all`: by `filteredName`, with the provisional ones. */
export const filteredOf = (all: Readonly<Record<string, number>>, kind: HitKind): number =>
  Object.entries(withoutProvisional(all)).reduce((sum, [name, count]) => (name.startsWith(filteredName(kind, '')) ? sum + count : sum), 0);

/** Those of a kind that are under judgement. */
export const provisionalOf = (all: Readonly<Record<string, number>>, kind: HitKind): number => all[filteredName(kind, PROVISIONAL)] ?? 0;

export const withoutProvisional = (all: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !HIT_KINDS.some((kind) => name === filteredName(kind, PROVISIONAL))));

/** Gross = filtered + provisional + net. */
export const grossOf = (net: number, all: Readonly<Record<string, number>>, kind: HitKind): number =>
  net + filteredOf(all, kind) + provisionalOf(all, kind);

const GONE = 'A deleted one keeps its last name; null: deleted before names were kept';

/**
 * Every column of a report, in order. JSON rows and totals, the CSV file and the OpenAPI
 * schema are made from this list. Money is in the currency of the report; rates are shares (0.01 is one percent), 0
 * without impressions.
 */
export const REPORT_COLUMNS = {
  /** What a row counts; totals have none of these. */
  keys: {
    day: { schema: s.day, of: ({ date }) => date },
    line_item_id: { schema: s.integer, of: ({ lineItemId }) => lineItemId },
    line_item: { schema: s.orNull(s.text, { description: GONE }), of: ({ lineItem }) => lineItem },
    creative_id: {
      schema: s.orNull(s.integer, { description: 'null: the fee of a day without delivery' }),
      of: ({ creativeId }) => creativeId,
    },
  } satisfies Columns<CreativeDay>,
  /** What a row of an advertiser's report counts. */
  advertiserKeys: {
    day: { schema: s.day, of: ({ date }) => date },
    campaign_id: { schema: s.integer, of: ({ campaignId }) => campaignId },
    campaign: { schema: s.orNull(s.text, { description: GONE }), of: ({ campaign }) => campaign },
  } satisfies Columns<CampaignDay>,
  /** Read from the counts of a row, and from the sums of all rows for the totals. */
  figures: {
    serves: { schema: s.count, of: ({ serves }) => serves },
    /** `impressions` and `clicks`, which bill, are net. */
    gross_impressions: { schema: s.count, of: ({ impressions, filtered }) => grossOf(impressions, filtered, 'impression') },
    filtered_impressions: { schema: s.count, of: ({ filtered }) => filteredOf(filtered, 'impression') },
    provisional_impressions: { schema: s.count, of: ({ filtered }) => provisionalOf(filtered, 'impression') },
    impressions: { schema: s.count, of: ({ impressions }) => impressions },
    gross_clicks: { schema: s.count, of: ({ clicks, filtered }) => grossOf(clicks, filtered, 'click') },
    filtered_clicks: { schema: s.count, of: ({ filtered }) => filteredOf(filtered, 'click') },
    provisional_clicks: { schema: s.count, of: ({ filtered }) => provisionalOf(filtered, 'click') },
    clicks: { schema: s.count, of: ({ clicks }) => clicks },
    /** Impressions that the SDK has seen in view, as the MRC defines it. */
    viewable: { schema: s.count, of: ({ events }) => events['viewable'] ?? 0 },
    ctr: { schema: s.number, of: ({ impressions, clicks }) => (impressions === 0 ? 0 : clicks / impressions) },
    /** In CSV one column per event type. */
    events: { schema: s.countsByName, of: ({ events }) => events },
    /** By kind and reason, such as `impression_spider`. In CSV one column each. */
    filtered: { schema: s.countsByName, of: ({ filtered }) => withoutProvisional(filtered) },
    /** Billed events, and the fees of Flat line items. */
    spend: { schema: s.money, of: ({ spendMicros }) => amountFromMicros(spendMicros) },
    ecpm: {
      schema: s.money,
      of: ({ impressions, spendMicros }) => (impressions === 0 ? 0 : Math.round((spendMicros * 1000) / impressions) / 1e6),
    },
  } satisfies Columns<ReportCounts>,
};

export type ReportFigures = Shown<typeof REPORT_COLUMNS.figures>;
export type AdvertiserReportRow = Shown<typeof REPORT_COLUMNS.advertiserKeys> & ReportFigures;
export type ReportRow = Shown<typeof REPORT_COLUMNS.keys> & ReportFigures;

/** A row of a report; `keys`: the columns of what it counts. */
export const reportRow = <Row extends ReportCounts, Keys extends Columns<Row>>(keys: Keys, row: Row): Shown<Keys> & ReportFigures => ({
  ...show(keys, row),
  ...show(REPORT_COLUMNS.figures, row),
});
