import { newMap, under } from '../base/under.ts';
import { packSize, sizeText } from '../ledger/ad-size.ts';
import type { ServedAd } from '../ledger/hit.ts';
import type { Counted, CountedPlace, RequestRow, ServeRow } from './postgres/request-rows.ts';

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

export interface TakenTallies {
  readonly requests: TakenRows<RequestRow>;
  readonly serves: TakenRows<ServeRow>;
}

/** Rows that are made as they are read, as often as they are read: they are many, and rest in maps. */
export interface TakenRows<Row> extends Iterable<Counted<Row>> {
  readonly size: number;
}

const NOWHERE: CountedPlace = { countedBy: 'placement', placementId: '', size: '', country: '', device: '', browser: '' };

/** Changed in its place: a number in a map is hashed twice for each count. */
interface Cell {
  count: number;
}

/**
 * Counts of a publisher's requests with one outcome, or of a line item's ads: once by placement, once by country, and once by device
 * and browser; with each other they would be too many. Each ad is counted, so keys are texts that are there and numbers, and no
 * object is made for a count.
 */
interface Counts<Owner> {
  readonly owner: Owner;
  /** By placement, size (ledger/ad-size.ts) and creative. */
  readonly shown: Map<string, Map<number, Map<number, Cell>>>;
  readonly countries: Map<string, Cell>;
  /** By the numbers of device and browser (DEVICE_UNIT). */
  readonly devices: Map<number, Cell>;
}

const DEVICE_UNIT = 4_096;

/** Numbers for devices and browsers, of which there are few; beyond DEVICE_UNIT they are counted as unknown. */
const createDeviceNumbers = () => {
  const texts = [''];
  const numbers = new Map([['', 0]]);
  const numberOf = (text: string | null): number => {
    if (text === null) return 0;
    let number = numbers.get(text);
    if (number === undefined && texts.length < DEVICE_UNIT) numbers.set(text, (number = texts.push(text) - 1));
    return number ?? 0;
  };
  return {
    numberOf: ({ device, browser }: CountedVisitor): number => numberOf(device) * DEVICE_UNIT + numberOf(browser),
    textsOf: (number: number): Pick<CountedPlace, 'device' | 'browser'> => ({
      device: texts[Math.floor(number / DEVICE_UNIT)] ?? '',
      browser: texts[number % DEVICE_UNIT] ?? '',
    }),
  };
};

type DeviceNumbers = ReturnType<typeof createDeviceNumbers>;

/** Counts of requests, or of ads. `Owner`: what their rows say beside the place. */
const createTable = <Owner extends object>(devices: DeviceNumbers, maxRows: () => number) => {
  let all: Counts<Owner>[] = [];
  let rows = 0;

  /** Beyond the rows that there may be it counts under `other`. */
  const countOne = <Key>(counts: Map<Key, Cell>, key: Key, isBounded: boolean, other: Key): void => {
    const cell = counts.get(key);
    if (cell !== undefined) cell.count++;
    else if (!isBounded || rows < maxRows()) {
      rows++;
      counts.set(key, { count: 1 });
    } else countOne(counts, other, false, other);
  };

  return {
    /** Counts for a further owner. */
    open: (owner: Owner): Counts<Owner> => {
      const counts: Counts<Owner> = { owner, shown: new Map(), countries: new Map(), devices: new Map() };
      all.push(counts);
      return counts;
    },
    count: (counts: Counts<Owner>, placementId: string, size: number, creativeId: number, visitor: CountedVisitor): void => {
      const sizes = under(counts.shown, placementId, newMap<number, Map<number, Cell>>);
      countOne(under(sizes, size, newMap<number, Cell>), creativeId, false, creativeId);
      countOne(counts.countries, visitor.country ?? '', true, '');
      countOne(counts.devices, devices.numberOf(visitor), true, 0);
    },
    get size() {
      return rows;
    },
    take: (): TakenRows<CountedPlace & Owner & { readonly creativeId: number }> => {
      const [taken, size] = [all, rows];
      [all, rows] = [[], 0];
      return { size, [Symbol.iterator]: () => rowsOf(taken, devices) };
    },
  };
};

function* rowsOf<Owner extends object>(
  all: readonly Counts<Owner>[],
  devices: DeviceNumbers,
): Generator<Counted<CountedPlace & Owner & { readonly creativeId: number }>> {
  for (const { owner, shown, countries, devices: seenOn } of all) {
    const row = { ...NOWHERE, ...owner, creativeId: 0 };
    for (const [placementId, sizes] of shown)
      for (const [size, creatives] of sizes)
        for (const [creativeId, { count }] of creatives) yield { ...row, placementId, size: sizeText(size), creativeId, count };
    for (const [country, { count }] of countries) yield { ...row, countedBy: 'country', country, count };
    for (const [device, { count }] of seenOn) yield { ...row, countedBy: 'device', ...devices.textsOf(device), count };
  }
}

/**
 * What a replica counts of impressions that pages asked for, and of the ads that it served in them.
 *
 * @param maxRows of requests, and of serves. Records and reasons are as many as there are; countries, devices and browsers beyond this are counted as
 *   unknown
 */
export const createAdTallies = (maxRows: () => number) => {
  const devices = createDeviceNumbers();
  const requests = createTable<Pick<RequestRow, 'publisherId' | 'reason'>>(devices, maxRows);
  const serves = createTable<Pick<ServeRow, 'publisherId' | 'campaignId' | 'lineItemId'>>(devices, maxRows);
  type Of<Table extends { open(owner: never): unknown }> = ReturnType<Table['open']>;
  let publishers = new Map<number, Map<string, Of<typeof requests>>>();
  let lineItems = new Map<number, Of<typeof serves>>();

  return {
    /**
     * @param placement undefined for one that the publisher does not have, so that requests cannot add keys
     * @param reason the name of the no-bid reason; '': it was filled
     */
    request: (publisherId: number, placement: CountedPlacement | undefined, visitor: CountedVisitor, reason: string): void => {
      const reasons = under(publishers, publisherId, newMap<string, Of<typeof requests>>);
      const counts = under(reasons, reason, () => requests.open({ publisherId, reason }));
      requests.count(counts, placement?.id ?? '', placement ? packSize(placement.width, placement.height) : 0, 0, visitor);
    },
    serve: ({ publisherId, campaignId, lineItemId, creativeId, placementId, size = 0 }: ServedAd, visitor: CountedVisitor): void => {
      const counts = under(lineItems, lineItemId, () => serves.open({ publisherId, campaignId, lineItemId }));
      serves.count(counts, placementId, size, creativeId, visitor);
    },
    /** The rows of requests, or those of serves if these are more. */
    get size(): number {
      return Math.max(requests.size, serves.size);
    },
    /** What was counted since the last call. */
    take: (): TakenTallies => {
      publishers = new Map();
      lineItems = new Map();
      return { requests: requests.take(), serves: serves.take() };
    },
  };
};
