import type { Knex } from 'knex';
import { MAX_REPORT_DAYS, type ReportQuestion } from './report-question.ts';
import { askedOf } from './answer-report.ts';
import { sharedSearch } from './report-link-routes.ts';
import type { SharedReport } from './report-link-store.ts';
import type { ReportResult, Reports } from './run-report.ts';
import type { ReportRow } from './shown-row.ts';
import type { SharedCampaigns } from './shared-campaigns-api.ts';
import { parseCreativeContent } from '../catalog/checks/parse-content.ts';
import type { PagePicture, Screenshot } from '../catalog/entities/page-pictures.ts';
import type { CreativeFormat } from '../catalog/model/choices.ts';
import { showEndDate, showStartDate } from '../catalog/model/flight-dates.ts';
import { previewDocument } from '../creative/preview-document.ts';
import { pagesOfAd } from '../proofing/pages-of-ad.ts';
import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { groupBy } from '../base/group-by.ts';

/** Campaigns of a report, and creatives of each, that its page shows. */
const MAX_CAMPAIGNS = 12;
const MAX_CREATIVES = 6;
/** Rows of days and campaigns. */
const MAX_ROWS = MAX_REPORT_DAYS * MAX_CAMPAIGNS;

type Campaign = SharedCampaigns['campaigns'][number];

interface CampaignRow {
  readonly id: number;
  readonly publisher_id: number;
  readonly name: string;
  readonly start_at: Date;
  readonly end_at: Date;
  readonly screenshots: readonly Screenshot[];
}

/** What the page of a link shows around its report: of the campaigns in it, and nothing that the report leaves out. */
export type ReadSharedCampaigns = (
  shared: SharedReport,
  question: ReportQuestion,
  person: string,
) => Promise<ReportResult<SharedCampaigns>>;

const NOTHING: SharedCampaigns = { publishers: [], campaigns: [] };

export const createReadSharedCampaigns =
  ({ knex, reports }: { readonly knex: Knex; readonly reports: Reports }): ReadSharedCampaigns =>
  async (shared, question, person) => {
    const inReport = await rowsOf(reports, shared, person, { group_by: 'campaign', from: question.from, to: question.to });
    if (!inReport.ok) return inReport;
    const ids = [...new Set(inReport.value.map((row) => Number(row['campaign_id'])))].filter((id) => id > 0).slice(0, MAX_CAMPAIGNS);
    const rows = await knex('campaigns')
      .whereIn('id', ids)
      .where({ advertiser_id: shared.advertiserId })
      .select<CampaignRow[]>('id', 'publisher_id', 'name', 'start_at', 'end_at', 'screenshots');
    if (rows.length === 0) return { ok: true, value: NOTHING };
    const shows = (metric: 'impressions' | 'clicks'): boolean => question.metrics.includes(metric);
    const days = shows('impressions') ? await flightDays(reports, shared, person, rows) : { ok: true as const, value: [] };
    if (!days.ok) return days;
    const isWhole = question.filters.every(({ dimension }) => ['advertiser', 'campaign', 'publisher'].includes(dimension));
    const [goals, creatives, publishers] = await Promise.all([
      shows('impressions') && isWhole ? goalsOf(knex, ids) : new Map<number, number>(),
      creativesOf(knex, ids),
      knex('publishers')
        .whereIn(
          'id',
          rows.map(({ publisher_id }) => publisher_id),
        )
        .orderBy('name')
        .select<SharedCampaigns['publishers'][number][]>('name', 'domain', 'logo'),
    ]);
    const byCampaign = groupBy(days.value, (row) => Number(row['campaign_id']));
    const campaigns = rows.map((row): Campaign => {
      const ofDays = (byCampaign.get(row.id) ?? []).map((day) => ({
        day: String(day['day']),
        impressions: Number(day['impressions'] ?? 0),
        clicks: shows('clicks') ? Number(day['clicks'] ?? 0) : 0,
      }));
      const sum = (name: 'impressions' | 'clicks'): number => ofDays.reduce((all, day) => all + day[name], 0);
      return {
        ...{ name: row.name, start_date: showStartDate(row.start_at.getTime()), end_date: showEndDate(row.end_at.getTime()) },
        ...{ goal: goals.get(row.id) ?? null, impressions: sum('impressions'), clicks: sum('clicks') },
        days: ofDays.toSorted((a, b) => a.day.localeCompare(b.day)),
        creatives: creatives.get(row.id) ?? [],
        screenshots: row.screenshots,
      };
    });
    return { ok: true, value: { publishers, campaigns: campaigns.toSorted((a, b) => b.impressions - a.impressions) } };
  };

/** The report of a link with other days and dimensions. */
const rowsOf = async (
  reports: Reports,
  { query, advertiserId, publishers }: SharedReport,
  person: string,
  asked: Readonly<Record<string, string>>,
): Promise<ReportResult<readonly ReportRow[]>> => {
  const search = sharedSearch(query, advertiserId);
  for (const name of ['range', 'sort']) search.delete(name);
  search.set('metrics', 'impressions,clicks');
  for (const [name, value] of Object.entries(asked)) search.set(name, value);
  const question = await askedOf(reports, search, { publishers, advertisers: [advertiserId] });
  // What the report is filtered by is not kept by campaign and day.
  if (!question.ok) return { ok: true, value: [] };
  const page = await reports.page(person, question.value, { limit: MAX_ROWS, offset: 0 });
  return page.ok ? { ok: true, value: page.value.rows } : page;
};

/** Of their flights up to now. */
const flightDays = (
  reports: Reports,
  shared: SharedReport,
  person: string,
  rows: readonly CampaignRow[],
): Promise<ReportResult<readonly ReportRow[]>> => {
  const today = dayOf(Date.now());
  const first = Math.min(...rows.map(({ start_at }) => dayOf(start_at.getTime())));
  const last = Math.min(today, Math.max(...rows.map(({ end_at }) => dayOf(end_at.getTime() - 1))));
  const from = Math.max(first, last - MAX_REPORT_DAYS + 1);
  if (from > last) return Promise.resolve({ ok: true, value: [] });
  return rowsOf(reports, shared, person, { group_by: 'day,campaign', from: dateOfDay(from), to: dateOfDay(last) });
};

const goalsOf = async (knex: Knex, ids: readonly number[]): Promise<ReadonlyMap<number, number>> => {
  const rows = await knex('line_items')
    .whereIn('campaign_id', ids)
    .where({ archived: false })
    .whereNotNull('goal_impressions')
    .groupBy('campaign_id')
    .select<{ id: number; goal: string }[]>('campaign_id as id', knex.raw('sum(goal_impressions) as goal'));
  return new Map(rows.map(({ id, goal }) => [id, Number(goal)]));
};

interface CreativeRow {
  readonly campaign_id: number;
  readonly name: string;
  readonly format: CreativeFormat;
  readonly content: string;
  readonly click_url: string | null;
  readonly width: number;
  readonly height: number;
  readonly placement_width: number;
  readonly page_pictures: readonly PagePicture[];
}

/** Those that serve, by campaign. */
const creativesOf = async (knex: Knex, ids: readonly number[]): Promise<ReadonlyMap<number, Campaign['creatives']>> => {
  const { rows } = await knex.raw<{ rows: CreativeRow[] }>(
    `select * from (
       select l.campaign_id, coalesce(nullif(c.name, ''), l.name) as name, c.format, c.content, c.click_url,
         coalesce(c.width, p.width) as width, coalesce(c.height, p.height) as height,
         p.width as placement_width, p.page_pictures,
         row_number() over (partition by l.campaign_id order by c.id) as place
       from creatives c join line_items l on l.id = c.line_item_id join placements p on p.id = c.placement_id
       where l.campaign_id = any(cast(:ids as int[])) and c.status = 'approved' and c.blocked_at is null
         and not c.archived and not l.archived) as shown
     where place <= :most order by campaign_id, place`,
    { ids: [...ids], most: MAX_CREATIVES },
  );
  const shown = groupBy(rows, ({ campaign_id }) => campaign_id);
  return new Map(Array.from(shown, ([id, of]) => [id, of.map(toCreative)]));
};

const toCreative = (row: CreativeRow): Campaign['creatives'][number] => {
  const { name, width, height, click_url: clickUrl } = row;
  const pages = pagesOfAd({ width: row.placement_width, page_pictures: row.page_pictures });
  const parsed = parseCreativeContent(row.format, row.content);
  const markup = 'fault' in parsed ? undefined : previewDocument({ content: parsed.content, clickUrl }, { width, height });
  return { name, width, height, pages, markup: markup ?? null };
};
