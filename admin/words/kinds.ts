import { ENTITIES, perTable } from '../../src/catalog/entities/entities.ts';
import { hashOf } from '../route.ts';
import type { Store } from '../api/store.ts';
import { KINDS, type Counts, type Kind, type Records } from '../api/wire.ts';

/** The names of the kinds, for people. */
export const NAMES = perTable((kind): { readonly one: string; readonly many: string } => ENTITIES[kind]);

/** A kind by the name that the history stores: `line_item`. */
export const kindNamed = (entity: string): Kind | undefined => KINDS.find((kind) => NAMES[kind].one.replaceAll(' ', '_') === entity);

/** `a campaign`, `an advertiser`. */
export const aOne = (kind: Kind): string => `${/^[aeiou]/.test(NAMES[kind].one) ? 'an' : 'a'} ${NAMES[kind].one}`;

/** The title of a record. */
export const titleOf = <K extends Kind>(kind: K, record: Records[K]): string => {
  if (kind === 'placements') return String(record.id);
  return (record as { readonly name?: string }).name || `${capital(NAMES[kind].one)} ${record.id}`;
};

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const linkTo = (kind: Kind, id: string | number): string => hashOf([kind, id]);

export const counted = (count: number, one: string, many = `${one}s`): string => `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** `3 line items and 7 creatives`; '' without any. */
export const describeCounts = (counts: Counts): string =>
  new Intl.ListFormat('en-GB').format(
    KINDS.flatMap((kind) => {
      const count = counts[kind] ?? 0;
      return count > 0 ? [counted(count, NAMES[kind].one)] : [];
    }),
  );

export const publisherOfCampaign = (store: Store, campaignId: number): Records['publishers'] | undefined =>
  store.find('publishers', store.find('campaigns', campaignId)?.publisher_id);

/** Who pays for a line item; undefined: not known. */
export const advertiserOf = (store: Store, lineItemId: number): Records['advertisers'] | undefined =>
  store.find('advertisers', store.find('campaigns', store.find('line_items', lineItemId)?.campaign_id)?.advertiser_id);
