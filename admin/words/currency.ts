import type { Form } from '../bookings/forms/form.ts';
import { textOf } from '../bookings/forms/typed-text.ts';
import type { Store } from '../api/store.ts';
import { publisherOfCampaign } from './kinds.ts';

/** Of a publisher that was not read: that of the only one, or what publishers begin with. */
const ofMost = (store: Store): string => store.first('publishers')[0]?.currency ?? 'USD';

/** Of a publisher's money. */
export const currencyOfPublisher = (store: Store, id: string | number | null | undefined): string =>
  store.find('publishers', id)?.currency ?? ofMost(store);

/** Of the money of a campaign and its line items: that of its publisher, which the store reads with it. */
export const currencyOfCampaign = (store: Store, id: number): string => publisherOfCampaign(store, id)?.currency ?? ofMost(store);

/** Of the amounts in a form: its own, or that of the publisher of what it edits. */
export const currencyInForm = (store: Store, form: Pick<Form, 'read'>): string => {
  const own = textOf(form.read('/currency'));
  if (/^[A-Z]{3}$/.test(own)) return own;
  const campaign = Number(textOf(form.read('/campaign_id')));
  return campaign > 0 ? currencyOfCampaign(store, campaign) : currencyOfPublisher(store, textOf(form.read('/publisher_id')));
};
