/** What is wrong with a source, and where in it: `C2`, `banner 103`, `row 7`. */
export interface SourceFault {
  readonly place: string;
  readonly detail: string;
}

/** What a person has to say, because the source does not. */
export const ASKED_OPTIONS = ['agency', 'domain', 'prefix'] as const;
export type AskedOption = (typeof ASKED_OPTIONS)[number];

/** Faults that are said; of more, the first. */
export const MAX_FAULTS = 50;

/** Why a source cannot be imported. Nothing of it is used. */
export class ImportFault extends Error {
  readonly faults: readonly SourceFault[];
  /** undefined: it is not for the lack of one. */
  readonly option: AskedOption | undefined;

  /** @param said a sentence that does not end in a full stop */
  constructor(said: string, faults: readonly SourceFault[] = [], option?: AskedOption) {
    const some = faults.slice(0, MAX_FAULTS);
    super(some.length === 0 ? said : [`${said}:`, ...some.map(({ place, detail }) => `${place}: ${detail}`)].join('\n'));
    this.faults = some;
    this.option = option;
  }
}
