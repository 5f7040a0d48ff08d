/** One thing wrong with a document, said so that a person can mend it. */
export interface Fault {
  /** JSON pointer (RFC 6901) to the offending value; '' is the whole document. */
  readonly pointer: string;
  readonly detail: string;
}

/** A property name as one step of a JSON pointer (RFC 6901, section 3). */
export const pointerStep = (name: string | number): string => '/' + String(name).replaceAll('~', '~0').replaceAll('/', '~1');
