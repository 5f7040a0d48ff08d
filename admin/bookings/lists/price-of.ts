import { html, type TemplateResult } from 'lit-html';
import { money, price } from '../../words/formats.ts';
import type { LineItemWire } from '../../api/wire.ts';
import { dash } from './list-column.ts';
import { t } from '../../words/texts.ts';

/** `5.00 CPM`, in the words of its budget type. */
export const priceOf = (item: LineItemWire): string => {
  const { added_value, list_price, discount } = item;
  if (added_value) return t`added value`;
  const agreed = agreedPriceOf(item);
  return discount === null || list_price === null ? agreed : t`${agreed}, ${discount} % off ${price(list_price)}`;
};

/** In one short line: what it ranks as is on its page. */
export const listedPrice = (item: LineItemWire): TemplateResult | string => {
  const whole = priceOf(item);
  if (item.budget_type !== 'Flat' || item.type === 'programmatic' || item.added_value || item.class === 'house') return whole;
  return html`<span title=${whole}>${item.budget === null ? t`flat` : t`${money(item.budget)} flat`}</span>`;
};

const agreedPriceOf = ({ type, class: sold, budget_type, cpm, cpc, cpcv, budget }: LineItemWire): string => {
  if (type === 'programmatic') return t`by bid`;
  if (sold === 'house') return t`house ad`;
  switch (budget_type) {
    case 'CPM':
      return cpm === null ? dash : `${price(cpm)} CPM`;
    case 'VCPM':
      return cpm === null ? dash : `${price(cpm)} vCPM`;
    case 'CPC':
      return cpc === null ? dash : `${price(cpc)} CPC`;
    case 'CPCV':
      return cpcv === null ? dash : `${price(cpcv)} CPCV`;
    case 'Flat':
      return [budget === null ? t`flat` : t`flat fee of ${money(budget)}`, ...(cpm === null ? [] : [t`as ${price(cpm)} CPM`])].join(', ');
  }
};
