import type { Rig } from './create-rig.ts';

/** How much a proof does: the full figures of docs/reliability.md, or what fits into a check of every change. */
export interface Scale {
  readonly quick: boolean;
  /** Chooses a figure: the full one, or the one for quick runs. */
  of<T>(full: T, quick: T): T;
}

/** What was seen. A proof that throws has failed too. */
export interface Finding {
  readonly observed: string;
  readonly ok: boolean;
}

/** One claim about the service that can turn out false. */
export interface Proof {
  readonly name: string;
  /** The claim in a sentence. */
  readonly claim: string;
  readonly expected: string;
  run(rig: Rig, scale: Scale): Promise<Finding>;
}

export const createScale = (quick: boolean): Scale => ({ quick, of: (full, small) => (quick ? small : full) });
