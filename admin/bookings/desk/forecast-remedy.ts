import { parseEndDate } from '../../../src/catalog/model/flight-dates.ts';
import type { Forecast } from '../../forecast/asked-forecast.ts';
import type { Dimensions } from '../../api/wire.ts';
import { draftOf } from '../forms/entity-draft.ts';
import { textOf } from '../forms/typed-text.ts';
import { recordOfPart, type BookingDraft, type ItemPart } from './booking-draft.ts';

type Remedy = Forecast['remedies'][number];

/** A booking with a remedy applied to one of its line items, and how it is undone: later changes of other fields stay. */
export const withRemedy = (
  draft: BookingDraft,
  key: string,
  remedy: Remedy,
  dimensions: Dimensions,
): { readonly draft: BookingDraft; readonly undo: (now: BookingDraft) => BookingDraft } => {
  const end = textOf(remedy.fields['end_date']);
  const campaignEnd = textOf(draft.campaign.fields['end_date']);
  // A line item does not run longer than its campaign.
  const isLonger = end !== '' && (parseEndDate(end) ?? 0) > (parseEndDate(campaignEnd) ?? 0);
  const fieldsOf = (item: ItemPart): ItemPart['fields'] => {
    if (item.key === key) return { ...item.fields, ...drafted(item, remedy, dimensions) };
    // Others that run with the campaign end as they did.
    return isLonger && textOf(item.fields['end_date']) === '' ? { ...item.fields, end_date: campaignEnd } : item.fields;
  };
  const changed: BookingDraft = {
    ...draft,
    campaign: isLonger ? { ...draft.campaign, fields: { ...draft.campaign.fields, end_date: end } } : draft.campaign,
    line_items: draft.line_items.map((item) => ({ ...item, fields: fieldsOf(item) })),
  };
  const names = [...Object.keys(remedy.fields), ...(isLonger ? ['end_date'] : [])];
  const back = (now: ItemPart['fields'], before: ItemPart['fields']): ItemPart['fields'] => ({
    ...now,
    ...Object.fromEntries(names.map((name) => [name, before[name]])),
  });
  return {
    draft: changed,
    undo: (now) => ({
      ...now,
      campaign: isLonger ? { ...now.campaign, fields: { ...now.campaign.fields, end_date: campaignEnd } } : now.campaign,
      line_items: now.line_items.map((item) => {
        const before = draft.line_items.find((one) => one.key === item.key);
        return before && (isLonger || item.key === key) ? { ...item, fields: back(item.fields, before.fields) } : item;
      }),
    }),
  };
};

/** The fields of a remedy as a form has them. */
const drafted = (item: ItemPart, { fields }: Remedy, dimensions: Dimensions): ItemPart['fields'] => {
  const whole = draftOf('line_items', { ...recordOfPart('line_items', item.fields, dimensions), ...fields });
  return Object.fromEntries(Object.keys(fields).map((name) => [name, whole[name]]));
};
