import { ENTITIES, perTable } from '../../src/catalog/entities/entities.ts';
import { hashOf } from '../route.ts';
import { language, locale } from './language.ts';
import { plural, say } from './texts.ts';
import type { Store } from '../api/store.ts';
import { KINDS, type Counts, type Kind, type Records } from '../api/wire.ts';

/** The names of the kinds, for people. `some`: several, within a sentence. */
export const NAMES = perTable((kind): { readonly one: string; readonly many: string; readonly some: string } => {
  const { one, many } = ENTITIES[kind];
  return { one: say(one), many: say(many), some: say(many.toLowerCase()) };
});

/** The name that the history stores: `line_item`. */
export const nameInHistory = (kind: Kind): string => ENTITIES[kind].one.replaceAll(' ', '_');

/** A kind by that name. */
export const kindNamed = (entity: string): Kind | undefined => KINDS.find((kind) => nameInHistory(kind) === entity);

/** `a campaign`, `an advertiser`. */
export const aOne = (kind: Kind): string => say(withArticle(ENTITIES[kind].one));

export const withArticle = (one: string): string => `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`;

/** The title of a record. */
export const titleOf = <K extends Kind>(kind: K, record: Records[K]): string => {
  if (kind === 'placements') return String(record.id);
  return (record as { readonly name?: string }).name || `${capital(NAMES[kind].one)} ${record.id}`;
};

/** The title of a record by its id. @param otherwise while it is not read */
export const titleIn = (store: Store, kind: Kind, id: string | number, otherwise = `#${id}`): string => {
  const record = store.find(kind, id);
  return record ? titleOf(kind, record) : otherwise;
};

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const linkTo = (kind: Kind, id: string | number): string => hashOf([kind, id]);

/** `3 creatives`. The words are those of the source: they are translated here. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString(locale)} ${plural(count, one, many)}`;

export const countedKind = (count: number, kind: Kind): string => counted(count, ENTITIES[kind].one);

/** `Ann, Ben and Cleo`. */
export const listed = (words: readonly string[]): string => new Intl.ListFormat(language === 'en' ? 'en-GB' : locale).format(words);

/** `3 line items and 7 creatives`; '' without any. */
export const describeCounts = (counts: Counts): string =>
  listed(
    KINDS.flatMap((kind) => {
      const count = counts[kind] ?? 0;
      return count > 0 ? [countedKind(count, kind)] : [];
    }),
  );

export const publisherOfCampaign = (store: Store, campaignId: number): Records['publishers'] | undefined =>
  store.find('publishers', store.find('campaigns', campaignId)?.publisher_id);

/** Who pays for a line item; undefined: not known. */
export const advertiserOf = (store: Store, lineItemId: number): Records['advertisers'] | undefined =>
  store.find('advertisers', store.find('campaigns', store.find('line_items', lineItemId)?.campaign_id)?.advertiser_id);
