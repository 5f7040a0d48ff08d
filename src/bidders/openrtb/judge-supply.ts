import type { BlockList } from '../../catalog/model/entities.ts';
import type { BidOutcome } from '../bid-outcome.ts';
import { asList, asText } from './json-fields.ts';

/** What a bid says of its advertiser and its creative. */
export interface Supply {
  readonly adomain: readonly string[];
  /** In the taxonomy `cattax`; upper bounds of both are the reader's. */
  readonly cat: readonly string[];
  readonly cattax: number;
}

const MAX_CATEGORIES = 50;
const MAX_CATEGORY_LENGTH = 32;
/** IAB Content Category Taxonomy 1.0, which is what no `cattax` means (OpenRTB 2.6, 4.2.3). */
const IAB_1_0 = 1;

export const readSupply = ({ cat, cattax }: Readonly<Record<string, unknown>>, adomain: readonly string[]): Supply => ({
  adomain,
  cat: (asList(cat) ?? [])
    .slice(0, MAX_CATEGORIES)
    .map((one) => asText(one, MAX_CATEGORY_LENGTH))
    .filter((one) => one !== ''),
  cattax: typeof cattax === 'number' && Number.isInteger(cattax) ? cattax : IAB_1_0,
});

/** Why a list refuses a bid; undefined: it does not. Categories of different taxonomies are not compared. */
export const blockedBy = (
  { badv, bcat, cattax, battr }: BlockList,
  supply: Supply,
  attributes: readonly unknown[],
): BidOutcome | undefined => {
  if (supply.adomain.some((domain) => badv.some((blocked) => domain === blocked || domain.endsWith(`.${blocked}`))))
    return 'blocked_advertiser';
  if (supply.cattax === cattax && supply.cat.some((one) => bcat.some((blocked) => isWithin(one, blocked, cattax))))
    return 'blocked_category';
  return attributes.some((one) => battr.includes(one as number)) ? 'blocked_attribute' : undefined;
};

/** IAB25-3 belongs to IAB25; the ids of other taxonomies do not show their parents. */
const isWithin = (category: string, blocked: string, cattax: number): boolean =>
  category === blocked || (cattax === IAB_1_0 && category.startsWith(`${blocked}-`));
