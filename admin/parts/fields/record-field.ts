import { html, nothing, type TemplateResult } from 'lit-html';
import { listOf, textOf } from '../../bookings/forms/typed-text.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { recordChoice } from '../../bookings/lists/record-choice.ts';
import type { Page } from '../../page.ts';
import { combobox, type Option } from '../combobox.ts';
import type { Kind } from '../../api/wire.ts';
import { aOne } from '../../words/kinds.ts';
import { field, type FieldOptions } from './field.ts';
import { valueChips } from './value-chips.ts';
import { t } from '../../words/texts.ts';

export interface RecordFieldOptions extends FieldOptions {
  readonly kind: Kind;
  readonly placeholder?: string | undefined;
}

/** One record of another kind, found by its name. */
export const recordField = (form: Form, page: Page, options: RecordFieldOptions): TemplateResult =>
  field(form, options, ({ id, describedBy, invalid }) => {
    const { kind, pointer, required, placeholder = t`Choose ${aOne(kind)}` } = options;
    return recordChoice(page, {
      ...{ id, describedBy, required, placeholder, kind },
      invalid: invalid !== nothing,
      value: textOf(form.read(pointer)),
      choose: (chosen) => form.write(pointer, chosen),
    });
  });

export interface RecordsFieldOptions extends RecordFieldOptions {
  readonly labelOf: (id: string) => string;
  readonly find: (text: string) => Promise<readonly Option[]>;
}

/** Several records of another kind, each found by its name. */
export const recordsField = (form: Form, page: Page, options: RecordsFieldOptions): TemplateResult =>
  field(form, options, ({ id, describedBy, invalid }) => {
    const { kind, pointer, required, labelOf, find } = options;
    const values = listOf(form.read(pointer));
    const write = (next: readonly string[]): void => form.write(pointer, next);
    return html`<div class="values">
      ${valueChips({ values, labelOf, write })}
      ${combobox({
        ...{ id, describedBy, required, find, shown: '' },
        placeholder: t`Add ${aOne(kind)}`,
        invalid: invalid !== nothing,
        choose: (option) => {
          if (!option) return;
          write([...new Set([...values, option.value])]);
          void page.store.ensure(kind, option.value).then(page.redraw);
        },
      })}
    </div>`;
  });
