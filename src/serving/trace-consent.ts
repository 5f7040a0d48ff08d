import { bidderOf } from '../catalog/model/bidder-of.ts';
import type { BidOpportunity } from '../bidders/bidder-port.ts';
import {
  DENIALS,
  WITHHELD_FROM_BIDDERS,
  type ConsentTrace,
  type Denial,
  type Verdict,
  type WithheldField,
} from '../context/consent/consent.ts';
import type { AdRequest } from './ad-request.ts';

/** Fields that are withheld with the right to remember and to measure, and where they are not written. */
const REMEMBERED: readonly (readonly [field: string, from: string])[] = [
  ['user.id', 'tokens'],
  ['user.id', 'frequency caps'],
];
const MEASURED: readonly (readonly [field: string, from: string])[] = [
  ['user.id', 'events'],
  ['device.ip (network)', 'tokens and events'],
  ['device.ua (browser)', 'tokens and events'],
  ['site.page (origin)', 'tokens and events'],
];
const PROFILED: readonly (readonly [field: string, from: string])[] = [['user.data (segments)', 'targeting']];

/** Line items that one entry names. */
const MAX_NAMED = 50;

/** Every field that is withheld, from whom, and why. */
export const traceConsent = ({ consent, bidContext, hasSegments }: AdRequest, opportunities: readonly BidOpportunity[]): ConsentTrace => {
  const refused = new Map<Denial, Set<number>>();
  for (const { lineItem } of opportunities.flatMap(({ invitations }) => invitations)) {
    const verdict = consent.shareWith(bidderOf(lineItem, bidContext.bidders)?.gvlId ?? null);
    if (verdict !== null) refused.set(verdict, (refused.get(verdict) ?? new Set()).add(lineItem.id));
  }
  const shared = [...refused].flatMap(([verdict, ids]) =>
    withheld(
      WITHHELD_FROM_BIDDERS.map((field) => [field, `bidders of line items ${[...ids].slice(0, MAX_NAMED).join(', ')}`]),
      verdict,
    ),
  );
  return {
    remember: consent.remember === null,
    measure: consent.measure === null,
    profile: consent.profile === null,
    withheld: [
      ...withheld(REMEMBERED, consent.remember),
      ...withheld(MEASURED, consent.measure),
      // Of a request without segments nothing is withheld.
      ...(hasSegments ? withheld(PROFILED, consent.profile) : []),
      ...shared,
    ],
  };
};

const withheld = (fields: readonly (readonly [string, string])[], verdict: Verdict): readonly WithheldField[] =>
  verdict === null ? [] : fields.map(([field, from]) => ({ field, from, why: DENIALS[verdict] }));
