import { IDLE_KEY_TTL_MS } from '../base/utc-day.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';

/** Accounts outlive the last flight of their publisher by this much, for late hits, reports and a flight that is prolonged. */
const MARGIN_MS = IDLE_KEY_TTL_MS;

const lastFlightEnds = new WeakMap<Snapshot, ReadonlyMap<number, number>>();

/** When a publisher's accounts may be forgotten, epoch ms. Worked out once a snapshot. */
export const accountsExpireAtMs = (snapshot: Snapshot, publisherId: number): number => {
  let ends = lastFlightEnds.get(snapshot);
  if (!ends) lastFlightEnds.set(snapshot, (ends = lastEndByPublisher(snapshot)));
  return Math.max(ends.get(publisherId) ?? 0, snapshot.loadedAtMs) + MARGIN_MS;
};

const lastEndByPublisher = (snapshot: Snapshot): ReadonlyMap<number, number> => {
  const ends = new Map<number, number>();
  for (const { publisherId, flight } of snapshot.campaigns.values())
    ends.set(publisherId, Math.max(ends.get(publisherId) ?? 0, flight.endMs));
  return ends;
};
