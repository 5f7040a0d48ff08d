import type { Booking } from '../catalog/model/entities.ts';
import { NoBidReason } from './no-bid-reason.ts';
import { ShownInPod, type PodShare } from './pod.ts';
import { allAdsOf, type RankedCandidate } from './ranked-candidate.ts';

type Shown = Pick<Booking, 'creative' | 'campaign'> & { readonly inPod?: PodShare | undefined };

/**
 * The ads of one answer, and what may not be shown beside them: a creative twice, an exclusive
 * advertiser twice, two advertisers that share an exclusion label; in one ad break an advertiser twice, or more than its
 * length. page.lua and pod.lua are the same in Lua.
 */
export class ShownTogether {
  private readonly creatives = new Set<number>();
  /** Exclusive advertisers by their ids, and by exclusion label whose ad has it. */
  private advertisers: Map<number | string, number> | undefined;

  private pods: Map<string, ShownInPod> | undefined;

  get isEmpty(): boolean {
    return this.creatives.size === 0;
  }

  /** What is left of a pod of this length. */
  leftOf(pod: string, maxMs: number): number {
    return this.pods?.get(pod)?.leftOf(maxMs) ?? maxMs;
  }

  add({ creative, campaign: { advertiserId, traits }, inPod }: Shown): void {
    this.creatives.add(creative.id);
    if (inPod) this.addToPod(inPod);
    const { exclusive, exclusionLabels } = traits;
    if (advertiserId === null || (!exclusive && exclusionLabels.length === 0)) return;
    this.advertisers ??= new Map();
    if (exclusive) this.advertisers.set(advertiserId, advertiserId);
    for (const label of exclusionLabels) this.advertisers.set(label, advertiserId);
  }

  /** Why a candidate may not be shown with the ads so far; undefined: it may. */
  refusalOf({ creative, campaign: { advertiserId, traits }, inPod }: Shown): NoBidReason | undefined {
    if (this.creatives.has(creative.id) && !inPod?.isBid) return NoBidReason.DuplicateInPage;
    if (inPod && this.pods?.get(inPod.id)?.hasAdvertiser(inPod)) return NoBidReason.CompetitorInPage;
    if (inPod && inPod.durationMs > this.leftOf(inPod.id, inPod.leftMs)) return NoBidReason.BreakFull;
    const { advertisers } = this;
    if (advertisers === undefined || advertiserId === null) return undefined;
    if (traits.exclusive && advertisers.has(advertiserId)) return NoBidReason.CompetitorInPage;
    for (const label of traits.exclusionLabels)
      if ((advertisers.get(label) ?? advertiserId) !== advertiserId) return NoBidReason.CompetitorInPage;
    return undefined;
  }

  private addToPod(share: PodShare): void {
    this.pods ??= new Map();
    let pod = this.pods.get(share.id);
    if (!pod) this.pods.set(share.id, (pod = new ShownInPod()));
    pod.add(share);
  }
}

/** The same for a candidate with the ads that are shown with it, which exclude others and not each other. */
export const refusalOfAll = (shown: ShownTogether, candidate: RankedCandidate): NoBidReason | undefined => {
  if (candidate.block === undefined) return shown.refusalOf(candidate);
  for (const one of allAdsOf(candidate)) {
    const reason = shown.refusalOf(one);
    if (reason !== undefined) return reason;
  }
  return undefined;
};
