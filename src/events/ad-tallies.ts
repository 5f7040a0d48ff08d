import type { ServedAd } from '../ledger/hit.ts';
import { createCountTree, type Counted, type CountTree } from './count-tree.ts';
import type { CountedPlace, RequestRow, ServeRow } from './postgres/request-counts.ts';

/** What is counted of the visitor; null: unknown, or the user may not be measured. */
export interface CountedVisitor {
  readonly country: string | null;
  readonly device: string | null;
  readonly browser: string | null;
}

/** A placement, with its own size. */
export interface CountedPlacement {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** What a replica counts of impressions that pages asked for, and of the ads that it served in them. */
export interface AdTallies {
  /**
   * @param placement undefined for one that the publisher does not have, so that requests cannot add keys
   * @param reason the name of the no-bid reason; '': it was filled
   */
  request(publisherId: number, placement: CountedPlacement | undefined, visitor: CountedVisitor, reason: string): void;
  serve(ad: ServedAd, visitor: CountedVisitor): void;
  readonly size: number;
  /** What was counted since the last call. */
  take(): { readonly requests: readonly Counted<RequestRow>[]; readonly serves: readonly Counted<ServeRow>[] };
}

/**
 * Of requests and of serves in a batch. Records and reasons are as many as there are; countries, devices and browsers beyond
 * this are counted as unknown.
 */
const MAX_ROWS = 16_384;

const NOWHERE: CountedPlace = { countedBy: 'placement', placementId: '', size: '', country: '', device: '', browser: '' };

const NO_PLACEMENT: CountedPlacement = { id: '', width: 0, height: 0 };

export const createAdTallies = (): AdTallies => {
  const requests = createCountTree<RequestRow>();
  const serves = createCountTree<ServeRow>();

  /** Once by country, and once by device and browser: with each other and with placements they would be too many. */
  const addVisitor = <Row extends object>(
    tree: CountTree<Row>,
    ids: readonly (string | number)[],
    { country, device, browser }: CountedVisitor,
    rowOf: (place: CountedPlace) => Row,
  ): void => {
    const add = (countedBy: 'country' | 'device', keys: readonly string[], place: Partial<CountedPlace>, maxRows?: number) =>
      tree.add([countedBy, ...ids, ...keys], () => rowOf({ ...NOWHERE, countedBy, ...place }), maxRows);
    const of = { country: country ?? '', device: device ?? '', browser: browser ?? '' };
    if (!add('country', [of.country], { country: of.country }, MAX_ROWS)) add('country', [''], {});
    if (!add('device', [of.device, of.browser], { device: of.device, browser: of.browser }, MAX_ROWS)) add('device', ['', ''], {});
  };

  return {
    request: (publisherId, placement, visitor, reason) => {
      const { id, width, height } = placement ?? NO_PLACEMENT;
      const rowOf = (place: CountedPlace): RequestRow => ({ ...place, publisherId, reason });
      const asked = () => rowOf({ ...NOWHERE, placementId: id, size: placement ? `${width}x${height}` : '' });
      requests.add(['placement', publisherId, id, width, height, reason], asked);
      addVisitor(requests, [publisherId, reason], visitor, rowOf);
    },
    serve: ({ publisherId, campaignId, lineItemId, creativeId, placementId, size = '' }, visitor) => {
      const rowOf = (place: CountedPlace): ServeRow => ({ ...place, publisherId, campaignId, lineItemId, creativeId: 0 });
      const shown = () => ({ ...rowOf({ ...NOWHERE, placementId, size }), creativeId });
      serves.add(['placement', lineItemId, creativeId, placementId, size], shown);
      addVisitor(serves, [lineItemId], visitor, rowOf);
    },
    get size() {
      return requests.size + serves.size;
    },
    take: () => ({ requests: requests.take(), serves: serves.take() }),
  };
};
