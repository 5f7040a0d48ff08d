import { html, nothing, type TemplateResult } from 'lit-html';
import type { ReportAnswer, ReportFields } from '../../src/reports/report-api.ts';
import type { ChartData } from '../parts/charts/chart.ts';
import type { Page, View } from '../page.ts';
import { button, card, emptyState, loading, pageHead, problemNote, toggleButton } from '../parts/parts.ts';
import { createRawExport } from './raw-export.ts';
import { readReport } from './read-report.ts';
import { endsToday } from './ends-today.ts';
import { trendChart } from './report-chart.ts';
import { combines, parametersOf, queryOf, readChoice, toggleFilter, type ReportChoice } from './report-choice.ts';
import { reportControls } from './report-controls.ts';
import { payerNote } from './payer-note.ts';
import { reportTable } from './report-table.ts';
import { createSavedReports } from './saved-reports.ts';
import { hashOf, type Route } from '../route.ts';
import { createShareForm } from './share-report.ts';
import { saveFile } from '../api/save-file.ts';
import type { Problem } from '../api/wire.ts';
import { date, isoDateIn, time } from '../words/dates.ts';
import { count } from '../words/formats.ts';
import { sayWords } from '../words/service-words.ts';
import { t } from '../words/texts.ts';

/** The limit of the service. */
const MAX_FILTER_VALUES = 100;

/** Reports: what is chosen is in the address, and the table and the chart follow each choice. */
export const openReports = (page: Page, route: Route): View => {
  const { may } = page.rights;
  let choice = readChoice(route.query);
  let fields: ReportFields | undefined;
  let answer: ReportAnswer | undefined;
  let problem: Problem | undefined;
  let chart: ChartData | undefined;
  let charted = choice.metrics[0] ?? 'impressions';
  let adding = '';
  let turn = 0;
  let isReading = false;

  const load = async (): Promise<void> => {
    const mine = ++turn;
    const isWanted = (): boolean => mine === turn;
    isReading = true;
    page.redraw();
    const found = await readReport(page, parametersOf(choice), isWanted);
    if (!found) return;
    problem = found.ok ? undefined : found.problem;
    answer = found.ok ? found.value : undefined;
    isReading = false;
    page.redraw();
    if (answer) await loadChart(answer, isWanted);
  };
  /** The same figures by day; not where days do not combine with them, which no roll-up has. */
  const loadChart = async ({ from, to, rows, row_count }: ReportAnswer, isWanted: () => boolean): Promise<void> => {
    if (!choice.metrics.includes(charted)) charted = choice.metrics[0] ?? charted;
    // Without the dimension, the figures would be those of all impressions, with and without a deal.
    const deals = choice.groupBy.includes('deal') ? { deal: [...new Set(rows.map(({ deal }) => String(deal)))] } : {};
    const isWhole = !deals.deal || (row_count === rows.length && deals.deal.length > 0 && deals.deal.length <= MAX_FILTER_VALUES);
    const filters = { ...deals, ...choice.filters };
    const byDay: ReportChoice = { ...choice, range: '', from, to, groupBy: ['day'], metrics: [charted], filters, sort: '' };
    const found = isWhole && fields && combines(fields, byDay) ? await readReport(page, parametersOf(byDay), isWanted, 500) : undefined;
    if (!isWanted()) return;
    chart = found?.ok ? trendChart(found.value, charted) : undefined;
    page.redraw();
  };
  const change = (next: ReportChoice): void => {
    choice = next;
    adding = '';
    page.rename(`#/reports?${queryOf(choice).toString()}`);
    void load();
  };
  const query = (): string => queryOf(choice).toString();
  const save = (format: 'csv' | 'xlsx') =>
    saveFile(page, page.api.file('/reports', { ...parametersOf(choice), format }), `report.${format}`);
  const saved = createSavedReports(page, {
    open: (text) => change(readChoice(new URLSearchParams(text))),
    query,
  });
  const share = createShareForm(page, query);
  const events = createRawExport(page);

  const start = async (): Promise<void> => {
    const found = await page.api.get('/reports/fields');
    if (found.ok) fields = sayWords(found.value);
    else problem = found.problem;
    page.redraw();
    for (const { name, table } of fields?.dimensions ?? [])
      if (table) void page.store.ensure(table, ...(choice.filters[name] ?? [])).then(() => page.redraw());
    if (fields) await Promise.all([load(), saved.load()]);
  };
  void start();

  const result = (all: ReportFields): TemplateResult => {
    if (problem) return faults(problem);
    if (!answer) return loading();
    const { rows, row_count, time_zone } = answer;
    if (rows.length === 0) return emptyState(t`Nothing was counted in these days with these filters. Choose other days, or fewer filters.`);
    const labelOf = (name: string): string => all.metrics.find((metric) => metric.name === name)?.label ?? name;
    return html`<div class=${isReading ? 'report-result stale' : 'report-result'} aria-busy=${isReading ? 'true' : 'false'}>
      ${
        chart
          ? card(
              t`${labelOf(charted)} by day`,
              html`<ad-chart .chart=${chart}></ad-chart
                >${endsToday(answer) ? html`<p class="legend"><span class="key dashed">${t`today so far`}</span></p>` : nothing}`,
              html`<div class="toggles">
                ${choice.metrics.map((name) => toggleButton(labelOf(name), name === charted, () => draw(name)))}
              </div>`,
            )
          : nothing
      }
      <p class="figure" role="status">
        ${t`${count(row_count)} ${row_count === 1 ? t`row` : t`rows`}, ${date(answer.from)} to ${date(answer.to)}
        (${time_zone})${rows.length < row_count ? t`. The first ${count(rows.length)} are shown; CSV has all of them` : ''}.`}
        ${answer.to >= isoDateIn(-1) ? t`With what was stored until ${time(answer.complete_until)}.` : ''}
      </p>
      ${payerNote(answer.payer_changes)}
      ${reportTable({
        ...{ answer, choice },
        sort: (column) => change({ ...choice, sort: choice.sort === `-${column}` ? column : `-${column}` }),
        only: (dimension, value) => change(toggleFilter(choice, dimension, value)),
      })}
    </div>`;
  };
  const draw = (metric: string): void => {
    charted = metric;
    if (answer) void loadChart(answer, () => charted === metric);
  };

  return {
    title: t`Reports`,
    section: 'reports',
    leave: () => void turn++,
    render: () => html`
      ${pageHead(
        t`Reports`,
        t`Figures in the time zone of each publisher. Those without a prefix are net of invalid traffic.`,
        fields
          ? html`${button('CSV', () => save('csv'), 'secondary')} ${button('Excel', () => save('xlsx'), 'secondary')}
            ${may('GET', '/events') ? button(t`Raw events`, events.open, 'secondary') : nothing}
            ${may('POST', '/report_links') ? button(t`Share`, share.open, 'secondary') : nothing}
            ${may('GET', '/report_links') ? html`<a role="button" class="secondary" href=${hashOf(['report_links'])}>${t`Shared links`}</a>` : nothing}
            ${may('POST', '/saved_reports') ? button(t`Save`, saved.add) : nothing}`
          : nothing,
      )}
      ${
        fields
          ? reportControls({
              ...{ fields, choice, page, adding, change },
              add: (dimension) => {
                adding = dimension;
                page.redraw();
              },
            })
          : nothing
      }
      ${share.render()} ${events.render()} ${saved.form()} ${fields ? result(fields) : problem ? problemNote(problem) : loading()}
      ${saved.list()}
    `,
  };
};

const faults = (problem: Problem): TemplateResult =>
  problemNote(
    problem,
    problem.errors.map(({ pointer, detail }) => `${pointer.slice(1).replaceAll('/', ' ').replaceAll('_', ' ')}: ${detail}`),
  );
