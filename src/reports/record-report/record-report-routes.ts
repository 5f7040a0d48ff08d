import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { show, type Columns } from '../../api/columns.ts';
import { readDays } from '../../api/days-query.ts';
import { nextPageLink } from '../../api/page-of-rows.ts';
import {
  answer,
  fileHeaders,
  fileReply,
  noSuch,
  refuse,
  type Answered,
  type Asked,
  type Call,
  type FileReply,
  type Handlers,
  type Refused,
} from '../../api/route.ts';
import { amountFromMicros } from '../../catalog/model/money.ts';
import { readReportRows, readReportTotals, type ReportGrains, type ReportQuestion } from '../../events/postgres/delivery-report.ts';
import { latestToday } from '../../events/postgres/publisher-days.ts';
import { ADVERTISER_REPORT, CAMPAIGN_REPORT, readWholeReport, type ReportKind } from './record-reports.ts';
import type { RECORD_REPORT_API, Report } from './record-report-api.ts';
import { campaignsByCurrency, type CampaignsOfCurrency } from './campaigns-by-currency.ts';
import { REPORT_COLUMNS, reportRow, type ReportFigures } from './report-columns.ts';
import { reportCsv } from './report-csv.ts';

export interface RecordReportRoutesOptions {
  readonly knex: Knex;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const PERIOD = { defaultDays: 30, maxDays: 400 };
/** The format depends on it, unless the query names one. */
const VARY = { Vary: 'Accept' };

type AskedReport = Asked<(typeof RECORD_REPORT_API)['getCampaignReport']>;

/** Delivery reports of one record. */
export const recordReportRoutes = ({ knex, now }: RecordReportRoutesOptions): Handlers<typeof RECORD_REPORT_API> => {
  const report = async <Grain extends keyof ReportGrains, Keys extends Columns<ReportGrains[Grain]>>(
    { words, grain, keys, chargedFor }: ReportKind<Grain, Keys>,
    { id, format, limit, offset, currency, ...asked }: AskedReport & { readonly currency?: string | undefined },
    { url, request, caller }: Call,
  ) => {
    const charged = await chargedFor(knex, id, caller);
    const today = await latestToday(knex, now(), charged?.campaignIds ?? []);
    const period = readDays(asked, today, PERIOD);
    if (!period.ok) return period.refused;
    if (!charged) return noSuch(words);
    const { days } = period;
    const known = await campaignsByCurrency(knex, charged.campaignIds);
    const chosen = currency === undefined ? known[0] : known.find((one) => one.currency === currency);
    if (!chosen && currency !== undefined) return refuse('invalid_request', NOTHING_IN_CURRENCY, [currencyFault(known)]);
    const campaignIds = chosen?.campaignIds ?? [];
    const question = { ...charged, campaignIds, ...days };
    const sums = await readReportTotals(knex, grain, question);
    const totals = show(REPORT_COLUMNS.figures, sums);
    const readRows = async (part: ReportQuestion, page: { readonly limit: number; readonly offset: number }) =>
      (await readReportRows(knex, grain, part, page)).map((row) => reportRow(keys, row));
    if ((format ?? acceptedFormat(request)) === 'csv') {
      const name = `${words}-${id}_${days.from}_${days.to}.csv`;
      return csvFile(name, reportCsv(keys, totals, readWholeReport(question, sums, readRows)));
    }
    const rows = await readRows(question, { limit, offset });
    const more = offset + rows.length < sums.rows && rows.length > 0;
    return answer(
      {
        ...{ ...days, currency: chosen?.currency ?? null, currencies: known.map((one) => one.currency) },
        ...{ row_count: sums.rows, rows, totals, flat_fees: amountFromMicros(sums.feeMicros) },
      },
      { ...VARY, ...nextPageLink(url, { rows, more }, { limit, offset }) },
    );
  };
  return {
    getCampaignReport: async (asked, call) => about({ campaign_id: asked.id }, await report(CAMPAIGN_REPORT, asked, call)),
    getAdvertiserReport: async (asked, call) => about({ advertiser_id: asked.id }, await report(ADVERTISER_REPORT, asked, call)),
  };
};

const NOTHING_IN_CURRENCY = 'Amounts of several currencies are not added: a report is in one of those of the campaigns.';
const currencyFault = (known: readonly CampaignsOfCurrency[]) => ({
  pointer: '/currency',
  detail: known.length === 0 ? 'there are no campaigns' : `must be one of: ${known.map(({ currency }) => currency).join(', ')}`,
});

/** An answer that names its record. */
const about = <Id extends object, Row extends ReportFigures>(id: Id, reply: Answered<Report<Row>> | Refused | FileReply) =>
  reply.kind === 'answered' ? answer({ ...id, ...reply.value }, reply.headers) : reply;

const acceptedFormat = (request: Call['request']): 'csv' | 'json' =>
  request.accepts(['application/json', 'text/csv']) === 'text/csv' ? 'csv' : 'json';

/** The parts are sent as they are made, as fast as the client reads. */
const csvFile = (name: string, parts: AsyncIterable<string>): FileReply =>
  fileReply(async (begin) => {
    await pipeline(parts, begin({ ...fileHeaders(name, 'text/csv; charset=utf-8; header=present'), ...VARY }));
    return undefined;
  });
