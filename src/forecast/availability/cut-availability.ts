import { under } from '../../base/under.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { fitsImp } from '../../decision/ad-query.ts';
import type { AdRequest, RequestedImp } from '../../serving/ad-request.ts';
import type { BaseFigures } from '../base-figures.ts';
import { LOWEST_PRIORITY } from '../replay/sold-tally.ts';
import type { ReplayRequest } from '../replay/replayed-request.ts';
import type { SampledRequest } from '../sample/sampled-request.ts';
import type { AvailabilityCut } from './availability.ts';
import { bookedThere, sellTraffic, type BookedThere, type TrafficPart } from './sell-traffic.ts';
import type { TrafficKeys } from './traffic-keys.ts';

export interface KnownTraffic {
  readonly snapshot: Snapshot;
  readonly sample: readonly SampledRequest[];
  readonly toRequest: ReplayRequest;
}

export interface CutOptions extends KnownTraffic {
  readonly publisherId: number;
  /** Of the last replay of all bookings. */
  readonly figures: BaseFigures;
  readonly keysOf: TrafficKeys;
  /** Targetings with which it compares each impression. */
  readonly comparedByKeys: number;
  /** Which line items are behind it is asked, too. */
  readonly withBookings: boolean;
}

/** Line items and targetings that are compared with impressions: about a second's work. */
const MAX_COMPARED = 2_000_000;

/** What of each part of the traffic is sold: how much from the replay of all bookings, of what from the sample. */
export const cutAvailability = (options: CutOptions): readonly AvailabilityCut[] => {
  const { snapshot, publisherId, figures, sample, toRequest, comparedByKeys, withBookings } = options;
  const places = new Map(
    Object.keys(figures.placements).map((placementId) => {
      const index = snapshot.slot(publisherId, placementId).direct;
      return [
        placementId,
        { index, booked: bookedThere(index, figures.bookings[placementId] ?? {}), parts: new Map<string, TrafficPart>() },
      ];
    }),
  );
  const compared = sample.reduce(
    (sum, { placements }) => placements.reduce((of, id) => of + 1 + comparedByKeys + (places.get(id)?.booked.length ?? 0), sum),
    0,
  );
  const step = Math.max(1, Math.ceil(compared / MAX_COMPARED));
  for (let i = 0; i < sample.length; i += step) {
    const request = sample[i]!;
    const asked = toRequest({ request, atMs: request.atMs, copy: 0 });
    for (const imp of asked.imps) {
      const place = places.get(imp.placementId);
      if (place) notePart(place, options, asked, imp, request.weight);
    }
  }
  const groups = new Map<string, Group>();
  const zeros = (): number[] => figures.days.map(() => 0);
  const newGroup = (): Group => ({ available: zeros(), sold: zeros(), bookings: new Map() });
  for (const [placementId, { booked, parts }] of places)
    sellTraffic([...parts.values()], booked, figures.placements[placementId]!.available, ({ keys }, day, impressions, lineItem) => {
      for (const key of keys) {
        const group = under(groups, key, newGroup);
        if (lineItem === undefined) group.available[day]! += impressions;
        else if (lineItem.priority < LOWEST_PRIORITY) group.sold[day]! += impressions;
        if (withBookings && lineItem) under(group.bookings, lineItem.id, zeros)[day]! += impressions;
      }
    });
  return [...groups].map(([key, { available, sold, bookings }]) => ({
    ...{ key, available: available.map(Math.round), sold: sold.map(Math.round) },
    bookings: new Map([...bookings].map(([id, counts]) => [id, counts.map(Math.round)])),
  }));
};

interface Group {
  readonly available: number[];
  readonly sold: number[];
  readonly bookings: Map<number, number[]>;
}

interface Place {
  readonly index: ReturnType<Snapshot['slot']>['direct'];
  readonly booked: readonly BookedThere[];
  readonly parts: Map<string, TrafficPart>;
}

const notePart = (
  { index, booked, parts }: Place,
  { snapshot, keysOf }: CutOptions,
  asked: AdRequest,
  imp: RequestedImp,
  weight: number,
): void => {
  const own = snapshot.placements.get(imp.placementId);
  const keys = keysOf(asked, imp);
  const size = { width: imp.width ?? own?.width ?? 0, height: imp.height ?? own?.height ?? 0 };
  const scanner = index?.targeting.eligible(imp.targeting ?? asked.query.targeting);
  const eligible = booked.flatMap(({ places }, nth) =>
    places.some(
      ([position, creative]) => scanner?.firstFrom(position) === position && fitsImp(creative, { size, otherSizes: imp.otherSizes }),
    )
      ? [nth]
      : [],
  );
  const name = `${JSON.stringify(keys)} ${eligible.join()}`;
  const part = parts.get(name);
  if (part) part.weight += weight;
  else parts.set(name, { keys, eligible, weight });
};
