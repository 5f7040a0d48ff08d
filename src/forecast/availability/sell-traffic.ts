import type { CandidateIndex } from '../../catalog/snapshot/snapshot.ts';
import type { Creative } from '../../catalog/model/entities.ts';

/** A line item that gets impressions of a placement. */
export interface BookedThere {
  readonly id: number;
  readonly priority: number;
  /** Impressions, by the days of the forecast. */
  readonly counts: readonly number[];
  /** Its creatives, by their positions in the index. */
  readonly places: readonly (readonly [position: number, creative: Creative])[];
}

/** Impressions of a placement that the same line items may have, and that are of the same groups. */
export interface TrafficPart {
  /** The groups; none: it is not asked about, and takes its part of what is sold. */
  readonly keys: readonly string[];
  /** Positions in the list of line items. */
  readonly eligible: readonly number[];
  /** Sampled impressions, as many as they stand for. */
  weight: number;
}

/** Called for what a part has on a day. `lineItem` undefined: what pages ask for. */
export type OnSold = (part: TrafficPart, day: number, impressions: number, lineItem: BookedThere | undefined) => void;

/** In the order of their rank. @param counts by the id of a line item */
export const bookedThere = (
  index: CandidateIndex | undefined,
  counts: Readonly<Record<string, readonly number[]>>,
): readonly BookedThere[] => {
  const found = new Map<number, BookedThere & { readonly places: [number, Creative][] }>();
  for (let position = 0; index && position < index.size; position++) {
    const { lineItem, creative } = index.peek(position);
    const of = counts[String(lineItem.id)];
    if (of === undefined) continue;
    const known = found.get(lineItem.id) ?? { id: lineItem.id, priority: lineItem.priority, counts: of, places: [] };
    known.places.push([position, creative]);
    found.set(lineItem.id, known);
  }
  return [...found.values()];
};

/**
 * Divides what line items get of a placement among the parts of its traffic: in the order of their rank, each takes the same share of
 * all that it may have and that none before it has taken. The replay knows how much each gets; the sample knows of what.
 *
 * @param available impressions of the placement, by the days of the forecast
 */
export const sellTraffic = (
  parts: readonly TrafficPart[],
  booked: readonly BookedThere[],
  available: readonly number[],
  onSold: OnSold,
): void => {
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  if (whole === 0) return;
  const everywhere = parts.map((_, i) => i);
  const where = booked.map((_, nth) => {
    const on = everywhere.filter((i) => parts[i]!.eligible.includes(nth));
    // The sample has nothing that it may have: it may be too small.
    return on.length > 0 ? on : everywhere;
  });
  for (const [day, all] of available.entries()) {
    const left = parts.map(({ weight }) => (all * weight) / whole);
    for (const i of everywhere) onSold(parts[i]!, day, left[i]!, undefined);
    for (const [nth, lineItem] of booked.entries()) {
      const wanted = lineItem.counts[day] ?? 0;
      const room = where[nth]!.reduce((sum, i) => sum + left[i]!, 0);
      if (wanted === 0 || room === 0) continue;
      const share = Math.min(wanted / room, 1);
      for (const i of where[nth]!) {
        const taken = left[i]! * share;
        left[i]! -= taken;
        onSold(parts[i]!, day, taken, lineItem);
      }
    }
  }
};
