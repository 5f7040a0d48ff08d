/** One fault of a document, with its place. */
export interface Fault {
  /** JSON pointer (RFC 6901) to the value at fault; '' is the whole document. */
  readonly pointer: string;
  /**
   * What is wrong and what is accepted, to be read after the value's name: "must be an integer".
   */
  readonly detail: string;
}

/** A property name as one step of a JSON pointer (RFC 6901, section 3). */
export const pointerStep = (name: string | number): string => '/' + String(name).replaceAll('~', '~0').replaceAll('/', '~1');

/** The members of an object that are not among `known`. */
export const unknownFields = (body: Readonly<Record<string, unknown>>, known: readonly string[]): readonly Fault[] =>
  Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => ({ pointer: pointerStep(name), detail: 'is not a known field' }));
