/** Impressions that a line item did not get, for one reason. */
export interface RefusalCount {
  readonly lineItemId: number;
  /** The number of a no-bid reason; 0: outranked. */
  readonly reason: number;
  /** The line item that was shown; 0: not outranked, or by several. */
  readonly outrankedBy: number;
  readonly impressions: number;
}

/**
 * Sums in a fixed piece of memory: an addition allocates nothing. A hash table with linear probing, at most half full.
 *
 * @param maxRows a power of two
 */
export const createRefusalTable = (maxRows: number) => {
  const places = 2 * maxRows;
  const lineItemIds = new Int32Array(places);
  const rivalIds = new Int32Array(places);
  const reasons = new Int16Array(places);
  /** 0: the place is free. Whole numbers, exact up to 2^53. */
  const sums = new Float64Array(places);
  let size = 0;

  const placeOf = (lineItemId: number, reason: number, outrankedBy: number): number => {
    const mixed = Math.imul(lineItemId, 0x9e3779b1) ^ Math.imul(outrankedBy, 0x85ebca6b) ^ Math.imul(reason, 0xc2b2ae35);
    let place = (mixed ^ (mixed >>> 15)) & (places - 1);
    while (sums[place] !== 0 && (lineItemIds[place] !== lineItemId || rivalIds[place] !== outrankedBy || reasons[place] !== reason))
      place = (place + 1) & (places - 1);
    return place;
  };

  return {
    get size(): number {
      return size;
    },
    /** False: the table is full and has no row of this key. */
    add: (lineItemId: number, reason: number, outrankedBy: number, impressions: number): boolean => {
      const place = placeOf(lineItemId, reason, outrankedBy);
      if (sums[place] === 0) {
        if (impressions === 0) return true;
        if (size === maxRows) return false;
        size++;
        lineItemIds[place] = lineItemId;
        rivalIds[place] = outrankedBy;
        reasons[place] = reason;
      }
      sums[place]! += impressions;
      return true;
    },
    rows: (): readonly RefusalCount[] => {
      const found: RefusalCount[] = [];
      for (let place = 0; place < places; place++)
        if (sums[place] !== 0)
          found.push({
            lineItemId: lineItemIds[place]!,
            reason: reasons[place]!,
            outrankedBy: rivalIds[place]!,
            impressions: sums[place]!,
          });
      return found;
    },
  };
};

export type RefusalTable = ReturnType<typeof createRefusalTable>;
