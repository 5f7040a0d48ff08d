import type { WireImpTrace } from '../../src/http/openrtb/write-trace.ts';
import { money } from '../words/formats.ts';

/** What became of one creative in a decision. */
export interface Candidate {
  readonly creativeId: number;
  readonly lineItemId: number;
  readonly outcome: 'won' | 'outranked' | 'fell';
  /** Where it fell. */
  readonly stage: string;
  readonly detail: string;
  /** In the ranking, from 1. */
  readonly place: number | undefined;
}

const PRIORITIES: Readonly<Record<number, string>> = { 1: 'high', 2: 'medium', 3: 'low' };

/** A trace turned round: from what each step did to what happened to each creative. Who came furthest stands first. */
export const readTrace = (trace: WireImpTrace): readonly Candidate[] => {
  const lineItems = new Map<number, number>();
  for (const { creative_id, line_item_id } of [...trace.ranking, ...trace.steps.flatMap(({ rejected }) => rejected)])
    lineItems.set(creative_id, line_item_id);

  const fell = trace.steps.toReversed().flatMap(({ stage, rejected }) =>
    rejected.map(({ creative_id, line_item_id, detail, reason }): Candidate => ({
      creativeId: creative_id,
      lineItemId: line_item_id,
      outcome: 'fell',
      stage,
      detail: detail || reason.replaceAll('_', ' '),
      place: undefined,
    })),
  );
  const stopped = new Set(fell.map(({ creativeId }) => creativeId));
  const ranked = trace.ranking.flatMap(({ creative_id, line_item_id, priority, ecpm, programmatic }, i): Candidate[] => {
    if (stopped.has(creative_id)) return [];
    const won = trace.winner?.creative_id === creative_id;
    return [
      {
        creativeId: creative_id,
        lineItemId: line_item_id,
        outcome: won ? 'won' : 'outranked',
        stage: 'ranking',
        detail: `${PRIORITIES[priority] ?? String(priority)} priority, ${money(ecpm)} eCPM${programmatic ? ', by its bid' : ''}`,
        place: i + 1,
      },
    ];
  });
  // What passed every step and was not offered: the winner was found before its turn came.
  const told = new Set([...ranked, ...fell].map(({ creativeId }) => creativeId));
  const last = trace.steps.at(-1);
  const unasked = (last?.creative_ids ?? []).flatMap((creativeId): Candidate[] =>
    told.has(creativeId)
      ? []
      : [
          {
            creativeId,
            lineItemId: lineItems.get(creativeId) ?? 0,
            outcome: 'outranked',
            stage: 'ranking',
            detail: 'ranked further down',
            place: undefined,
          },
        ],
  );
  return [...ranked.filter(({ outcome }) => outcome === 'won'), ...ranked.filter(({ outcome }) => outcome !== 'won'), ...unasked, ...fell];
};
