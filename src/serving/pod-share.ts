import { isVideo } from '../catalog/model/entities.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { PodShare } from '../decision/pod.ts';
import type { Draft } from './draft.ts';

/** An ad whose length nothing says, such as the tag of another server, counts as the longest that its player takes, else as this. */
const UNKNOWN_MS = 30_000;

/** The candidate as a part of the pod of its impression, of which all is left; itself where it is alone. */
export const inPodOf = (draft: Draft, candidate: RankedCandidate): RankedCandidate => {
  const pod = draft.imp.terms?.pod;
  if (!pod) return candidate;
  const bid = draft.bids[candidate.bid];
  const { content } = candidate.creative;
  const knownMs = bid ? bid.durationMs : isVideo(content) ? content.video.durationMs : null;
  const longestMs = (draft.placement?.video?.max_duration ?? Infinity) * 1000;
  const inPod: PodShare = {
    id: pod.id,
    leftMs: pod.maxMs,
    durationMs: knownMs ?? Math.min(longestMs === Infinity ? UNKNOWN_MS : longestMs, pod.maxMs),
    advertisers: bid ? bid.adomain.slice(0, 1) : advertisersOf(candidate),
    isBid: bid !== undefined,
  };
  return { ...candidate, inPod };
};

/** By its domain, as bids name it, and by its record, else by its campaign. */
const advertisersOf = ({ creative, campaign }: RankedCandidate): readonly string[] => [
  ...(creative.advertiserDomain === null ? [] : [creative.advertiserDomain.toLowerCase()]),
  campaign.advertiserId === null ? `campaign ${campaign.id}` : `advertiser ${campaign.advertiserId}`,
];
