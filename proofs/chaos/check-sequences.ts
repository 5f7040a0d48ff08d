import { groupBy } from '../../src/base/group-by.ts';
import { countsOf } from '../../src/ledger/frequency-counters.ts';
import type { Ad, Model, Violation } from './model.ts';
import { holdSlackMs, MAX_SKEW_MS, RELEASE_MARGIN_MS } from './rules.ts';
import type { AdCall } from './story.ts';

/** The order in which users see the creatives of sequences, over all replicas and steps. */
export interface Sequences {
  /** Whether each user got the step whose turn it was. */
  check(taken: readonly Ad[], redisMs: number): Promise<readonly Violation[]>;
  /** The reply to these calls was lost: their users may hold ads that no replica knows of. `open`: the call may run later. */
  lose(calls: readonly AdCall[], at: { readonly redisMs: number; readonly ttlMs: number; readonly open: boolean }): void;
}

interface LostCall {
  readonly imps: number;
  /** Its ads hold their places until Redis's clock and the fold horizon have passed this. */
  readonly untilMs: number;
}

/**
 * The turn follows from how many places a user takes in the counter of the line item. A hit that is late, and a hold that has just
 * ended, may or may not take one: a step is wrong when no count between the least and the most gives it.
 *
 * @param horizonOf the fold horizon of a publisher
 */
export const createSequences = (model: Model, horizonOf: (publisherId: number) => Promise<number>): Sequences => {
  const lost = new Map<string, LostCall[]>();
  const checkUser = async (taken: readonly Ad[], redisMs: number): Promise<readonly Violation[]> => {
    const {
      ad: { publisherId, userHash, lineItemId },
      lineItem,
    } = taken[0]!;
    const turns = taken.flatMap(({ turn }) => (turn ? [turn] : []));
    const steps = turns[0]?.steps ?? 0;
    // Replicas with catalogs of different age may have different sequences.
    if (turns.some((turn) => turn.steps !== steps)) return [];
    const windowMs = Math.max(...lineItem.frequencyCaps.filter(isOwn).map((cap) => cap.windowMs));
    const before = model
      .adsOf('l', lineItemId)
      .filter((ad) => !taken.includes(ad) && ad.ad.publisherId === publisherId && ad.ad.userHash === userHash && ad.reserved)
      .filter(({ ad }) => countsOf(ad.counted ?? [], 'impressions').some((counter, i) => i % 2 === 0 && counter === lineItemId));
    const least = before.filter((ad) => isTaken(ad, Math.min(model.minWindowMs(lineItemId), windowMs), redisMs)).length;
    const mostAt = (atMs: number): number =>
      before.filter((ad) => mayBeTaken(ad, windowMs, redisMs, atMs)).length +
      (lost.get(`${publisherId} ${userHash}`) ?? []).reduce((sum, { imps, untilMs }) => (atMs < untilMs ? sum + imps : sum), 0);
    const isRight = (most: number): boolean =>
      Array.from({ length: most - least + 1 }, (_, more) => least + more).some((seen) => isInTurn(turns, seen, steps));
    if (isRight(mostAt(redisMs)) || isRight(mostAt(Math.min(redisMs, await horizonOf(publisherId))))) return [];
    const shown = turns.map(({ step }) => step + 1).join(', ');
    const text = `${userHash} got step ${shown} of ${steps} of line item ${lineItemId} with ${least} to ${mostAt(redisMs)} ads before`;
    return [{ rule: 'sequence', text }];
  };
  return {
    check: async (taken, redisMs) => {
      const known = taken.filter(({ turn, reserved, ad }) => turn !== undefined && reserved && ad.userHash !== null);
      const users = groupBy(known, ({ ad }) => `${ad.publisherId} ${ad.userHash} ${ad.lineItemId}`);
      const found: Violation[] = [];
      for (const ads of users.values()) found.push(...(await checkUser(ads, redisMs)));
      return found;
    },
    lose: (calls, { redisMs, ttlMs, open }) => {
      const untilMs = open ? Infinity : redisMs + ttlMs + holdSlackMs(ttlMs) + RELEASE_MARGIN_MS + MAX_SKEW_MS;
      for (const { publisher, user, imps } of calls) {
        const key = `${publisher} ${user}`;
        lost.set(key, [...(lost.get(key) ?? []), { imps, untilMs }]);
      }
    },
  };
};

const isOwn = ({ scope, of }: Ad['lineItem']['frequencyCaps'][number]): boolean => scope === 'line_item' && of === 'impressions';

/** Whether the ads of one moment, whose order is not known, are the steps that follow after so many. */
const isInTurn = (turns: readonly { readonly step: number }[], seen: number, steps: number): boolean => {
  const due = turns.map((_, i) => (seen + i) % steps).sort((a, b) => a - b);
  return turns
    .map(({ step }) => step)
    .sort((a, b) => a - b)
    .every((step, i) => step === due[i]);
};

/** Certainly. */
const isTaken = (
  { ad, counted, waiting, released, forgotten, filteredLater, reserved, seenAtMs, selectedAtMs }: Ad,
  windowMs: number,
  redisMs: number,
): boolean => {
  if (forgotten || released || filteredLater) return false;
  if (seenAtMs !== undefined && (counted || waiting)) return redisMs < seenAtMs + windowMs - MAX_SKEW_MS;
  return reserved && redisMs < Math.min(ad.tokenExpS * 1000, selectedAtMs + windowMs) - MAX_SKEW_MS;
};

/** Possibly. @param atMs of the clock of Redis and the fold horizon, the earlier one, if that is known */
const mayBeTaken = ({ counted, waiting, seenAtMs, releasedByMs }: Ad, windowMs: number, redisMs: number, atMs: number): boolean => {
  if (waiting || atMs < releasedByMs + MAX_SKEW_MS) return true;
  return counted && redisMs < Math.max(seenAtMs ?? 0, releasedByMs) + windowMs + MAX_SKEW_MS;
};
