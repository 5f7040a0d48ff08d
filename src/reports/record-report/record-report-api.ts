import { schemaOf } from '../../api/columns.ts';
import { component } from '../../api/component.ts';
import { daysQuery } from '../../api/days-query.ts';
import { CSV_CONTENT, LINK } from '../../api/openapi-document.ts';
import { choiceQuery, idInPath, pageQuery, textQuery } from '../../api/parameters.ts';
import { at, defineRoutes, ok } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { REPORT_COLUMNS } from './report-columns.ts';

/** A page takes up to 5 ms of the event loop. */
export const REPORT_PAGE = { default: 500, max: 500 };

/** Report formats, the default first. */
export const REPORT_FORMATS = ['json', 'csv'] as const;

const REPORT_FIGURES = component('ReportFigures', schemaOf(REPORT_COLUMNS.figures));

/** What all reports have; `keys`: what a row counts. Rows are ordered by day and then by that. */
const reportOf = <Keys extends s.Schema>(keys: Keys) => ({
  from: s.day,
  to: s.day,
  currency: s.orNull(s.text, { description: 'Of its amounts, ISO 4217; null: there are no campaigns' }),
  currencies: s.described(s.listOf(s.text), 'In which its campaigns are booked; the report has the campaigns of one of them'),
  row_count: s.count,
  rows: s.listOf(s.bothOf(REPORT_FIGURES, keys)),
  totals: REPORT_FIGURES,
  flat_fees: s.money,
});

const FIGURES_EXAMPLE = {
  ...{ serves: 5200, gross_impressions: 4310, filtered_impressions: 110, provisional_impressions: 0, impressions: 4200 },
  ...{ gross_clicks: 29, filtered_clicks: 5, provisional_clicks: 3, clicks: 21, viewable: 3100, ctr: 0.005 },
  ...{ events: { like: 3, viewable: 3100 }, filtered: { impression_spider: 110, click_fast: 5 }, spend: 18.9, ecpm: 4.5 },
};
const REPORT_EXAMPLE = {
  from: '2026-10-14',
  to: '2026-10-14',
  currency: 'EUR',
  currencies: ['EUR'],
  row_count: 1,
  totals: FIGURES_EXAMPLE,
  flat_fees: 0,
};

const CAMPAIGN_REPORT = component('CampaignReport', s.record({ campaign_id: s.integer, ...reportOf(schemaOf(REPORT_COLUMNS.keys)) }), {
  ...{ campaign_id: 3, ...REPORT_EXAMPLE },
  rows: [{ day: '2026-10-14', line_item_id: 5, line_item: 'Boots, sport readers', creative_id: 9, ...FIGURES_EXAMPLE }],
});

const ADVERTISER_REPORT = component(
  'AdvertiserReport',
  s.record({ advertiser_id: s.integer, ...reportOf(schemaOf(REPORT_COLUMNS.advertiserKeys)) }),
  {
    ...{ advertiser_id: 2, ...REPORT_EXAMPLE },
    rows: [{ day: '2026-10-14', campaign_id: 3, campaign: 'Boots, autumn', ...FIGURES_EXAMPLE }],
  },
);

/** What all reports have. */
export type Report<Row> = Omit<s.Shape<typeof CAMPAIGN_REPORT>, 'campaign_id' | 'rows'> & { readonly rows: readonly Row[] };

const asked = {
  ...daysQuery('First UTC day; by default thirty days up to `to`'),
  format: choiceQuery(REPORT_FORMATS, 'By default the format in Accept; CSV has all rows'),
  ...pageQuery(REPORT_PAGE),
};
const reportAnswer = <S extends s.Schema>(schema: S) =>
  ok('The report: a page of its rows, and the totals of all pages', schema, { files: CSV_CONTENT, headers: LINK });

/** Delivery reports of one record. */
export const RECORD_REPORT_API = defineRoutes({
  getCampaignReport: {
    ...at('GET', '/api/campaigns/{id}/report', 'delivery'),
    needs: 'reports.read',
    reach: 'own',
    cost: 'report',
    summary: 'Report of a campaign by day, line item and creative',
    parameters: { id: idInPath('campaign'), ...asked },
    answer: reportAnswer(CAMPAIGN_REPORT),
  },
  getAdvertiserReport: {
    ...at('GET', '/api/advertisers/{id}/report', 'delivery'),
    needs: 'reports.read',
    reach: 'own',
    cost: 'report',
    summary: 'Report of an advertiser by day and campaign, over all publishers of one currency',
    parameters: {
      id: idInPath('advertiser'),
      currency: textQuery(
        'One of `currencies`; by default that of most campaigns',
        { pattern: '^[A-Z]{3}$' },
        'must be an ISO 4217 code, such as EUR',
      ),
      ...asked,
    },
    answer: reportAnswer(ADVERTISER_REPORT),
  },
});
