import type { Rig } from './create-rig.ts';

/** Scale of a proof: the full figures of docs/reliability.md, or a quick check of every change. */
export interface Scale {
  readonly quick: boolean;
  /** Chooses a figure: the full one, or the one for quick runs. */
  of<T>(full: T, quick: T): T;
}

/** The observed result. A proof that throws has failed too. */
export interface Finding {
  readonly observed: string;
  readonly ok: boolean;
}

/** One falsifiable claim about the service. */
export interface Proof {
  readonly name: string;
  /** The claim in a sentence. */
  readonly claim: string;
  readonly expected: string;
  run(rig: Rig, scale: Scale): Promise<Finding>;
}

export const createScale = (quick: boolean): Scale => ({ quick, of: (full, small) => (quick ? small : full) });
