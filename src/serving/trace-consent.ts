import type { BidOpportunity } from '../bidders/bidder-port.ts';
import { DENIALS, WITHHELD_FROM_BIDDERS, type ConsentTrace, type Verdict, type WithheldField } from '../context/consent/consent.ts';
import type { AdRequest } from './ad-request.ts';

/** Fields that are withheld with the right to remember and to measure, and where they are not written. */
const REMEMBERED: readonly (readonly [field: string, from: string])[] = [
  ['user.id', 'tokens'],
  ['user.id', 'frequency caps'],
];
const MEASURED: readonly (readonly [field: string, from: string])[] = [['user.id', 'events']];

/** Every field that is withheld, from whom, and why. */
export const traceConsent = ({ consent }: AdRequest, opportunities: readonly BidOpportunity[]): ConsentTrace => {
  const bidders = opportunities.flatMap(({ invitations }) => invitations.map(({ lineItem }) => lineItem));
  return {
    remember: consent.remember === null,
    measure: consent.measure === null,
    withheld: [
      ...withheld(REMEMBERED, consent.remember),
      ...withheld(MEASURED, consent.measure),
      ...[...new Map(bidders.map((lineItem) => [lineItem.id, lineItem])).values()].flatMap(({ id, gvlId }) =>
        withheld(
          WITHHELD_FROM_BIDDERS.map((field) => [field, `the bidder of line item ${id}`]),
          consent.shareWith(gvlId),
        ),
      ),
    ],
  };
};

const withheld = (fields: readonly (readonly [string, string])[], verdict: Verdict): readonly WithheldField[] =>
  verdict === null ? [] : fields.map(([field, from]) => ({ field, from, why: DENIALS[verdict] }));
