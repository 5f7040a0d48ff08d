import { dayOf } from '../../src/base/utc-day.ts';
import { compareBooks } from './check-stored.ts';
import type { Violation } from './model.ts';
import type { AccountRef } from './operator.ts';
import { refilter } from './refilter.ts';
import type { Stage } from './stage.ts';
import { NETWORKS, type Step } from './story.ts';

type OperatorStep = Step & { readonly do: 'compare' | 'drift' | 'damage' | 'repair' | 'poison' | 'refilter' };

/** Does what happens to the books beside the replicas. Returns the rules that it found broken. */
export const operate = async (stage: Stage, step: OperatorStep): Promise<readonly Violation[]> => {
  const { operator, notes, poison } = stage;
  if (!stage.postgresUp || stage.redisDown.includes(true) || stage.isLost) {
    notes.set(step.id, 'not while a store is away, or its counts');
    return [];
  }
  switch (step.do) {
    case 'compare':
      return compareBooks(stage);
    case 'drift': {
      const of = accountOf(stage, 'l', step);
      const { drift, nth, by } = step;
      const seeded =
        drift === 'account' ? of !== undefined && (await operator.driftAccount(of, by)) : await operator.driftRow(drift, nth, by);
      if (!seeded) return [];
      const found = await operator.compare();
      notes.set(step.id, found.join('; '));
      const missed = found.length > 0 ? [] : [{ rule: 'drift', text: `a difference of ${drift} by ${by} was not found` }];
      return [...missed, ...(await compareBooks(stage))];
    }
    case 'damage': {
      const of = accountOf(stage, step.kind, step);
      if (of && (await operator.damage(of, step.how))) notes.set(step.id, `${of.kind}${of.id} of publisher ${of.publisherId}`);
      return [];
    }
    case 'repair':
      notes.set(step.id, `damaged: ${[...operator.damaged].join(', ')}`);
      return repairAccounts(stage);
    case 'refilter':
      stage.listed = new Set(step.networks.flatMap((n) => NETWORKS[n] ?? []));
      // An account that is set aside is not corrected.
      return operator.damaged.size > 0 ? [] : refilter(stage, dayOf(stage.trueMs) - step.daysAgo);
    case 'poison':
      if (step.what === 'hit') await poison.addHit(step.publisher);
      else await poison.addEvent(step.publisher, step.what === 'refused event', stage.redisMs);
      return [];
  }
};

/** No account is set aside that was not damaged. */
export const repairAccounts = async ({ operator }: Stage): Promise<readonly Violation[]> =>
  (await operator.repair()).map((text) => ({ rule: 'set aside', text: `without damage: ${text}` }));

const accountOf = (
  { model }: Stage,
  kind: 'l' | 'c',
  { of, nth }: { readonly of: number; readonly nth: number },
): AccountRef | undefined => {
  const ad = model.adsOfStep(of)[nth]?.ad;
  return ad && { publisherId: ad.publisherId, kind, id: kind === 'l' ? ad.lineItemId : ad.campaignId };
};
