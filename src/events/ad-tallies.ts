import { packSize, sizeText } from '../ledger/ad-size.ts';
import type { ServedAd } from '../ledger/hit.ts';
import type { Counted, CountedPlace, RequestRow, ServeRow } from './postgres/request-counts.ts';

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

/**
 * Counts of a publisher's requests with one outcome, or of a line item's ads: once by placement, once by country, and once by device
 * and browser; with each other they would be too many. Each ad is counted, so keys are texts that are there and numbers, and no
 * object is made for a count.
 */
interface Counts<Owner> {
  readonly owner: Owner;
  /** By placement, size (ledger/ad-size.ts) and creative. */
  readonly shown: Map<string, Map<number, Map<number, number>>>;
  readonly countries: Map<string, number>;
  /** By the numbers of device and browser (DEVICE_UNIT). */
  readonly devices: Map<number, number>;
}

const DEVICE_UNIT = 4_096;

/** The numbers of texts, of which there are few; beyond DEVICE_UNIT they are counted as unknown. */
const createTextNumbers = () => {
  const texts = [''];
  const numbers = new Map([['', 0]]);
  return {
    numberOf: (text: string): number => {
      let number = numbers.get(text);
      if (number === undefined && texts.length < DEVICE_UNIT) numbers.set(text, (number = texts.push(text) - 1));
      return number ?? 0;
    },
    textOf: (number: number): string => texts[number] ?? '',
  };
};

/** The value of a key; `make` makes the first one. */
const under = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
};

const newMap = <Key, Value>(): Map<Key, Value> => new Map<Key, Value>();

/** Counts of requests, or of ads. `Owner`: what their rows say beside the place. */
const createTable = <Owner extends object>(texts: ReturnType<typeof createTextNumbers>) => {
  let all: Counts<Owner>[] = [];
  let rows = 0;

  /** False: it would be a row too many. */
  const countOne = <Key>(counts: Map<Key, number>, key: Key, maxRows: number): boolean => {
    const before = counts.get(key);
    if (before === undefined && rows++ >= maxRows) return false;
    counts.set(key, (before ?? 0) + 1);
    return true;
  };

  return {
    /** Counts for a further owner. */
    open: (owner: Owner): Counts<Owner> => {
      const counts = { owner, shown: newMap<string, Map<number, Map<number, number>>>(), countries: newMap<string, number>() };
      const opened = { ...counts, devices: newMap<number, number>() };
      all.push(opened);
      return opened;
    },
    count: (counts: Counts<Owner>, placementId: string, size: number, creativeId: number, visitor: CountedVisitor): void => {
      const sizes = under(counts.shown, placementId, newMap<number, Map<number, number>>);
      countOne(under(sizes, size, newMap<number, number>), creativeId, Infinity);
      if (!countOne(counts.countries, visitor.country ?? '', MAX_ROWS)) countOne(counts.countries, '', Infinity);
      const device = texts.numberOf(visitor.device ?? '') * DEVICE_UNIT + texts.numberOf(visitor.browser ?? '');
      if (!countOne(counts.devices, device, MAX_ROWS)) countOne(counts.devices, 0, Infinity);
    },
    get size() {
      return rows;
    },
    take: (): readonly Counted<CountedPlace & Owner & { readonly creativeId: number }>[] => {
      const taken = all.flatMap(({ owner, shown, countries, devices }) => {
        const rowOf = (place: Partial<CountedPlace>, count: number, creativeId = 0) => ({
          ...NOWHERE,
          ...place,
          ...owner,
          creativeId,
          count,
        });
        return [
          ...[...shown].flatMap(([placementId, sizes]) =>
            [...sizes].flatMap(([size, creatives]) =>
              [...creatives].map(([creativeId, count]) => rowOf({ placementId, size: sizeText(size) }, count, creativeId)),
            ),
          ),
          ...[...countries].map(([country, count]) => rowOf({ countedBy: 'country', country }, count)),
          ...[...devices].map(([key, count]) => {
            const [device, browser] = [texts.textOf(Math.floor(key / DEVICE_UNIT)), texts.textOf(key % DEVICE_UNIT)];
            return rowOf({ countedBy: 'device', device, browser }, count);
          }),
        ];
      });
      all = [];
      rows = 0;
      return taken;
    },
  };
};

export const createAdTallies = (): AdTallies => {
  const texts = createTextNumbers();
  const requests = createTable<Pick<RequestRow, 'publisherId' | 'reason'>>(texts);
  const serves = createTable<Pick<ServeRow, 'publisherId' | 'campaignId' | 'lineItemId'>>(texts);
  type Of<Table extends { open(owner: never): unknown }> = ReturnType<Table['open']>;
  let publishers = new Map<number, Map<string, Of<typeof requests>>>();
  let lineItems = new Map<number, Of<typeof serves>>();

  return {
    request: (publisherId, placement, visitor, reason) => {
      const reasons = under(publishers, publisherId, newMap<string, Of<typeof requests>>);
      const counts = under(reasons, reason, () => requests.open({ publisherId, reason }));
      requests.count(counts, placement?.id ?? '', placement ? packSize(placement.width, placement.height) : 0, 0, visitor);
    },
    serve: ({ publisherId, campaignId, lineItemId, creativeId, placementId, size = 0 }, visitor) => {
      const counts = under(lineItems, lineItemId, () => serves.open({ publisherId, campaignId, lineItemId }));
      serves.count(counts, placementId, size, creativeId, visitor);
    },
    get size() {
      return requests.size + serves.size;
    },
    take: () => {
      publishers = new Map();
      lineItems = new Map();
      return { requests: requests.take(), serves: serves.take() };
    },
  };
};
