import { isWithinDomains } from '../../base/is-within-domains.ts';
import { blocksCategories, IAB_1_0, type BlockList } from '../../catalog/model/block-list.ts';
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
/** Of the lists of an auction: as many as those of a record may have (catalog/entities/parts.ts). */
const MAX_BLOCKED_DOMAINS = 1_000;
const MAX_BLOCKED_CATEGORIES = 500;
const MAX_ATTRIBUTES = 100;
const NO_ATTRIBUTES: readonly number[] = [];

/** An object whose fields are read by name. */
type Fields = Readonly<Record<string, unknown>>;

export const readSupply = ({ cat, cattax }: Fields, adomain: readonly string[]): Supply => ({
  adomain,
  cat: readCategories(cat, MAX_CATEGORIES),
  cattax: readTaxonomy(cattax),
});

/** `badv`, `bcat`, `acat` and `cattax` of a BidRequest; undefined: it blocks nothing. */
export const readBlockList = ({ badv, bcat, acat, cattax }: Fields): BlockList | undefined => {
  if (badv === undefined && bcat === undefined && acat === undefined) return undefined;
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
  value === undefined
    ? NO_ATTRIBUTES
    : (asList(value) ?? []).slice(0, MAX_ATTRIBUTES).filter((one): one is number => Number.isInteger(one));

const readCategories = (value: unknown, max: number): readonly string[] =>
  (asList(value) ?? [])
    .slice(0, max)
    .filter((one): one is string => typeof one === 'string' && one !== '' && one.length <= MAX_CATEGORY_LENGTH);

const readTaxonomy = (value: unknown): number => (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : IAB_1_0);

/** Why one of the lists refuses a bid; undefined: none does. */
export const blockedBy = (lists: readonly BlockList[], supply: Supply, attributes: readonly number[]): BidOutcome | undefined => {
  for (const list of lists) {
    if (supply.adomain.some((domain) => isWithinDomains(domain, list.badv))) return 'blocked_advertiser';
    if (blocksCategories(list, supply.cat, supply.cattax)) return 'blocked_category';
    if (attributes.some((one) => list.battr.includes(one))) return 'blocked_attribute';
  }
  return undefined;
};
