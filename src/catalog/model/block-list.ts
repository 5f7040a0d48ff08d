/** What a publisher or a bidder does not want shown, in OpenRTB's terms. Lower-case domains. */
export interface BlockList {
  /** Categories in the taxonomy `cattax` (OpenRTB's list of category taxonomies). */
  readonly bcat: readonly string[];
  readonly cattax: number;
  /** The only categories that are accepted, in the same taxonomy; empty: all. */
  readonly acat: readonly string[];
  /** Advertiser domains, with their subdomains; lower case. */
  readonly badv: ReadonlySet<string>;
  /** Creative attributes (OpenRTB's list). */
  readonly battr: readonly number[];
}

/** OpenRTB's list of category taxonomies: IAB Content Category Taxonomy 1.0, which applies without `cattax`. */
export const IAB_1_0 = 1;
/** IAB Content Taxonomy 3.0, in which advertisers have their categories. */
export const IAB_3_0 = 7;

/**
 * How the ids of a taxonomy are written (IAB Tech Lab, Content Taxonomy 1.0 and 3.0 to 3.1); those of other taxonomies are
 * not known here.
 */
export const CATEGORY_IDS: Readonly<Record<number, { readonly pattern: RegExp; readonly detail: string }>> = {
  [IAB_1_0]: {
    pattern: /^IAB(?:[1-9]|1\d|2[0-6])(?:-[1-9]\d?)?$/,
    detail: 'must be an id of the IAB Content Category Taxonomy 1.0, such as IAB25 or IAB25-3',
  },
  [IAB_3_0]: {
    pattern: /^(?:[1-9]\d{0,2}|(?=\d*[A-Za-z])[0-9A-Za-z]{6})$/,
    detail: 'must be an id of the IAB Content Taxonomy 3.x, such as 483 or JLBCU7',
  },
};

/**
 * Whether a list refuses an ad of these categories. Those of different taxonomies are not compared: a
 * list with `acat` refuses an ad whose categories are of another taxonomy.
 */
export const blocksCategories = (
  { bcat, acat, cattax }: Pick<BlockList, 'bcat' | 'acat' | 'cattax'>,
  categories: readonly string[],
  taxonomy: number,
): boolean => {
  const isOf = (wanted: readonly string[]): boolean => taxonomy === cattax && categories.some((one) => isWithin(one, wanted, cattax));
  return isOf(bcat) || (acat.length > 0 && !isOf(acat));
};

/** IAB25-3 belongs to IAB25; the ids of other taxonomies do not show their parents. */
const isWithin = (category: string, wanted: readonly string[], cattax: number): boolean =>
  wanted.includes(category) || (cattax === IAB_1_0 && wanted.includes(category.split('-', 1)[0] ?? category));
