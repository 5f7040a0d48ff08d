import type { WireImpTrace, WireRotation } from '../../src/http/openrtb/write-trace.ts';
import { CLASS_WORDS, PRIORITY_WORDS, ROTATION_WORDS } from '../words/choice-words.ts';
import { count, money, percent } from '../words/formats.ts';
import { t } from '../words/texts.ts';

/** The outcome of one creative in a decision. */
export interface Candidate {
  readonly creativeId: number;
  readonly lineItemId: number;
  readonly outcome: 'won' | 'outranked' | 'fell';
  /** The step that rejected it. */
  readonly stage: string;
  readonly detail: string;
  /** In the ranking, from 1. */
  readonly place: number | undefined;
}

/** The outcome of each creative in a trace, the one that came furthest first. @param currency of its prices */
export const readTrace = (trace: WireImpTrace, currency: string): readonly Candidate[] => {
  const lineItems = new Map<number, number>();
  for (const { creative_id, line_item_id } of [...trace.ranking, ...trace.steps.flatMap(({ rejected }) => rejected)])
    lineItems.set(creative_id, line_item_id);

  const fell = trace.steps.toReversed().flatMap(({ stage, rejected }) =>
    rejected.map(({ creative_id: creativeId, line_item_id: lineItemId, detail, reason }): Candidate => {
      return { creativeId, lineItemId, outcome: 'fell', stage, detail: detail || reason.replaceAll('_', ' '), place: undefined };
    }),
  );
  const stopped = new Set(fell.map(({ creativeId }) => creativeId));
  const ranked = trace.ranking.flatMap(
    (
      { creative_id: creativeId, line_item_id: lineItemId, class: sold, priority, ecpm, programmatic, opportunity_cost, rotation },
      i,
    ): Candidate[] => {
      if (stopped.has(creativeId)) return [];
      const outcome = trace.winner?.creative_id === creativeId ? 'won' : 'outranked';
      const rank = t`${priorityWord(priority)} priority, ${money(ecpm, currency)} eCPM${programmatic ? t`, from its bid` : ''}${rotationWords(rotation)}`;
      const detail = [...(sold ? [CLASS_WORDS[sold].label] : []), ...yieldWords(opportunity_cost, currency), rank].join(', ');
      return [{ creativeId, lineItemId, outcome, stage: 'ranking', detail, place: i + 1 }];
    },
  );
  // Passed every step and was not offered: the winner was found first.
  const listed = new Set([...ranked, ...fell].map(({ creativeId }) => creativeId));
  const notOffered = (trace.steps.at(-1)?.creative_ids ?? [])
    .filter((creativeId) => !listed.has(creativeId))
    .map((creativeId): Candidate => {
      const lineItemId = lineItems.get(creativeId) ?? 0;
      return { creativeId, lineItemId, outcome: 'outranked', stage: 'ranking', detail: t`ranked further down`, place: undefined };
    });
  return [
    ...ranked.filter(({ outcome }) => outcome === 'won'),
    ...ranked.filter(({ outcome }) => outcome !== 'won'),
    ...notOffered,
    ...fell,
  ];
};

/** Where a bid met a line item that yields while it is ahead of its goal. */
const yieldWords = (cost: number | null | undefined, currency: string): readonly string[] => {
  if (cost === undefined) return [];
  return [cost === null ? t`not ahead of its goal` : t`ahead of its goal: bids above ${money(cost, currency)} go before it`];
};

const rotationWords = (rotation: WireRotation | undefined): string => {
  if (!rotation) return '';
  const { mode, share, impressions = 0, clicks = 0 } = rotation;
  const learned = mode === 'optimised' ? t`, from ${count(clicks)} clicks of ${count(impressions)} impressions` : '';
  return t`; ${percent(share)} of its line item here (${ROTATION_WORDS[mode].label} rotation${learned})`;
};

const priorityWord = (priority: number): string =>
  Object.entries(PRIORITY_WORDS)
    .find(([value]) => value === String(priority))?.[1]
    .label.toLowerCase() ?? String(priority);
