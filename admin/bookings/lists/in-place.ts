import { html, nothing, type TemplateResult } from 'lit-html';
import { faultInWords } from '../forms/entity-fields.ts';
import type { Page } from '../../page.ts';
import { button } from '../../parts/parts.ts';
import type { Records } from '../../api/wire.ts';
import { titleOf } from '../../words/kinds.ts';
import { patchRecord } from '../actions.ts';
import {
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

const LABELS: Readonly<Record<InPlaceField, string>> = {
  cpm: 'price',
  cpc: 'price',
  cpcv: 'price',
  budget: 'budget',
  priority: 'priority',
  daily_impression_cap: t`daily cap`,
  start_date: 'start',
  end_date: 'end',
};

export type InPlace = ReturnType<typeof createInPlace<InPlaceKind>>;

/** A value of a list that becomes a field when it is clicked. */
export const createInPlace = <K extends InPlaceKind>(page: Page, kind: K) => {
  let editing: { readonly id: number; readonly field: InPlaceField; typed: string; fault: string; isSaving: boolean } | undefined;

  const focus = (selector: string): void =>
    queueMicrotask(() => {
      const found = document.querySelector<HTMLInputElement>(selector);
      found?.focus();
      if (found instanceof HTMLInputElement && found.type === 'text') found.select();
    });
  const keyOf = (id: number, field: InPlaceField): string => `${kind}-${id}-${field}`;
  const begin = (record: Records[K], field: InPlaceField): void => {
    editing = { id: record.id, field, typed: textOfField(record, field), fault: '', isSaving: false };
    page.redraw();
    focus('.in-place-field');
  };
  const end = (): void => {
    if (!editing) return;
    const key = keyOf(editing.id, editing.field);
    editing = undefined;
    page.redraw();
    focus(`[data-in-place="${key}"]`);
  };
  const save = async (record: Records[K]): Promise<void> => {
    if (!editing || editing.isSaving) return;
    const mine = editing;
    const before = storedValue(record, mine.field);
    const value = valueOfText(mine.field, mine.typed);
    if (value === before) return end();
    mine.isSaving = true;
    page.redraw();
    const saved = await saveInPlace(page, { kind, record, fields: [{ field: mine.field, label: LABELS[mine.field], before, value }] });
    mine.isSaving = false;
    if (saved.ok) {
      const undo = () => void patchRecord(page, kind, record.id, saved.replaced, t`It is as before.`);
      if (saved.changed)
        page.toast(t`“${titleOf(kind, record)}”: the ${LABELS[mine.field]} is changed.`, { action: { label: t`Undo`, run: undo } });
      return editing === mine ? end() : page.redraw();
    }
    const [fault] = saved.problem.errors;
    mine.fault = fault ? faultInWords(kind, fault, { ...record, [mine.field]: mine.typed }, {}) : saved.problem.detail;
    page.redraw();
    focus('.in-place-field');
  };

  const open = (record: Records[K], field: InPlaceField): TemplateResult => {
    const { typed = '', fault = '', isSaving = false } = editing ?? {};
    const label = t`${LABELS[field]} of ${titleOf(kind, record)}`;
    const write = (event: Event): void => {
      if (editing) editing.typed = (event.target as HTMLInputElement).value;
    };
    const leave = (event: FocusEvent): void => {
      const isElsewhere = !(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null);
      if (isElsewhere && editing && valueOfText(field, editing.typed) === storedValue(record, field)) {
        editing = undefined;
        page.redraw();
      }
    };
    return html`<form
      class="in-place-form"
      novalidate
      aria-busy=${isSaving ? 'true' : 'false'}
      @submit=${(event: SubmitEvent) => {
        event.preventDefault();
        void save(record);
      }}
      @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && end()}
      @focusout=${leave}
    >
      ${
        field === 'priority'
          ? html`<select class="in-place-field" aria-label=${label} @change=${write}>
              ${priorityOptions(typed)}
            </select>`
          : html`<input
              class="in-place-field"
              type=${inputTypeOf(field, typed)}
              inputmode=${field.endsWith('_date') ? 'text' : 'decimal'}
              autocomplete="off"
              aria-label=${label}
              aria-invalid=${fault ? 'true' : nothing}
              value=${typed}
              @input=${write}
            />`
      }
      <button type="submit" class="quiet" aria-label=${t`Save the ${label}`}>✓</button>
      ${button('×', end, 'quiet', t`Leave the ${label} as it is`)}
      ${fault ? html`<small class="in-place-fault" role="alert">${fault}</small>` : nothing}
    </form>`;
  };

  return {
    cell: (record: Records[K], field: InPlaceField, shown: unknown): TemplateResult =>
      editing?.id === record.id && editing.field === field
        ? open(record, field)
        : html`<button
            type="button"
            class="in-place"
            data-in-place=${keyOf(record.id, field)}
            title=${t`Change the ${LABELS[field]}`}
            @click=${() => begin(record, field)}
          >
            ${shown}<span class="unseen">${t`, change the ${LABELS[field]} of ${titleOf(kind, record)}`}</span>
          </button>`,
  };
};
