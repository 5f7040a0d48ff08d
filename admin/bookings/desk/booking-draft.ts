import { isDeepEqual } from './is-deep-equal.ts';
import type { Answered, Sent } from '../../api/api.ts';
import type { BOOKING_API } from '../../../src/bookings/booking-api.ts';
import type { CampaignWire, CreativeWire, Dimensions, Kind, LineItemWire } from '../../api/wire.ts';
import { isoDateIn, monthAndYear } from '../../words/dates.ts';
import { draftOf, recordOf } from '../forms/entity-draft.ts';
import { fieldsOf, hasType } from '../forms/entity-fields.ts';
import type { Draft } from '../forms/form.ts';
import { textOf } from '../forms/typed-text.ts';

type Fields = Readonly<Record<string, unknown>>;
export type Booked = Answered<'POST', '/bookings'>;
export type BookingBody = Sent<(typeof BOOKING_API)['bookCampaign']>['body'];

/** A creative of a booking: its fields are those of the record. */
export interface CreativePart {
  readonly key: string;
  readonly id?: number;
  readonly fields: Fields;
  /** As it was read; absent: it is new. */
  readonly base?: Fields;
  /** Facts of the file that it was made of. */
  readonly note?: string;
}

/** A line item of a booking: its fields are as a form has them. */
export interface ItemPart {
  readonly key: string;
  readonly id?: number;
  readonly fields: Draft;
  readonly base?: Fields;
  readonly creatives: readonly CreativePart[];
  /** Where a click on its new creatives leads. */
  readonly click: string;
}

/** A campaign as the booking screen has it. It is JSON, which the service keeps as a draft. */
export interface BookingDraft {
  /** Of an advertiser that is created with the booking; '': none is. */
  readonly advertiser: string;
  readonly campaign: { readonly id?: number; readonly fields: Draft; readonly base?: Fields };
  readonly line_items: readonly ItemPart[];
}

let made = 0;
export const newKey = (): string => `${Date.now().toString(36)}${(made++).toString(36)}`;

/** A line item that says nothing yet: it runs with its campaign. */
export const newItem = (fields: Fields = {}): ItemPart => ({
  key: newKey(),
  fields: { ...draftOf('line_items', { active: true, pacing: 'Even', ...fields }), ...datesOf(fields) },
  creatives: [],
  click: '',
});

const datesOf = ({ start_date: start, end_date: end }: Fields): Draft => ({ start_date: textOf(start), end_date: textOf(end) });

const USUAL_DAYS = 30;

export const newBooking = (given: Fields = {}): BookingDraft => ({
  advertiser: '',
  campaign: { fields: draftOf('campaigns', { active: true, start_date: isoDateIn(0), end_date: isoDateIn(USUAL_DAYS), ...given }) },
  line_items: [newItem()],
});

export const bookingOf = (campaign: CampaignWire, items: readonly LineItemWire[], creatives: readonly CreativeWire[]): BookingDraft => ({
  advertiser: '',
  campaign: { id: campaign.id, fields: draftOf('campaigns', campaign), base: { ...campaign } },
  line_items: items.map((item) => ({
    ...{ key: String(item.id), id: item.id, fields: draftOf('line_items', item), base: { ...item }, click: '' },
    creatives: creatives
      .filter(({ line_item_id: of }) => of === item.id)
      .map((one) => ({ key: String(one.id), id: one.id, fields: { ...one }, base: { ...one } })),
  })),
});

/** A copy that is new in every part: what a template is, and what begins from one. */
export const asNew = ({ advertiser, campaign, line_items: items }: BookingDraft): BookingDraft => ({
  advertiser,
  campaign: { fields: { ...campaign.fields, external_key: '', order_number: '', screenshots: [] } },
  line_items: items.map(({ fields, click, creatives }) => ({
    ...{ key: newKey(), fields: { ...fields, external_key: '' }, click },
    creatives: creatives.map(({ fields: of, note }) => ({
      key: newKey(),
      fields: copiedCreative(of),
      ...(note !== undefined && { note }),
    })),
  })),
});

const OWN_OF_CREATIVE = [
  'id',
  'line_item_id',
  'placement_id',
  'placement_ids',
  'blocked_at',
  'external_key',
  'counts',
  'children',
  'warnings',
];
const copiedCreative = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !OWN_OF_CREATIVE.includes(name)));

/** `Acme, December 2026`: what a campaign without a name is called. */
export const suggestedName = ({ advertiser, campaign }: BookingDraft, advertiserName: string): string => {
  const month = textOf(campaign.fields['start_date']).slice(0, 7);
  const client = advertiser || advertiserName;
  return [client, /^\d{4}-\d{2}$/.test(month) ? monthAndYear(month) : ''].filter((one) => one !== '').join(', ');
};

/** `300,000`, `300 000` and `300k` are numbers to people. */
const asNumber = (typed: string): string => {
  const text = typed.trim().replace(/(?<=\d)[,'’   ](?=\d{3}(\D|$))/g, '');
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([km])$/i.exec(text) ?? [];
  return digits === undefined ? text : String(Number(digits) * (unit?.toLowerCase() === 'm' ? 1_000_000 : 1_000));
};

const plainNumbers = (kind: Kind, fields: Draft): Draft => ({
  ...fields,
  ...Object.fromEntries(
    fieldsOf(kind).flatMap(({ pointer, schema }) => {
      const name = pointer.slice(1);
      const typed = fields[name];
      return typeof typed === 'string' && typed !== '' && hasType(schema, 'number', 'integer') ? [[name, asNumber(typed)]] : [];
    }),
  ),
});

/** The fields of a part as the service takes them. */
export const recordOfPart = (kind: Kind, fields: Draft, dimensions: Dimensions): Fields => {
  const { campaign_id: _, ...record } = recordOf(kind, plainNumbers(kind, fields), dimensions);
  return record;
};

/** What a part changes, with what was there: all of it when it is new. */
const changesOf = (fields: Fields, base: Fields | undefined, before: Fields): { readonly fields: Fields; readonly seen?: Fields } => {
  if (!base) return { fields };
  const names = Object.keys(fields).filter((name) => !isDeepEqual(fields[name] ?? null, before[name] ?? null));
  return { fields: pick(fields, names), seen: pick(base, names) };
};

const pick = (fields: Fields, names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));

/** The body of a booking. @param name of a campaign that has none */
export const bodyOf = (draft: BookingDraft, name: string, dimensions: Dimensions): BookingBody => {
  const { advertiser, campaign, line_items: items } = draft;
  const own = recordOfPart('campaigns', campaign.fields, dimensions);
  const record = own['name'] === '' || own['name'] === undefined ? { ...own, name } : own;
  const { start_date, end_date } = record;
  const part = (kind: Kind, id: number | undefined, fields: Fields, base: Fields | undefined) => ({
    ...(id !== undefined && { id }),
    ...changesOf(fields, base, base ? recordOfPart(kind, draftOf(kind, base), dimensions) : {}),
  });
  return {
    ...(advertiser !== '' && { advertiser: { name: advertiser } }),
    campaign: part('campaigns', campaign.id, record, campaign.base),
    line_items: items.map((item) => {
      const fields = recordOfPart('line_items', item.fields, dimensions);
      const dated = { ...fields, start_date: fields['start_date'] || start_date, end_date: fields['end_date'] || end_date };
      return {
        ...part('line_items', item.id, dated, item.base),
        creatives: item.creatives.map(({ id, fields: of, base }) => ({
          ...(id !== undefined && { id }),
          ...changesOf(!base && item.click !== '' ? { click_url: item.click, ...of } : of, base, base ?? {}),
        })),
      };
    }),
  };
};
