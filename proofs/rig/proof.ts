import type { Rig } from './create-rig.ts';

/** Scale of a proof: the full figures of docs/reliability.md, or a quick check of every change. */
export interface Scale {
  readonly quick: boolean;
  /** Chooses a figure: the full one, or the one for quick runs. */
  of<T>(full: T, quick: T): T;
  /** A limit of time: as said in a full run; PATIENCE times as long in a quick one, which may share the machine with anything. */
  ms(limit: number): number;
  /** Hits of the sinks proof, and events of that of reports; undefined: their own numbers. */
  readonly count: number | undefined;
  /** Stories of the chaos proof; undefined: its own number. */
  readonly seeds: number | undefined;
  /** The only classes of steps in the stories of the chaos proof; undefined: all. */
  readonly onlySteps: readonly string[] | undefined;
  /** The beginnings of the only rules that count in the chaos proof; undefined: all. */
  readonly onlyRules: readonly string[] | undefined;
  /** Another build, for the proof of costs; undefined: this checkout's. */
  readonly against: string | undefined;
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
  /** It measures what this machine does meanwhile: nothing else runs beside it. */
  readonly isAlone?: boolean;
  /** What it asserts depends on how long requests wait: at most one other proof runs beside it. */
  readonly isTimed?: boolean;
  /** It takes a minute at the small scale too, and begins first. */
  readonly isLong?: boolean;
  /** It needs no fleet and computes all the time: beside others it has another process, or it would delay their load and fault proxies. */
  readonly isComputed?: boolean;
  /** Software that this project does not bring: it runs only where it is named. */
  readonly needs?: 'Go' | 'Java' | 'PHP' | 'Python';
  run(rig: Rig, scale: Scale): Promise<Finding>;
}

/** How much longer than expected something may take in a quick run. */
export const PATIENCE = 4;

export type ScaleOptions = Omit<Scale, 'of' | 'ms'>;

export const createScale = (options: ScaleOptions): Scale => ({
  ...options,
  of: (full, small) => (options.quick ? small : full),
  ms: (limit) => (options.quick ? PATIENCE * limit : limit),
});

/** Runs a proof. */
export const findingOf = async (proof: Pick<Proof, 'run'>, rig: Rig, scale: Scale): Promise<Finding> => {
  try {
    return await proof.run(rig, scale);
  } catch (fault) {
    return { observed: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault), ok: false };
  }
};
