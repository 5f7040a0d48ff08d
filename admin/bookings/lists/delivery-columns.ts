import { html, type TemplateResult } from 'lit-html';
import type { ListedDelivery, Progress } from '../../../src/delivery/status/status.ts';
import type { Column } from '../../parts/table.ts';
import type { Page } from '../../page.ts';
import type { LineItemWire } from '../../api/wire.ts';
import { currencyOfCampaign } from '../../words/currency.ts';
import { count, money, percent } from '../../words/formats.ts';
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
export const deliveryColumns = ({ statuses, store }: Pick<Page, 'statuses' | 'store'>): readonly Column<LineItemWire>[] => {
  const cell =
    (show: (delivery: ListedDelivery, item: LineItemWire) => TemplateResult | string) =>
    (item: LineItemWire): TemplateResult | string => {
      const delivery = statuses.delivery(item.id);
      return delivery ? show(delivery, item) : '…';
    };
  return [
    { label: t`Today`, numeric: true, sort: '-impressions_today', cell: cell(({ impressions_today }) => count(impressions_today)) },
    { label: t`Delivered`, cell: cell(({ progress }, item) => (progress ? progressBar(progress, currencyOfCampaign(store, item.campaign_id)) : '–')) },
    {
      label: t`Spend today`,
      numeric: true,
      sort: '-spend_today',
      cell: cell(({ spend_today }, { type, budget_type, campaign_id }) =>
        type === 'direct' && budget_type === 'Flat'
          ? html`<span title=${t`A fee is earned over the flight: see Reports`}>${t`fee`}</span>`
          : money(spend_today, currencyOfCampaign(store, campaign_id)),
      ),
    },
  ];
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
