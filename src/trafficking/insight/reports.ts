import type { Knex } from 'knex';
import { isKnownCampaign, readReport, sumCounts, type StoredReportRow } from '../../events/postgres/campaign-report.ts';
import { show } from '../openapi/columns.ts';
import { REPORT_COLUMNS, type AdvertiserReport, type CampaignReport } from './report-columns.ts';

/** Of one campaign or advertiser, and of its days `from` to `to` (YYYY-MM-DD, both included). */
export interface ReportOf {
  readonly id: number;
  readonly from: string;
  readonly to: string;
}

/** A campaign's report; undefined: the campaign does not exist and has never delivered. */
export const readCampaignReport = async (knex: Knex, { id, from, to }: ReportOf): Promise<CampaignReport | undefined> => {
  const rows = await readReport(knex, { campaignIds: [id], from, to });
  if (rows.length === 0 && !(await isKnownCampaign(knex, id))) return undefined;
  return {
    campaign_id: id,
    from,
    to,
    rows: rows.map((row) => ({ ...show(REPORT_COLUMNS.keys, row), ...show(REPORT_COLUMNS.figures, row) })),
    totals: show(REPORT_COLUMNS.figures, sumCounts(rows)),
  };
};

/** Days × campaigns of an advertiser, as its campaigns are now; undefined: it does not exist. */
export const readAdvertiserReport = async (knex: Knex, { id, from, to }: ReportOf): Promise<AdvertiserReport | undefined> => {
  if (!(await knex('advertisers').where({ id }).first('id'))) return undefined;
  const campaigns = await knex('campaigns').where({ advertiser_id: id }).select<{ id: number; name: string }[]>('id', 'name');
  const names = new Map(campaigns.map((campaign) => [campaign.id, campaign.name]));
  const rows = await readReport(knex, { campaignIds: [...names.keys()], from, to });
  const days = new Map<string, StoredReportRow[]>();
  for (const row of rows) {
    const key = `${row.date} ${row.campaignId}`;
    const ofDay = days.get(key);
    if (ofDay) ofDay.push(row);
    else days.set(key, [row]);
  }
  return {
    advertiser_id: id,
    from,
    to,
    rows: [...days.values()].flatMap((ofDay) => {
      const [first] = ofDay;
      if (!first) return [];
      const key = { date: first.date, campaignId: first.campaignId, campaign: names.get(first.campaignId) ?? null };
      return [{ ...show(REPORT_COLUMNS.advertiserKeys, key), ...show(REPORT_COLUMNS.figures, sumCounts(ofDay)) }];
    }),
    totals: show(REPORT_COLUMNS.figures, sumCounts(rows)),
  };
};
