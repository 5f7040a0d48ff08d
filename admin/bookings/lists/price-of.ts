import { html, type TemplateResult } from 'lit-html';
import { money, price } from '../../words/formats.ts';
import type { LineItemWire } from '../../api/wire.ts';
import { dash } from './list-column.ts';
import { t } from '../../words/texts.ts';

/** `5.00 CPM`, in the words of its budget type. */
export const priceOf = (item: LineItemWire, currency: string): string => {
  const { added_value, list_price, discount } = item;
  if (added_value) return t`added value`;
  const agreed = agreedPriceOf(item, currency);
  return discount === null || list_price === null ? agreed : t`${agreed}, ${discount}% off ${price(list_price, currency)}`;
};

/** In one short line: what it ranks as is on its page. */
export const listedPrice = (item: LineItemWire, currency: string): TemplateResult | string => {
  const whole = priceOf(item, currency);
  if (item.budget_type !== 'Flat' || item.type === 'programmatic' || item.added_value || item.class === 'house') return whole;
  return html`<span title=${whole}>${item.budget === null ? t`flat` : t`${money(item.budget, currency)} flat`}</span>`;
};

const agreedPriceOf = ({ type, class: sold, budget_type, cpm, cpc, cpcv, budget }: LineItemWire, currency: string): string => {
  const amount = (of: number): string => price(of, currency);
  if (type === 'programmatic') return t`by bid`;
  if (sold === 'house') return t`house ad`;
  switch (budget_type) {
    case 'CPM':
      return cpm === null ? dash : `${amount(cpm)} CPM`;
    case 'VCPM':
      return cpm === null ? dash : `${amount(cpm)} vCPM`;
    case 'CPC':
      return cpc === null ? dash : `${amount(cpc)} CPC`;
    case 'CPCV':
      return cpcv === null ? dash : `${amount(cpcv)} CPCV`;
    case 'Flat':
      return [
        budget === null ? t`flat` : t`flat fee of ${money(budget, currency)}`,
        ...(cpm === null ? [] : [t`as ${amount(cpm)} CPM`]),
      ].join(', ');
  }
};
