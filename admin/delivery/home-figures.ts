import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { readReport } from '../reports/read-report.ts';
import type { Page } from '../page.ts';
import { problemNote } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import type { ReportAnswer } from '../../src/reports/report-api.ts';
import type { Problem } from '../api/wire.ts';
import { changeWords, compareDays, type DayComparison, type HourRow } from '../reports/compare-days.ts';
import { count, money, percent } from '../words/formats.ts';
import { isoDateIn } from '../words/dates.ts';
import { t } from '../words/texts.ts';

const OF_REQUESTS = 'requests,unfilled';
const OF_BOOKINGS = 'impressions,viewable,clicks,revenue';
/** The hours of ten days: a week, today, and a day more on each side for the time zones; of each currency. */
const MAX_HOURS = 1_000;

/** Today's figures beside those of yesterday and of a week ago, up to the same time of day. */
export const createHomeFigures = (page: Page) => {
  let compared: readonly DayComparison[] | undefined;
  let currency: string | null = null;
  let problem: Problem | undefined;
  let turn = 0;
  const { may, me } = page.rights;
  const isAllowed = may('GET', '/reports');
  // Requests belong to no advertiser: who is limited to some is not told of them.
  const isOfAll = me.advertisers === null;
  const metrics = isOfAll ? `${OF_REQUESTS},${OF_BOOKINGS}` : OF_BOOKINGS;
  const load = async (): Promise<void> => {
    if (!isAllowed) return;
    const mine = ++turn;
    const asked = { group_by: 'hour', metrics, from: isoDateIn(-8), to: isoDateIn(1) };
    const answer = await readReport(page, asked, () => mine === turn, MAX_HOURS);
    if (!answer) return;
    problem = answer.ok ? undefined : answer.problem;
    if (answer.ok) {
      const { rows, totals_by_currency: byCurrency } = answer.value;
      // Amounts of several currencies are not added: the others are in reports.
      currency = answer.value.currency ?? mostEarned(byCurrency);
      const own = (rows as unknown as readonly HourRow[]).map((row) =>
        row.currency === undefined || row.currency === currency ? row : { ...row, revenue: 0 },
      );
      const whole = own.map((row) => ({ ...row, requests: row.requests ?? 0, unfilled: row.unfilled ?? 0 }));
      compared = compareDays(whole, answer.value.time_zone, Date.now());
    }
    page.redraw();
  };
  void load();
  return {
    load,
    render: () =>
      !isAllowed
        ? html``
        : html`${problem ? problemNote(problem) : nothing}
            <section class="home-figures" aria-label=${t`Today`} aria-busy=${compared || problem ? 'false' : 'true'}>
              ${(compared ?? PLACEHOLDERS).filter(({ isOfRequests }) => isOfAll || !isOfRequests).map((one) => figure(one, currency ?? 'USD'))}
            </section>`,
  };
};

const PLACEHOLDERS: readonly DayComparison[] = compareDays([], 'UTC', 0);

const SHOW: Readonly<Record<DayComparison['unit'], (value: number, currency: string) => string>> = { count, share: percent, money };

/** The currency of most revenue. */
const mostEarned = (totals: ReportAnswer['totals_by_currency']): string | null => {
  const [most] = totals.toSorted((a, b) => Number(b['revenue'] ?? 0) - Number(a['revenue'] ?? 0));
  return typeof most?.['currency'] === 'string' ? most['currency'] : null;
};

const figure = (
  { label, unit, isKnown, today, yesterday, lastWeek, hours, hoursBefore }: DayComparison,
  currency: string,
): TemplateResult => {
  const show = (value: number): string => SHOW[unit](value, currency);
  return html`<a class="home-figure" href=${hashOf(['reports'])}>
    <span class="home-label">${label}</span>
    <strong>${isKnown ? show(today) : '–'}</strong>
    <span class="home-change">${change(today, yesterday, 'yesterday', show)} ${change(today, lastWeek, 'last week', show)}</span>
    ${sparkline(hours.slice(0, -1), hoursBefore)}
  </a>`;
};

/** The change in words; the figure itself as a tooltip. */
const change = (now: number, before: number, than: 'yesterday' | 'last week', show: (value: number) => string): TemplateResult =>
  html`<span title=${before === 0 ? nothing : t`${show(before)} by this time`}>${changeWords(now, before, than)}</span>`;

const [WIDTH, HEIGHT] = [120, 28];

/** The complete hours of today over those of yesterday. For the eye: the figures say the same to screen readers. */
const sparkline = (today: readonly number[], yesterday: readonly number[]): TemplateResult => {
  const most = Math.max(...today, ...yesterday, 1e-9);
  const points = (values: readonly number[]): string =>
    values.map((value, hour) => `${((hour / 23) * WIDTH).toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`).join(' ');
  return html`<svg class="sparkline" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<polyline class="before" points=${points(yesterday)}></polyline><polyline points=${points(today)}></polyline>`}
  </svg>`;
};
