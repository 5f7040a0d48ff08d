/** A break of a video: its ads play one after the other. */
export interface Pod {
  /** Names it within its request. */
  readonly id: string;
  /** What its caller names it. */
  readonly name: string;
  /** The impression that the caller asked for, of which this is one ad. */
  readonly impId: string;
  /** The length of all its ads together. */
  readonly maxMs: number;
  /** Of this impression, from 1, and of how many. */
  readonly slot: number;
  readonly slots: number;
}

/** What a candidate takes of the pod that it is offered to. */
export interface PodShare {
  readonly id: string;
  /** What is left of the pod, without the ads that are decided together with this one. */
  readonly leftMs: number;
  readonly durationMs: number;
  /** By which its advertiser is known, each enough: a pod shows none twice. Empty: it is not known. */
  readonly advertisers: readonly string[];
  /** All bids of a bidder have one creative. */
  readonly isBid: boolean;
}

/** What the ads of one pod take so far. `pod.lua` is the same in Lua. */
export class ShownInPod {
  private usedMs = 0;
  private readonly advertisers = new Set<string>();

  leftOf(maxMs: number): number {
    return maxMs - this.usedMs;
  }

  add({ durationMs, advertisers }: PodShare): void {
    this.usedMs += durationMs;
    for (const one of advertisers) this.advertisers.add(one);
  }

  hasAdvertiser({ advertisers }: PodShare): boolean {
    return advertisers.some((one) => this.advertisers.has(one));
  }
}
