import { isWithinDomains } from '../../base/is-within-domains.ts';
import type { BlockList } from '../../catalog/model/entities.ts';
import type { BidOutcome } from '../bid-outcome.ts';
import { asList } from './json-fields.ts';
import { readDomains } from './read-domains.ts';

/** What a bid says of its advertiser and its creative. */
export interface Supply {
  readonly adomain: readonly string[];
  /** In the taxonomy `cattax`. */
  readonly cat: readonly string[];
  readonly cattax: number;
}

const MAX_CATEGORIES = 50;
const MAX_CATEGORY_LENGTH = 32;
/** IAB Content Category Taxonomy 1.0, which applies without `cattax` (OpenRTB 2.6, 3.2.1 and 4.2.3). */
const IAB_1_0 = 1;
/** Of the lists of an auction: as many as those of a record may have (catalog/checks/bidder-schema.ts). */
const MAX_BLOCKED_DOMAINS = 1_000;
const MAX_BLOCKED_CATEGORIES = 500;
const MAX_ATTRIBUTES = 100;

/** An object whose fields are read by name. */
type Fields = Readonly<Record<string, unknown>>;

export const readSupply = ({ cat, cattax }: Fields, adomain: readonly string[]): Supply => ({
  adomain,
  cat: readCategories(cat, MAX_CATEGORIES),
  cattax: readTaxonomy(cattax),
});

/** `badv`, `bcat`, `acat` and `cattax` of a BidRequest; undefined: it blocks nothing. */
export const readBlockList = ({ badv, bcat, acat, cattax }: Fields): BlockList | undefined => {
  const list = {
    badv: new Set(readDomains(badv, MAX_BLOCKED_DOMAINS)),
    bcat: readCategories(bcat, MAX_BLOCKED_CATEGORIES),
    acat: readCategories(acat, MAX_BLOCKED_CATEGORIES),
  };
  const isEmpty = list.badv.size + list.bcat.length + list.acat.length === 0;
  return isEmpty ? undefined : { ...list, cattax: readTaxonomy(cattax), battr: [] };
};

/** Creative attributes: `attr` of a bid, `battr` of an impression. */
export const readAttributes = (value: unknown): readonly number[] =>
  (asList(value) ?? []).slice(0, MAX_ATTRIBUTES).filter((one): one is number => Number.isInteger(one));

const readCategories = (value: unknown, max: number): readonly string[] =>
  (asList(value) ?? [])
    .slice(0, max)
    .filter((one): one is string => typeof one === 'string' && one !== '' && one.length <= MAX_CATEGORY_LENGTH);

const readTaxonomy = (value: unknown): number => (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : IAB_1_0);

/**
 * Why one of the lists refuses a bid; undefined: none does. Categories of different taxonomies are
 * not compared: a list with `acat` refuses a bid whose categories are of another taxonomy.
 */
export const blockedBy = (lists: readonly BlockList[], supply: Supply, attributes: readonly number[]): BidOutcome | undefined => {
  for (const { badv, bcat, acat, cattax, battr } of lists) {
    if (supply.adomain.some((domain) => isWithinDomains(domain, badv))) return 'blocked_advertiser';
    const isOf = (wanted: readonly string[]): boolean =>
      supply.cattax === cattax && supply.cat.some((one) => isWithin(one, wanted, cattax));
    if (isOf(bcat) || (acat.length > 0 && !isOf(acat))) return 'blocked_category';
    if (attributes.some((one) => battr.includes(one))) return 'blocked_attribute';
  }
  return undefined;
};

/** IAB25-3 belongs to IAB25; the ids of other taxonomies do not show their parents. */
const isWithin = (category: string, wanted: readonly string[], cattax: number): boolean =>
  wanted.includes(category) || (cattax === IAB_1_0 && wanted.includes(category.split('-', 1)[0] ?? category));
