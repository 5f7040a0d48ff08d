import { html, nothing, type TemplateResult } from 'lit-html';
import type { Delivery } from '../../src/delivery/delivery.ts';
import { usageBar } from '../parts/parts.ts';
import { count, money } from '../words/formats.ts';
import { t } from '../words/texts.ts';

/** How far a line item is with each of its goals. */
export const goalBars = ({ goals: all, live, status }: Delivery): readonly TemplateResult[] =>
  all.map(({ of, goal, delivered, course, words }) => {
    // What its status says is not said again.
    const said = status.reasons.includes(words) ? '' : words;
    const stale = live ? '' : t` The counters are unavailable: as stored so far.`;
    return html`
      ${usageBar({ label: of === 'impressions' ? t`Goal of impressions` : t`Goal of clicks`, used: delivered, limit: goal, show: count })}
      ${said + stale === '' ? nothing : html`<p class=${course === 'behind' ? 'goal behind' : 'goal'}>${said}${stale}</p>`}
    `;
  });

/**
 * How much of its caps and budgets a line item has used.
 *
 * @param isOver its flight has ended: nothing of today
 */
export const limitBars = ({ today, limits, total, goals }: Delivery, isOver: boolean, currency: string): TemplateResult => {
  const amount = (value: number): string => money(value, currency);
  const { daily_impression_cap, daily_spend_cap, budget, campaign_budget, campaign_spend } = limits;
  const { campaign_daily_budget, campaign_spend_today } = limits;
  const held = today.committed - today.impressions;
  const ofToday = [
    { label: t`Impressions today`, used: today.impressions, held, limit: daily_impression_cap, show: count },
    { label: t`Spend today`, used: today.spend, limit: daily_spend_cap, show: amount },
    // What the other line items have spent is not known without the counters.
    {
      label: t`Daily budget of the campaign`,
      used: campaign_spend_today ?? 0,
      limit: campaign_spend_today === null ? null : campaign_daily_budget,
      show: amount,
    },
  ];
  const all = [
    ...(isOver ? [] : ofToday),
    { label: t`Total budget`, used: total.spend, limit: budget, show: amount },
    { label: t`Budget of the campaign`, used: campaign_spend, limit: campaign_budget, show: amount },
  ].flatMap(({ limit, ...bar }) => (limit === null ? [] : [usageBar({ ...bar, limit })]));
  return all.length + goals.length === 0 ? html`<p>${t`None is set. Only its flight limits it.`}</p>` : html`${all}`;
};
