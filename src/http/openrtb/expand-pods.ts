import type { AuctionTerms } from '../../decision/ad-query.ts';
import type { WireImp } from './ad-request-schema.ts';

/** What a caller asks of a pod. */
export interface AskedPod {
  /** Impressions with one id are parts of one pod. */
  readonly id: string;
  /** Of all its ads together. */
  readonly maxMs: number;
  /** Of this impression, at most. */
  readonly ads: number;
}

/** Ads of one request that are decided. */
const MAX_ADS = 40;

/**
 * A pod has one impression for each of its ads, which are decided together: each is a selection by itself. The first keeps the
 * id of the impression that was asked for.
 */
export const expandPods = (
  imps: readonly WireImp[],
  terms: ReadonlyMap<string, AuctionTerms>,
  podOf: (impId: string) => AskedPod | undefined,
): { readonly imp: readonly WireImp[]; readonly terms: ReadonlyMap<string, AuctionTerms> } => {
  const pods = imps.map(({ id }) => podOf(id));
  if (pods.every((pod) => pod === undefined)) return { imp: imps, terms };
  const names = [...new Set(pods.flatMap((pod) => pod?.id ?? []))];
  const counts = countsOf(imps, pods);
  const taken = new Set(imps.map(({ id }) => id));
  const next = new Map<string, number>();
  const expanded: WireImp[] = [];
  const all = new Map<string, AuctionTerms>();
  imps.forEach((imp, i) => {
    const [pod, ofImp] = [pods[i], terms.get(imp.id)!];
    for (let ad = 0; ad < counts.ads[i]!; ad++) {
      const id = ad === 0 ? imp.id : newId(imp.id, ad + 1, taken);
      const slot = (next.get(pod?.id ?? '') ?? 0) + 1;
      if (pod) next.set(pod.id, slot);
      expanded.push(ad === 0 ? imp : { ...imp, id });
      all.set(
        id,
        pod
          ? {
              ...ofImp,
              pod: {
                id: String(names.indexOf(pod.id) + 1),
                name: pod.id,
                impId: imp.id,
                maxMs: pod.maxMs,
                slot,
                slots: counts.slots.get(pod.id)!,
              },
            }
          : ofImp,
      );
    }
  });
  return { imp: expanded, terms: all };
};

/** The ads of each impression, and of each pod. */
const countsOf = (imps: readonly WireImp[], pods: readonly (AskedPod | undefined)[]) => {
  let left = MAX_ADS - imps.length;
  const slots = new Map<string, number>();
  const ads = pods.map((pod) => {
    const count = Math.min(pod?.ads ?? 1, 1 + left);
    left -= count - 1;
    if (pod) slots.set(pod.id, (slots.get(pod.id) ?? 0) + count);
    return count;
  });
  return { ads, slots };
};

const newId = (impId: string, ad: number, taken: Set<string>): string => {
  let id = `${impId}.${ad}`;
  while (taken.has(id)) id += '.';
  taken.add(id);
  return id;
};
