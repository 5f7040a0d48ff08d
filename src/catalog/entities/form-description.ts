/**
 * Controls that the schema alone does not select. Without one, a field gets the control of its
 * type.
 */
export type SpecialWidget =
  | 'money'
  | 'duration'
  | 'json'
  | 'lines'
  | 'headers'
  | 'countries'
  | 'dimensions'
  | 'key-values'
  | 'week'
  | 'caps'
  | 'rates'
  | 'player'
  | 'page-pictures'
  | 'screenshots'
  | 'creative-format'
  | 'creative-content';

export interface FieldWords {
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  /** Required although the schema allows it to be absent. */
  readonly required?: boolean;
}

/**
 * What the form says about a field. Its schema says the rest: type, enumeration, limits, whether it
 * is required, and its default.
 */
export interface FormWords extends FieldWords {
  readonly widget?: SpecialWidget;
  /** The choice of no value, of an enumeration that may be null. */
  readonly none?: { readonly label: string; readonly note?: string };
  /** Shown after the value. */
  readonly unit?: string;
  /** The label of one value of a list, in the words of its faults. */
  readonly itemLabel?: string;
  /** Takes the whole width of its section. */
  readonly wide?: boolean;
  /** Shown where the record has no value, instead of the schema's default. */
  readonly initial?: unknown;
  /** The field is shown while this holds. While hidden it is saved as its default. */
  readonly when?: Condition;
  /** Saved as it is even while it is hidden. */
  readonly keptWhileHidden?: boolean;
  /** Words that replace the ones above while a condition holds; later ones win. */
  readonly variants?: readonly (Partial<FieldWords> & { readonly when: Condition })[];
}

/** For each field named: one of these values, or any value at all. All of them must hold. */
export type Condition = Readonly<Record<string, readonly string[] | 'given'>>;
