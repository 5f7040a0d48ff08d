import { html, type TemplateResult } from 'lit-html';
import type { ListedDelivery, Progress } from '../../../src/delivery/status/status.ts';
import type { Week } from '../../../src/delivery/sums/recent-counts.ts';
import type { StatusKind, Statuses } from '../../api/statuses.ts';
import type { Page } from '../../page.ts';
import type { LineItemWire } from '../../api/wire.ts';
import { currencyOfCampaign } from '../../words/currency.ts';
import { amounts, count, money, percent } from '../../words/formats.ts';
import { WIDTHS, type ListColumn } from './list-column.ts';
import { t } from '../../words/texts.ts';

/** What the delivered part is of. */
const OF: Readonly<Record<Progress['of'], { readonly words: string; readonly show: (value: number, currency: string) => string }>> = {
  goal_impressions: { words: t`the goal of impressions`, show: count },
  goal_clicks: { words: t`the goal of clicks`, show: count },
  daily_impression_cap: { words: t`the daily cap`, show: count },
  daily_spend_cap: { words: t`the daily spend cap`, show: money },
  budget: { words: t`the budget`, show: money },
};

/** Delivery of today, and the used part of the goal or limit of each line item. */
export const deliveryColumns = ({ statuses, store }: Pick<Page, 'statuses' | 'store'>): readonly ListColumn<LineItemWire>[] => {
  const cell =
    (show: (delivery: ListedDelivery, item: LineItemWire) => TemplateResult | string) =>
    (item: LineItemWire): TemplateResult | string => {
      const delivery = statuses.delivery(item.id);
      return delivery ? show(delivery, item) : '…';
    };
  return [
    {
      ...{ id: 'today', label: t`Today`, width: WIDTHS.counted, numeric: true, sort: '-impressions_today' },
      cell: cell(({ impressions_today }) => count(impressions_today)),
      sum: ({ impressions_today }) => count(impressions_today),
      value: ({ id }) => statuses.delivery(id)?.impressions_today ?? null,
    },
    {
      ...{ id: 'delivered', label: t`Delivered`, width: WIDTHS.bar },
      cell: cell(({ progress }, item) => (progress ? progressBar(progress, currencyOfCampaign(store, item.campaign_id)) : '–')),
      value: ({ id }) => statuses.delivery(id)?.progress?.done ?? null,
    },
    {
      ...{ id: 'spend_today', label: t`Spend today`, width: WIDTHS.sum, numeric: true, sort: '-spend_today', usual: 1500 },
      cell: cell(({ spend_today }, { type, budget_type, campaign_id }) =>
        type === 'direct' && budget_type === 'Flat'
          ? html`<span title=${t`A fee is earned over the flight: see Reports`}>${t`fee`}</span>`
          : money(spend_today, currencyOfCampaign(store, campaign_id)),
      ),
      sum: ({ spend_today }) => amounts(spend_today),
      value: ({ id }) => statuses.delivery(id)?.spend_today ?? null,
    },
  ];
};

/** Impressions of the last seven days, and how they compare with the seven before. */
export const weekColumn = (statuses: Statuses, kind: StatusKind, sort?: string): ListColumn<{ readonly id: number }> => ({
  ...{ id: 'week', label: t`7 days`, width: 132, numeric: true, usual: 1280, ...(sort !== undefined && { sort }) },
  cell: ({ id }) => {
    const week = statuses.week(kind, id);
    return week ? weekCell(week) : '…';
  },
  sum: ({ week }) => weekCell(week),
  value: ({ id }) => statuses.week(kind, id)?.impressions ?? null,
});

const weekCell = ({ impressions, before }: Week): TemplateResult | string => {
  if (before === 0) return count(impressions);
  const change = Math.round(100 * (impressions / before - 1)) / 100;
  const look = change < 0 ? 'down' : change > 0 ? 'up' : 'same';
  const words = t`${count(impressions)} in the last seven days, ${count(before)} in the seven before`;
  return html`<span class="change" title=${words}
    >${count(impressions)}
    <small class=${look}><span aria-hidden="true">${change < 0 ? '▾' : change > 0 ? '▴' : '='}</span>${percent(Math.abs(change))}</small
    ><span class="unseen">${words}</span></span
  >`;
};

const progressBar = ({ of, done, limit }: Progress, currency: string): TemplateResult => {
  const { words, show } = OF[of];
  const share = limit > 0 ? done / limit : 1;
  const text = t`${show(done, currency)} of ${show(limit, currency)}, ${words}`;
  return html`<span class="progress" title=${text}>
    <span class="bar ${share >= 1 ? 'full' : ''}" role="img" aria-label=${text}
      ><span class="used" .style=${`width:${Math.min(100, 100 * share)}%`}></span
    ></span>
    <small>${percent(Math.floor(100 * share) / 100)}</small>
  </span>`;
};
