import { html, nothing, type TemplateResult } from 'lit-html';
import type { FinanceWire, OpenMonthWire } from '../../src/finance/finance-api.ts';
import type { Page, View } from '../page.ts';
import { button, card, emptyState, loading, pageHead, pill, problemNote } from '../parts/parts.ts';
import { table, type Column } from '../parts/table.ts';
import { saveFile } from '../api/save-file.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import { payerNote } from '../reports/payer-note.ts';
import { openMonths } from './open-months.ts';
import { select } from '../parts/select.ts';
import { hashOf, type Route } from '../route.ts';
import type { Problem } from '../api/wire.ts';
import { date, moment, monthAndYear } from '../words/dates.ts';
import { locale } from '../words/language.ts';
import { count, exactMoney } from '../words/formats.ts';
import { linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

const MONTHS = 24;

/** The last months, the current one first: `2026-11`. */
const lastMonths = (): readonly string[] => {
  const now = new Date();
  return Array.from({ length: MONTHS }, (_, i) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - i, 1)).toISOString().slice(0, 7),
  );
};

/** What a publisher bills its advertisers for a month; months are closed here. */
export const openFinance = async (page: Page, route: Route): Promise<View> => {
  await Promise.all([page.store.count(), page.store.ensure('publishers', ...route.query.getAll('publisher_id'))]);
  let publisher = route.query.get('publisher_id') ?? String(page.store.first('publishers')[0]?.id ?? '');
  let month = route.query.get('month') ?? lastMonths()[1] ?? '';
  let statement: FinanceWire | undefined;
  let problem: Problem | undefined;
  /** Kept while another month is read. */
  let closed: readonly string[] = [];
  let open: readonly OpenMonthWire[] = [];

  const asked = () => ({ publisher_id: publisher, month });
  const load = async (): Promise<void> => {
    if (publisher === '') return;
    const mine = asked();
    const answer = await page.api.get('/finance', mine);
    if (mine.publisher_id !== publisher || mine.month !== month) return;
    statement = answer.ok ? answer.value : undefined;
    closed = answer.ok ? answer.value.closed_months : closed;
    problem = answer.ok ? undefined : answer.problem;
    page.redraw();
  };
  const loadOpen = async (): Promise<void> => {
    if (!page.rights.may('GET', '/finance/open')) return;
    const answer = await page.api.get('/finance/open');
    if (!answer.ok) return page.complain(answer.problem);
    open = answer.value;
    page.redraw();
  };
  const choose = (change: { readonly publisher?: string; readonly month?: string }): void => {
    publisher = change.publisher ?? publisher;
    month = change.month ?? month;
    page.rename(hashOf(['finance'], { publisher_id: publisher, month }));
    void load();
  };
  const close = async (): Promise<void> => {
    const text = t`The figures stay as they are now. Later hits, refunds of filtered ones and changes of fees become corrections of the next month that is closed. A closed month cannot be opened again.`;
    if (!(await page.confirm({ title: t`Close ${monthAndYear(month)}?`, text, yes: t`Close the month` }))) return;
    const answer = await page.api.send('POST', '/finance/close', { body: { publisher_id: Number(publisher), month } });
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`${monthAndYear(month)} is closed.`, { tone: 'good' });
    statement = answer.value;
    closed = statement.closed_months;
    await loadOpen();
  };
  const file = (format: 'csv' | 'xlsx') =>
    saveFile(page, page.api.file('/finance', { ...asked(), format }), `statement_${publisher}_${month}.${format}`);
  void load();
  void loadOpen();

  return {
    title: t`Finance`,
    section: 'finance',
    render: () => html`
      ${pageHead(
        t`Finance`,
        t`Revenue by advertiser and month, net of invalid traffic, in the time zone of the publisher.`,
        statement
          ? html`${button('CSV', () => file('csv'), 'secondary')} ${button('Excel', () => file('xlsx'), 'secondary')}
            ${statement.closed_at === null && page.rights.may('POST', '/finance/close') ? button(t`Close the month`, close) : nothing}`
          : nothing,
      )}
      <div class="toolbar">
        ${recordChoice(page, { kind: 'publishers', label: t`Publisher`, value: publisher, choose: (value) => value !== '' && choose({ publisher: value }) })}
        ${select(
          t`Month`,
          month,
          [...new Set([month, ...lastMonths()])].map(
            (one) => [one, `${monthAndYear(one)}${closed.includes(one) ? t`, closed` : ''}`] as const,
          ),
          (value) => choose({ month: value }),
        )}
      </div>
      ${publisher === '' ? emptyState(t`There is no publisher yet.`) : problem ? problemNote(problem) : statement ? statementView(statement) : loading()}
      ${open.length === 0 ? nothing : openMonths(open)}
    `,
  };
};

/** An amount in cents; to the micro where its row is pointed at, what is below a cent in a lighter colour. */
const exact = (amount: number, currency: string): TemplateResult => {
  const { cents, micros, rest } = exactMoney(amount, currency);
  const rounded = new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount);
  return html`<span class="rounded" title=${`${cents}${micros}${rest}`}>${rounded}</span
    ><span class="exact">${cents}<small class="micros">${micros}</small>${rest}</span>`;
};

type Owed = FinanceWire['advertisers'][number] | FinanceWire['totals'] | FinanceWire['lines'][number];

/** null: no rate is known; undefined: nothing in this currency. */
const amountIn = (owed: Owed, currency: string, own: string): number | null | undefined => {
  if ('currency' in owed) return owed.currency === currency ? owed.amount : undefined;
  return currency === own ? owed.amount : owed.other_amounts.find((other) => other.currency === currency)?.amount;
};

/** Revenue and, where statements are in another currency, the amounts in each of these; beside it the fee of days to come. */
const moneyColumns = <T extends Owed>({ closed_at, revenue_currency: own, currency, totals }: FinanceWire): readonly Column<T>[] => {
  const currencies = [currency, ...totals.other_amounts.map((other) => other.currency)];
  return [
    { label: closed_at === null ? t`Revenue to date` : t`Revenue`, numeric: true, cell: ({ revenue }) => exact(revenue, own) },
    ...(currencies.every((one) => one === own)
      ? []
      : currencies.map((one) => ({
          label: t`In ${one}`,
          numeric: true,
          cell: (owed: T) => {
            const amount = amountIn(owed, one, currency) ?? null;
            return amount === null ? '–' : exact(amount, one);
          },
        }))),
    ...(totals.fee_to_come === 0
      ? []
      : [{ label: t`Fee still to come`, numeric: true, cell: ({ fee_to_come: fee }: T) => (fee === 0 ? '–' : exact(fee, own)) }]),
  ];
};

/** What the figures of an open month include. */
const included = ({ through, totals }: FinanceWire): string =>
  [
    through === null
      ? t`The month has not begun.`
      : t`Revenue is to date, up to the end of ${date(through)}, as in a report of these days${totals.corrections === 0 ? '' : t`, and has the corrections of closed months in it`}.`,
    totals.fee_to_come === 0
      ? ''
      : t`The fee still to come is for ${through === null ? t`its days` : t`later days`} and is not in the revenue.`,
  ].join(' ');

const statementView = (statement: FinanceWire): TemplateResult => {
  const { month, closed_at, closed_by, advertisers, lines, totals, time_zone, revenue_currency: own, currency, rate } = statement;
  const converted =
    currency === own
      ? ''
      : rate === null
        ? t` There is no exchange rate for ${currency}: an administrator must add it before you close the month.`
        : t` 1 ${own} is ${rate} ${currency}.`;
  const state =
    closed_at === null
      ? html`${pill('live', t`open`)} ${t`It can still change. ${included(statement)}`}`
      : html`${t`Closed on ${moment(closed_at)} by`} ${closed_by}.`;
  if (lines.length === 0)
    return html`<p>${state}</p>
      ${emptyState(t`Nothing was earned in ${monthAndYear(month)}.`)}`;
  const corrections = lines.filter(({ of_month }) => of_month !== month);
  const byRevenue = advertisers.toSorted((a, b) => b.revenue - a.revenue);
  const owed = [...byRevenue, { advertiser_id: -1, advertiser: t`All`, ...totals }];
  return html`
    <p>${state} ${t`Days are those of ${time_zone}.${converted}`}</p>
    ${payerNote(statement.payer_changes)}
    ${card(
      t`By advertiser`,
      table({
        caption: t`Revenue by advertiser`,
        rows: owed,
        rowClass: ({ advertiser_id }) => (advertiser_id === -1 ? 'sum' : ''),
        columns: [
          {
            label: t`Advertiser`,
            cell: ({ advertiser_id, advertiser }) =>
              advertiser_id === null || advertiser_id === -1
                ? (advertiser ?? t`Not known`)
                : html`<a class="name" href=${linkTo('advertisers', advertiser_id)}>${advertiser ?? t`#${advertiser_id}, deleted`}</a>`,
          },
          { label: t`Impressions`, numeric: true, cell: ({ impressions }) => count(impressions) },
          { label: t`Clicks`, numeric: true, cell: ({ clicks }) => count(clicks) },
          { label: t`Corrections`, numeric: true, cell: ({ corrections: of }) => (of === 0 ? '–' : exact(of, own)) },
          ...moneyColumns<(typeof owed)[number]>(statement),
        ],
      }),
    )}
    ${lineTable(
      statement,
      t`By campaign`,
      lines.filter(({ of_month }) => of_month === month).toSorted((a, b) => b.revenue - a.revenue),
    )}
    ${corrections.length > 0 ? lineTable(statement, t`Corrections of closed months`, corrections, true) : nothing}
  `;
};

const lineTable = (statement: FinanceWire, title: string, rows: FinanceWire['lines'], ofOtherMonths = false): TemplateResult =>
  card(
    title,
    table({
      caption: title,
      rows,
      columns: [
        ...(ofOtherMonths ? [{ label: t`Month`, cell: ({ of_month }: FinanceWire['lines'][number]) => monthAndYear(of_month) }] : []),
        {
          label: t`Campaign`,
          cell: ({ campaign_id, campaign }) =>
            campaign === null
              ? t`#${campaign_id}, deleted`
              : html`<a class="name" href=${linkTo('campaigns', campaign_id)}>${campaign}</a>`,
        },
        { label: t`Advertiser`, cell: ({ advertiser }) => advertiser ?? '–', minor: true },
        { label: t`Impressions`, numeric: true, cell: ({ impressions }) => count(impressions) },
        { label: t`Clicks`, numeric: true, cell: ({ clicks }) => count(clicks), minor: true },
        ...moneyColumns<FinanceWire['lines'][number]>(statement),
      ],
    }),
  );
