import { component } from '../../api/component.ts';
import { AMOUNTS } from '../../catalog/model/amounts.ts';
import * as s from '../../base/schema.ts';

/** Records whose flow is shown. */
export type FlowTable = 'line_items' | 'campaigns' | 'advertisers' | 'placements';

/**
 * What became of requests, step by step. Each figure is what is left of the one before without what is lost on the way:
 * asked − off_target − unsuitable = matched, − capped − other − outranked = served, − not_shown − filtered = shown.
 */
export const FLOW = component(
  'Flow',
  s.record({
    from: s.day,
    to: s.day,
    asked: s.described(
      s.count,
      'Impressions of its placements; of several line items, each impression for each of them that it could have had',
    ),
    off_target: s.described(s.count, 'Its targeting did not match'),
    unsuitable: s.described(s.count, 'Its size, format, consent or price did not fit'),
    matched: s.count,
    capped: s.described(s.count, 'A limit or its pacing held it back'),
    other: s.described(s.count, 'The bidder or the page had no place for it'),
    outranked: s.described(s.count, 'Another line item ranked before it; 0 of a placement'),
    served: s.described(s.count, 'Chosen and answered'),
    not_shown: s.described(s.count, 'Answered, and not rendered within the life of its token, or not yet'),
    filtered: s.described(s.count, 'Rendered, and filtered as invalid or still judged'),
    shown: s.described(s.count, 'Net impressions'),
    seen: s.described(s.count, 'Of these, viewable'),
    clicked: s.described(s.count, 'Net clicks'),
    billed: s.described(AMOUNTS, 'Net, without fees'),
    reasons: s.listOf(s.record({ reason: s.text, words: s.text, step: s.oneOf(['unsuitable', 'capped', 'other']), impressions: s.count }), {
      description: 'What is behind these losses, the most frequent first',
    }),
  }),
  {
    ...{ from: '2026-10-08', to: '2026-10-14', asked: 21_000, off_target: 9_100, unsuitable: 400, matched: 11_500 },
    ...{ capped: 360, other: 0, outranked: 1_640, served: 9_500, not_shown: 240, filtered: 60, shown: 9_200 },
    ...{ seen: 6_700, clicked: 21, billed: [{ currency: 'EUR', amount: 41.4 }] },
    reasons: [
      { reason: 'size_or_format', words: 'the creative has another format or size', step: 'unsuitable', impressions: 400 },
      { reason: 'frequency_capped', words: 'the user has reached the frequency cap', step: 'capped', impressions: 360 },
    ],
  },
);
export type Flow = s.Shape<typeof FLOW>;
