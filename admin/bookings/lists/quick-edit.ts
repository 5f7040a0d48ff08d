import { html, nothing, type TemplateResult } from 'lit-html';
import { faultInWords, labelOf as labelOfField } from '../forms/entity-fields.ts';
import type { Page } from '../../page.ts';
import { openDialog } from '../../parts/dialogs.ts';
import { button } from '../../parts/parts.ts';
import type { Records } from '../../api/wire.ts';
import { patchRecord } from '../actions.ts';
import { titleOf } from '../../words/kinds.ts';
import {
  fieldsInList,
  inputTypeOf,
  priorityOptions,
  storedValue,
  textOfField,
  valueOfText,
  type InPlaceField,
  type InPlaceKind,
} from './listed-fields.ts';
import { saveInPlace } from './save-in-place.ts';
import { t } from '../../words/texts.ts';

/**
 * The fields that a list changes in place, in one dialog: on every width, and for the columns that
 * narrow screens leave out.
 */
export const quickEdit = async <K extends InPlaceKind>(page: Page, kind: K, record: Records[K]): Promise<void> => {
  const title = titleOf(kind, record);
  const fields = fieldsInList(kind, record);
  const typed = new Map(fields.map((field) => [field, textOfField(record, field)]));
  let faults: readonly { readonly field: InPlaceField | undefined; readonly words: string }[] = [];
  let isSaving = false;

  const labelOf = (field: InPlaceField): string => labelOfField(kind, field, record);
  const changed = () =>
    fields
      .filter((field) => typed.get(field) !== textOfField(record, field))
      .map((field) => ({
        ...{ field, label: labelOf(field), before: storedValue(record, field), value: valueOfText(field, typed.get(field) ?? '') },
      }));
  const save = async (): Promise<void> => {
    if (isSaving) return;
    const mine = changed();
    if (mine.length === 0) return dialog.close();
    isSaving = true;
    faults = [];
    dialog.redraw();
    const saved = await saveInPlace(page, { kind, record, fields: mine });
    isSaving = false;
    if (saved.ok) {
      dialog.close();
      page.redraw();
      const undo = () => void patchRecord(page, kind, record.id, saved.replaced, t`It is as before.`);
      if (saved.changed) page.toast(t`“${title}” is changed.`, { action: { label: t`Undo`, run: undo } });
      return;
    }
    const { errors, detail } = saved.problem;
    const draft = { ...record, ...Object.fromEntries(typed) };
    faults =
      errors.length === 0
        ? [{ field: undefined, words: detail }]
        : errors.map((fault) => ({
            field: fields.find((field) => fault.pointer === `/${field}`),
            words: faultInWords(kind, fault, draft, page.store.dimensions()),
          }));
    dialog.redraw();
    document.querySelector<HTMLElement>('.quick-edit [aria-invalid="true"]')?.focus();
  };
  const control = (field: InPlaceField): TemplateResult => {
    const id = `quick-edit-${field}`;
    const text = typed.get(field) ?? '';
    const fault = faults.find((each) => each.field === field);
    const write = (event: Event): void => void typed.set(field, (event.target as HTMLInputElement).value);
    return html`<label for=${id}>${labelOf(field)}</label>
      <div>
        ${
          field === 'priority'
            ? html`<select id=${id} @change=${write}>
                ${priorityOptions(text)}
              </select>`
            : html`<input
                id=${id}
                type=${inputTypeOf(field, textOfField(record, field))}
                inputmode=${field.endsWith('_date') ? 'text' : 'decimal'}
                autocomplete="off"
                aria-invalid=${fault ? 'true' : nothing}
                aria-describedby=${fault ? `${id}-fault` : nothing}
                value=${textOfField(record, field)}
                @input=${write}
              />`
        }
        ${fault ? html`<small id="${id}-fault" class="field-fault" role="alert">${fault.words}</small>` : nothing}
      </div>`;
  };
  const dialog = openDialog(
    t`Quick edit of “${title}”`,
    ({ close }) =>
      html`<form
        novalidate
        aria-busy=${isSaving ? 'true' : 'false'}
        @submit=${(event: SubmitEvent) => {
          event.preventDefault();
          void save();
        }}
      >
        ${faults.filter(({ field }) => field === undefined).map(({ words }) => html`<p class="field-fault" role="alert">${words}</p>`)}
        <div class="quick-edit">${fields.map(control)}</div>
        <footer>${button(t`Cancel`, () => close(), 'secondary')}<button type="submit">${t`Save`}</button></footer>
      </form>`,
  );
  const leave = (): void => dialog.close();
  addEventListener('hashchange', leave);
  await dialog.answered;
  removeEventListener('hashchange', leave);
};
