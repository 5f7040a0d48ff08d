/**
 * What a form says about the fields of a record. The JSON Schema of the record says the rest:
 * types, enumerations, limits, which fields are required, and defaults.
 */
export interface FormDescription<Name extends string = string> {
  readonly sections: readonly FormSection<Name>[];
}

export interface FormSection<Name extends string = string> {
  readonly title: string;
  readonly text?: string;
  /** In the order of the form, by the path of the property: `name`, `targeting/countries`. */
  readonly fields: Readonly<Partial<Record<Name, FieldDescription>>>;
}

/**
 * Controls that the schema alone does not select. Without one, a field gets the control of its
 * type.
 */
export type SpecialWidget =
  'money' | 'duration' | 'json' | 'lines' | 'headers' | 'countries' | 'dimensions' | 'key-values' | 'creative-format' | 'creative-content';

export interface FieldWords {
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  /** Required although the schema allows it to be absent. */
  readonly required?: boolean;
}

export interface FieldDescription extends FieldWords {
  readonly widget?: SpecialWidget;
  /** The field names a record of this kind. */
  readonly parent?: 'publishers' | 'placements' | 'advertisers' | 'bidders' | 'campaigns' | 'line_items';
  /** Shown after the value. */
  readonly unit?: string;
  /** The label of one value of a list, in the words of its faults. */
  readonly itemLabel?: string;
  /** Takes the whole width of its section. */
  readonly wide?: boolean;
  /** Shown where the record has no value, instead of the schema's default. */
  readonly initial?: unknown;
  /** Set when the record is created; read-only afterwards. */
  readonly createOnly?: boolean;
  /** The words for each value of the schema's enumeration. */
  readonly choices?: Readonly<Record<string, ChoiceWords>>;
  /** The field is shown while this holds. While hidden it is saved as its default. */
  readonly when?: Condition;
  /** Saved as it is even while it is hidden. */
  readonly keptWhileHidden?: boolean;
  /** Words that replace the ones above while a condition holds; later ones win. */
  readonly variants?: readonly (Partial<FieldWords> & { readonly when: Condition })[];
}

export interface ChoiceWords {
  readonly label: string;
  readonly note?: string;
}

/** For each field named: one of these values, or any value at all. All of them must hold. */
export type Condition = Readonly<Record<string, readonly string[] | 'given'>>;
