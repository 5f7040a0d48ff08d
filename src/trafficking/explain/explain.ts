import type { Creative, LineItem } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isUnbounded } from '../../ledger/limits.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import { rankDirect } from '../../decision/rank-candidates.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { traceCandidates, type BookedCreative } from '../../decision/trace.ts';
import type { ReadLimits } from '../../ledger/read/read-limits.ts';
import type { TrafficCurve } from '../../ledger/traffic-curve.ts';
import type { AdRequest, RequestedImp } from '../../serving/ad-request.ts';
import { bookedFor } from '../../serving/booked-for.ts';
import { openOpportunity, rankOpportunity } from '../../serving/opportunity.ts';
import { explainRank, LOOKED_AT, type Judged } from './explain-rank.ts';
import { OUTCOMES, stopped, type CreativeExplanation, type Outcome } from './explanation.ts';

export interface ExplainOptions {
  readonly readLimits: ReadLimits;
  readonly countersUp: () => boolean;
  readonly curveOf: (snapshot: Snapshot, publisherId: number, atMs: number) => TrafficCurve;
}

export interface Explanation {
  readonly request_id: string;
  readonly line_item_id: number;
  readonly at: string;
  readonly snapshot_version: number;
  /** What the service made of the request. */
  readonly context: { readonly country: string | null; readonly device: string | null; readonly may_remember_user: boolean };
  readonly outcome: Outcome;
  /** The best that any of its creatives came to, in one sentence. */
  readonly summary: string;
  readonly creatives: readonly CreativeExplanation[];
}

/** Ties are told as ties, so chance has no part in it. */
const NO_CHANCE = (): number => 0;

/**
 * Why a line item would or would not fill a request: the steps of the decision, run without taking or counting anything, and without asking a bidder.
 * undefined: the snapshot does not know the line item.
 */
export const createExplain =
  (options: ExplainOptions) =>
  async (snapshot: Snapshot, asked: AdRequest, lineItemId: number): Promise<Explanation | undefined> => {
    const request: AdRequest = { ...asked, traced: true };
    const lineItem = snapshot.lineItems.get(lineItemId);
    if (!lineItem) return undefined;
    const own = [...snapshot.creatives.values()].filter((creative) => creative.lineItemId === lineItemId);
    const creatives = await explainCreatives(options, snapshot, request, lineItem, own);
    const best = creatives.reduce<CreativeExplanation | undefined>(
      (found, each) => (found && furthest(found, each) ? found : each),
      undefined,
    );
    const { atMs, mayRemember } = request.query;
    const { country, device } = request.bidContext;
    return {
      request_id: request.id,
      line_item_id: lineItemId,
      at: new Date(atMs).toISOString(),
      snapshot_version: snapshot.version,
      context: { country, device, may_remember_user: mayRemember },
      outcome: best?.outcome ?? 'stopped',
      summary: best
        ? `${best.outcome === 'stopped' ? `stopped at ${best.stage}: ` : ''}${best.detail}`
        : 'stopped at booked: it has no creative',
      creatives,
    };
  };

const explainCreatives = async (
  options: ExplainOptions,
  snapshot: Snapshot,
  request: AdRequest,
  lineItem: LineItem,
  own: readonly Creative[],
): Promise<readonly CreativeExplanation[]> => {
  if (lineItem.publisherId !== request.publisher.id) {
    const detail = `it belongs to publisher ${lineItem.publisherId}, the request to publisher ${request.publisher.id}`;
    return own.map((creative) => stopped(creative, null, 'booked', NoBidReason.NothingBooked, detail));
  }
  const asked = new Set(request.imps.map(({ placementId }) => placementId));
  const elsewhere = own
    .filter(({ placementId }) => !asked.has(placementId))
    .map((creative) =>
      stopped(
        creative,
        null,
        'booked',
        NoBidReason.NothingBooked,
        `it stands on placement ${creative.placementId}, which the request does not ask for`,
      ),
    );
  const here = await Promise.all(
    request.imps.map((imp) =>
      explainImp(
        options,
        snapshot,
        request,
        imp,
        own.filter(({ placementId }) => placementId === imp.placementId),
      ),
    ),
  );
  return [...here.flat(), ...elsewhere];
};

const explainImp = async (
  options: ExplainOptions,
  snapshot: Snapshot,
  request: AdRequest,
  imp: RequestedImp,
  own: readonly Creative[],
): Promise<readonly CreativeExplanation[]> => {
  if (own.length === 0) return [];
  const opportunity = openOpportunity({ snapshot, request, imp, random: NO_CHANCE });
  const { placement } = opportunity;
  if (!placement) {
    const detail = `placement ${imp.placementId} does not exist, or belongs to another publisher`;
    return own.map((creative) => stopped(creative, imp.impId, 'placement', NoBidReason.UnknownPlacement, detail));
  }
  const { steps, left } = traceCandidates(bookedFor(snapshot, request.publisher.id, placement.id), request.query, opportunity.imp);
  const byId = new Map(left.map((booked) => [booked.creative.id, booked]));
  const stoppedHere = own
    .filter(({ id }) => !byId.has(id))
    .map((creative) => {
      const step = steps.find(({ rejected }) => rejected.some(({ creative_id }) => creative_id === creative.id));
      const rejection = step?.rejected.find(({ creative_id }) => creative_id === creative.id);
      return stopped(
        creative,
        imp.impId,
        step?.stage ?? 'booked',
        rejection?.nbr ?? NoBidReason.NothingBooked,
        rejection?.detail ?? 'it is not booked here',
      );
    });

  rankOpportunity(opportunity, { snapshot, request, random: NO_CHANCE });
  const ranked = opportunity.ranking?.take(LOOKED_AT) ?? [];
  const bidding = own.flatMap(({ id }) => biddingCandidate(byId.get(id)));
  const judged = await judge(options, snapshot, request, [...ranked, ...bidding]);
  const standing = own
    .filter(({ id }) => byId.has(id))
    .map((creative) => explainRank(creative, imp.impId, judged, opportunity.invitation !== undefined));
  return [...stoppedHere, ...standing];
};

/** A programmatic candidate as if it had bid nothing: its limits are looked at, its price is not known. */
const biddingCandidate = (booked: BookedCreative | undefined): readonly RankedCandidate[] =>
  booked?.lineItem.type === 'programmatic' ? [{ ...rankDirect({ ...booked, ecpmMicros: 0 }, -1), priceMicros: 0, expectedMicros: 0 }] : [];

const judge = async (
  { readLimits, countersUp, curveOf }: ExplainOptions,
  snapshot: Snapshot,
  request: AdRequest,
  candidates: readonly RankedCandidate[],
): Promise<readonly Judged[]> => {
  const question = {
    publisherId: request.publisher.id,
    userHash: request.userHash,
    curve: curveOf(snapshot, request.publisher.id, request.query.atMs),
    candidates,
  };
  // Redis may go away in between; its own client tells the log.
  const readings = countersUp() ? await readLimits(question).catch(() => undefined) : undefined;
  return candidates.map((candidate, i) => {
    const reading = readings?.[i];
    const uncounted = isUnbounded(candidate.lineItem, candidate.campaign) ? 0 : NoBidReason.CountersUnavailable;
    return { candidate, nbr: reading?.nbr ?? uncounted, reading };
  });
};

const STAGES = ['booked', 'placement', 'format and size', 'flight', 'consent', 'targeting', 'limits', 'bidders', 'ranking'];

/** Whether `a` came at least as far as `b`. */
const furthest = (a: CreativeExplanation, b: CreativeExplanation): boolean =>
  a.outcome === b.outcome ? STAGES.indexOf(a.stage) >= STAGES.indexOf(b.stage) : OUTCOMES.indexOf(a.outcome) < OUTCOMES.indexOf(b.outcome);
