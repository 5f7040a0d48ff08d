import { html, nothing, type TemplateResult } from 'lit-html';
import { BUDGET_TYPES } from '../../src/catalog/model/choices.ts';
import { discounted, priceFieldOf } from '../../src/catalog/model/agreed-price.ts';
import { parseEndDate, parseStartDate } from '../../src/catalog/model/flight-dates.ts';
import { offeredRates, type Rate } from '../../src/catalog/model/rate-card.ts';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { WEEK_DAYS, type DayPart } from '../../src/targeting/week-hours.ts';
import type { PublisherWire } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { BUDGET_TYPE_WORDS } from '../words/choice-words.ts';
import { price } from '../words/formats.ts';
import { publisherOfCampaign } from '../words/kinds.ts';
import { rateWords } from '../words/rate-words.ts';
import { t } from '../words/texts.ts';
import type { Form } from './forms/form.ts';
import { listOf, numberOf, textOf } from './forms/typed-text.ts';

/** Prices of the list that are offered. */
const MAX_OFFERED = 5;

/** The list prices of what the form books, beside it. */
export const ratesCard = (page: Page, form: Form): TemplateResult | typeof nothing => {
  const publisher = publisherOfCampaign(page.store, numberOf(form.read('/campaign_id')) as number);
  const offers = publisher ? rateOffers(page, form, publisher) : nothing;
  return offers === nothing ? nothing : card(t`Rate card`, offers);
};

/** One of them is taken with a press, and the price follows from it and the discount. @param form of a line item */
export const rateOffers = (page: Page, form: Pick<Form, 'read' | 'write'>, publisher: PublisherWire): TemplateResult | typeof nothing => {
  const budgetType = BUDGET_TYPES.find((one) => one === form.read('/budget_type'));
  if (!budgetType || form.read('/type') !== 'direct' || form.read('/added_value') === true) return nothing;
  // Who works for some advertisers does not see it.
  const { rate_card: rates = [], currency }: { readonly rate_card?: readonly Rate[]; readonly currency: string } = publisher;
  const placements = listOf(form.read('/placement_ids')).flatMap((id) => page.store.find('placements', id) ?? []);
  const hours = (form.read('/schedule') ?? []) as readonly DayPart[];
  const startMs = parseStartDate(textOf(form.read('/start_date')));
  const endMs = parseEndDate(textOf(form.read('/end_date')));
  const offered = offeredRates(rates, {
    budgetType,
    placements: placements.map(({ id, width, height }) => ({ id, size: `${width}x${height}` })),
    days: WEEK_DAYS.filter((day) => hours.some(({ days }) => days.includes(day))),
    flightDays: Math.max(1, Math.ceil(((endMs ?? 0) - (startMs ?? 0)) / MS_PER_DAY)) || 1,
  });
  if (offered.length === 0) return nothing;
  const field = priceFieldOf(budgetType);
  const take = (listPrice: number): void => {
    const discount = numberOf(form.read('/discount'));
    form.write('/list_price', String(listPrice));
    form.write(`/${field}`, String(discounted(listPrice, typeof discount === 'number' ? discount : 0, field)));
  };
  return html`<ul class="needs">
    ${offered
      .slice(0, MAX_OFFERED)
      .map(
        ({ rate, listPrice }) =>
          html`<li>
            ${price(listPrice, currency)} ${BUDGET_TYPE_WORDS[budgetType].label}, ${rateWords(rate)}
            ${button(t`Use`, () => take(listPrice), 'quiet', t`Use ${price(listPrice, currency)} as the list price`)}
          </li>`,
      )}
  </ul>`;
};
