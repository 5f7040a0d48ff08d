import { html, nothing, type TemplateResult } from 'lit-html';
import type { Report } from '../../src/reports/record-report/record-report-api.ts';
import type { ReportFigures } from '../../src/reports/record-report/report-columns.ts';
import { input } from '../parts/fields/input.ts';
import type { Page } from '../page.ts';
import { button, card, toggleButton } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { saveFile } from '../api/save-file.ts';
import type { Answer } from '../api/wire.ts';
import { table, unbroken, type Column } from '../parts/table.ts';
import { filteredClicks, filteredImpressions, provisionalClicks, reasonRows } from '../words/filtered-words.ts';
import { date, isoDateIn } from '../words/dates.ts';
import { count, money, percent } from '../words/formats.ts';
import { t } from '../words/texts.ts';

/** Days, the first and the last. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

export interface ReportCardOptions<Row> {
  readonly read: (span: Span) => Promise<Answer<Report<Row>>>;
  readonly csv: (span: Span) => Promise<Answer<Blob>>;
  /** false: the person may not read it, and there is no card. */
  readonly may: boolean;
  /** Of the file. */
  readonly name: string;
  /** What a row counts, after its day. */
  readonly keys: readonly Column<Row>[];
  /** The sums that are shown first: of all rows with one of these keys. */
  readonly by: {
    readonly label: string;
    readonly caption: string;
    readonly keyOf: (row: Row) => number;
    readonly keys: readonly Column<Row>[];
  };
  /** Above the table. */
  readonly head?: (report: Report<Row>) => TemplateResult | typeof nothing;
}

/** The delivery report of a record, over days that can be chosen; the last fourteen at first. */
export const createReportCard = <Row extends ReportFigures & { readonly day: string }>(
  page: Page,
  { read, csv, may, name, keys, by, head = () => nothing }: ReportCardOptions<Row>,
): (() => TemplateResult | typeof nothing) => {
  let span: Span = { from: isoDateIn(-13), to: isoDateIn(0) };
  const report = createReading(page, () => read(span), { may });
  const dayInput = (label: string, side: keyof Span) =>
    input({
      type: 'date',
      label,
      value: span[side],
      onChange: (typed) => {
        span = { ...span, [side]: typed };
        if (span.from && span.to) void report.load();
      },
    });
  const dayColumn: Column<Row> = { label: t`Day`, cell: (row) => unbroken(date(row.day)) };
  const views: readonly ReportViewOf<Row>[] = [
    { label: by.label, caption: by.caption, keys: by.keys, rowsOf: (rows) => sumRows(rows, by.keyOf) },
    { label: t`By day`, caption: t`Delivery by day`, keys: [dayColumn], rowsOf: (rows) => sumRows(rows, ({ day }) => day) },
    { label: t`Each row`, caption: t`Delivery by day`, keys: [dayColumn, ...keys], rowsOf: (rows) => rows },
  ];
  let chosen = 0;
  const choose = (at: number): void => {
    chosen = at;
    page.redraw();
  };
  const viewChoice = (): TemplateResult =>
    html`<div class="toggles report-views" role="group" aria-label=${t`Rows`}>
      ${views.map(({ label }, at) => toggleButton(label, at === chosen, () => choose(at)))}
    </div>`;
  const columnsIn = (currency: string, shown: readonly Column<Row>[]): readonly Column<Row>[] => [
    ...shown,
    { label: t`Serves`, numeric: true, cell: ({ serves }) => count(serves) },
    { label: t`Filtered`, numeric: true, cell: filteredCell },
    { label: t`Impressions`, numeric: true, cell: ({ impressions }) => count(impressions) },
    { label: t`Clicks`, numeric: true, cell: ({ clicks }) => count(clicks) },
    { label: t`Click rate`, numeric: true, cell: ({ ctr, impressions }) => (impressions === 0 ? '–' : percent(ctr)) },
    { label: t`Spend`, numeric: true, cell: ({ spend }) => money(spend, currency) },
    { label: 'eCPM', numeric: true, cell: ({ ecpm, impressions }) => (impressions === 0 ? '–' : money(ecpm, currency)) },
  ];
  if (!may) return () => nothing;
  return () =>
    card(
      t`Delivery`,
      report.render((value) => {
        const { rows, row_count, totals } = value;
        const isWhole = rows.length === row_count;
        // Sums of some of the rows would be wrong.
        const { caption, keys: shown, rowsOf } = views[isWhole ? chosen : views.length - 1] ?? views[0]!;
        const [first, ...others] = shown;
        // The keys of the sum are absent.
        const sum = { ...totals, day: '' } as Row;
        const columns = columnsIn(value.currency ?? 'USD', [
          ...(first ? [{ ...first, cell: (row: Row) => (row === sum ? t`All` : first.cell(row)) }] : []),
          ...others.map((column) => ({ ...column, cell: (row: Row) => (row === sum ? '' : column.cell(row)) })),
        ]);
        return html`
          ${head(value)} ${isWhole && rows.length > 0 ? viewChoice() : nothing}
          ${rows.length === 0 ? html`<p class="empty-preview">${t`Nothing was delivered in these days.`}</p>` : table({ caption, columns, rows: [...rowsOf(rows), sum], rowClass: (row) => (row === sum ? 'sum' : '') })}
          ${rows.length < row_count ? html`<p>${t`The first ${count(rows.length)} of ${count(row_count)} rows. The CSV file has all of them.`}</p>` : nothing}
          ${reasonTable(totals)}
        `;
      }),
      html`<div class="row">
        ${dayInput(t`From`, 'from')}${dayInput(t`To`, 'to')} ${button('CSV', () => saveFile(page, csv(span), `${name}.csv`), 'secondary')}
      </div>`,
    );
};

interface ReportViewOf<Row> {
  readonly label: string;
  readonly caption: string;
  readonly keys: readonly Column<Row>[];
  readonly rowsOf: (rows: readonly Row[]) => readonly Row[];
}

const SUMMED = [
  ...['serves', 'gross_impressions', 'filtered_impressions', 'provisional_impressions', 'impressions', 'gross_clicks'],
  ...['filtered_clicks', 'provisional_clicks', 'clicks', 'viewable', 'spend'],
] as (keyof ReportFigures & ('serves' | 'impressions' | 'clicks' | 'spend'))[];

/** The sums of all rows with one key, in the order of their first rows; rates are those of the sums. */
const sumRows = <Row extends ReportFigures>(rows: readonly Row[], keyOf: (row: Row) => string | number): readonly Row[] => {
  const sums = new Map<string | number, Row>();
  for (const row of rows) {
    const before = sums.get(keyOf(row));
    const added = before && Object.fromEntries(SUMMED.map((name) => [name, before[name] + row[name]]));
    sums.set(keyOf(row), { ...(before ?? row), ...added });
  }
  return Array.from(sums.values(), (sum) => {
    const { impressions, clicks, spend } = sum;
    return { ...sum, ctr: impressions === 0 ? 0 : clicks / impressions, ecpm: impressions === 0 ? 0 : (1_000 * spend) / impressions };
  });
};

/** Impressions, and below them clicks. */
const filteredCell = (row: ReportFigures): TemplateResult | string =>
  row.gross_impressions + row.gross_clicks === 0
    ? '–'
    : unbroken(html`${filteredImpressions(row)}<br />${t`${filteredClicks(row)} clicks`}${underJudgement(row)}`);

const underJudgement = (row: ReportFigures): TemplateResult | typeof nothing =>
  row.provisional_clicks === 0 ? nothing : html`<br />${t`${provisionalClicks(row)} provisional`}`;

/** Why hits of these days are filtered. */
const reasonTable = ({ filtered }: ReportFigures): TemplateResult | typeof nothing => {
  const rows = reasonRows(filtered);
  if (rows.length === 0) return nothing;
  return html`<details open>
    <summary>${t`Why hits were filtered`}</summary>
    ${table({
      caption: t`Filtered hits by reason`,
      rows,
      columns: [
        { label: t`Reason`, cell: ({ reason }) => reason },
        { label: t`Impressions`, numeric: true, cell: ({ impression }) => count(impression) },
        { label: t`Clicks`, numeric: true, cell: ({ click }) => count(click) },
        { label: t`Events`, numeric: true, cell: ({ event }) => count(event) },
      ],
    })}
  </details>`;
};
