import type { EntityTable } from './entities.ts';
import type { Choices } from '../model/choices.ts';
import type { Entity } from './define-entity.ts';
import type { Field, Member } from './field.ts';
import type { FormWords } from './form-description.ts';

/** The parts of a JSON Schema that the forms read. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly items?: FieldSchema;
}

/** One field of a form: what its schema and its words say together. */
export interface FormField {
  readonly words: FormWords;
  readonly pointer: string;
  readonly schema: FieldSchema;
  readonly choices: Choices;
  /** The kind of record that it names. */
  readonly parent: EntityTable | undefined;
  /** Set when the record is created; read-only afterwards. */
  readonly createOnly: boolean;
  /** Whether the schema or the words require it; a condition of the words may do so, too. */
  readonly required: boolean;
}

export interface FormSection {
  readonly title: string;
  readonly text: string;
  /** Closed while nothing in it has a value. */
  readonly folded?: boolean;
  readonly fields: readonly FormField[];
}

/** The form of an entity. An object has a field for each member, and an object in it has a section for itself. */
export const formOf = ({ fields, schema, sections }: Entity): readonly FormSection[] =>
  sections.flatMap(({ title, text = '', fields: names }) => {
    const members = names.flatMap((name) =>
      Object.entries(fields[name]?.members ?? {}).map(([member, each]) => ({ path: `${name}/${member}`, each })),
    );
    return [
      {
        title,
        text,
        fields: names.flatMap((name) => {
          const one = fields[name];
          if (one === undefined) return [];
          if (one.members === undefined) return formField(name, one, schema.required.includes(name));
          return members.flatMap(({ path, each }) => (path.startsWith(`${name}/`) && !each.members ? formField(path, each, false) : []));
        }),
      },
      ...members.flatMap(({ path, each: { members: inner, form } }) =>
        inner === undefined
          ? []
          : [
              {
                title: form.label,
                text: form.help ?? '',
                folded: true,
                fields: Object.entries(inner).flatMap(([member, each]) => formField(`${path}/${member}`, within(form.label, each), false)),
              },
            ],
      ),
    ];
  });

/** A field of an object within an object: `Excluded countries`, beside the countries of the object. */
const within = (label: string, member: Member): Member => ({
  ...member,
  form: { ...member.form, label: `${label} ${member.form.label.charAt(0).toLowerCase()}${member.form.label.slice(1)}` },
});

const formField = (path: string, one: Field, isRequired: boolean): FormField[] => {
  const { schema, choices = {}, parent, fixed, stored, only, form } = one;
  if (form === undefined) return [];
  const words = {
    ...(stored === 'micros' && { widget: 'money' as const }),
    ...form,
    ...(only && { when: { type: [only], ...form.when } }),
  };
  const required = form.required ?? isRequired;
  const createOnly = fixed === 'at creation';
  return [{ pointer: `/${path}`, words, schema, choices, parent: parent as EntityTable | undefined, createOnly, required }];
};
