import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { entityOf } from '../../src/catalog/entities/entities.ts';
import type { Page } from '../page.ts';
import { button } from '../parts/parts.ts';
import { select } from '../parts/select.ts';
import type { ListColumn } from './lists/list-column.ts';
import { choicesOf, fieldsOf } from './forms/entity-fields.ts';
import type { Records } from '../api/wire.ts';
import { countedKind, titleOf } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

/** The kinds whose records are changed many at a time. */
export type BulkKind = 'campaigns' | 'line_items';
type Patch = Readonly<Record<string, unknown>>;

/** A field that is set to one value for many records. */
interface BulkField {
  readonly name: string;
  readonly label: string;
  /** undefined: the text is not a value. */
  readonly read: (text: string) => unknown;
}

const number = (text: string): number | undefined => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined);
const numberOrNone = (text: string): number | null | undefined => (text.trim() === '' ? null : number(text));
const day = (text: string): string | undefined => (/^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? text.trim() : undefined);

/** The fields that the definition of an entity sets together, with what may be typed. */
const bulkFields = (kind: BulkKind): readonly BulkField[] =>
  (entityOf(kind).list.together ?? []).flatMap((name): readonly BulkField[] => {
    const field = fieldsOf(kind).find(({ pointer }) => pointer === `/${name}`);
    if (!field) return [];
    const { schema, words } = field;
    const { label, placeholder = t`none` } = words;
    if (schema.format === 'flight-date') return [{ name, label: `${label} (YYYY-MM-DD)`, read: day }];
    const choices = choicesOf(field).map(({ value }) => value);
    if (choices.length > 0) return [{ name, label: t`${label} (${choices[0]} to ${choices.at(-1)})`, read: number }];
    return [words.required ? { name, label, read: number } : { name, label: t`${label}, empty for ${placeholder}`, read: numberOrNone }];
  });
const FIELDS = { campaigns: bulkFields('campaigns'), line_items: bulkFields('line_items') };
/** Of one call of the API. */
const MAX_AT_ONCE = 1_000;

type ReadFirst<K extends BulkKind> = (count: number) => Promise<readonly Records[K][]>;

/** Chooses records of a list, and changes all of them or none. */
export const createBulkBar = <K extends BulkKind>(page: Page, kind: K) => {
  const chosen = new Set<number>();
  let field = FIELDS[kind][0]!;
  let typed = '';

  const choose = (ids: readonly number[], isChosen: boolean): void => {
    for (const id of ids)
      if (isChosen) chosen.add(id);
      else chosen.delete(id);
    page.redraw();
  };

  const chooseFirst = async (isChosen: boolean, read: ReadFirst<K>): Promise<void> =>
    choose(isChosen ? (await read(MAX_AT_ONCE)).map(({ id }) => id) : [...chosen], isChosen);

  /** Each record with its patch. @param isUndo there is no way back from the way back */
  const apply = async (patches: ReadonlyMap<number, Patch>, done: string, isUndo = false): Promise<void> => {
    const operations = [...patches].map(([id, body]) => ({ method: 'PATCH' as const, path: `/${kind}/${id}`, body }));
    if (operations.length > MAX_AT_ONCE) return page.toast(t`At most ${MAX_AT_ONCE} can be changed together.`, { tone: 'bad' });
    const before = new Map(
      [...patches].map(([id, patch]) => {
        const record = page.store.find(kind, id) as unknown as Patch | undefined;
        return [id, Object.fromEntries(Object.keys(patch).map((name) => [name, record?.[name] ?? null]))] as const;
      }),
    );
    const answer = await page.api.send('POST', '/bulk', { body: { operations } });
    if (!answer.ok) {
      if (answer.problem.proposable) return page.complain(answer.problem);
      const [fault] = answer.problem.errors;
      const index = Number(/^\/operations\/(\d+)/.exec(fault?.pointer ?? '')?.[1] ?? NaN);
      const record = page.store.find(kind, [...patches.keys()][index]);
      const where = record ? `${titleOf(kind, record)}: ` : '';
      return page.toast(t`Nothing was changed. ${where}${fault?.detail ?? answer.problem.detail}`, { tone: 'bad' });
    }
    await page.store.refresh();
    page.toast(done, isUndo ? {} : { action: { label: t`Undo`, run: () => void apply(before, t`They are as before.`, true) } });
    page.redraw();
  };
  const all = (patch: Patch): ReadonlyMap<number, Patch> => new Map([...chosen].map((id) => [id, patch]));
  const words = (): string => countedKind(chosen.size, kind);

  const setField = (event: SubmitEvent): Promise<void> | void => {
    event.preventDefault();
    const value = field.read(typed);
    if (value === undefined) return page.toast(t`${field.label}: “${typed}” is not such a value.`, { tone: 'bad' });
    return apply(all({ [field.name]: value }), t`${words()} changed.`);
  };
  const archive = async (): Promise<void> => {
    const text = t`Neither served nor listed then; kept for reports, and can be restored.`;
    if (!(await page.confirm({ title: t`Archive ${words()}?`, text, yes: t`Archive` }))) return;
    await apply(all({ archived: true }), t`${words()} archived.`);
    chosen.clear();
    page.redraw();
  };

  return {
    /** The check boxes. @param all of the list: how many records, and what reads the first ones */
    column: ({ total, read }: { readonly total: number; readonly read: ReadFirst<K> }): ListColumn<Records[K]> => ({
      ...{ id: 'check', width: 34 },
      label: t`Chosen`,
      check: true,
      all: () =>
        html`<input
          type="checkbox"
          aria-label=${total > MAX_AT_ONCE ? t`Choose the first ${MAX_AT_ONCE}` : t`Choose all ${total}`}
          .checked=${live(chosen.size > 0)}
          .indeterminate=${live(chosen.size > 0 && chosen.size < Math.min(total, MAX_AT_ONCE))}
          @change=${(event: Event) => chooseFirst((event.target as HTMLInputElement).checked, read)}
        />`,
      cell: (record) =>
        html`<input
          type="checkbox"
          aria-label=${t`Choose ${titleOf(kind, record)}`}
          .checked=${chosen.has(record.id)}
          @change=${(event: Event) => choose([record.id], (event.target as HTMLInputElement).checked)}
        />`,
    }),
    /** The actions for the chosen ones. */
    render: () =>
      chosen.size === 0
        ? nothing
        : html`<form class="bulk-bar" @submit=${setField}>
            <strong>${t`${words()} chosen`}</strong>
            ${button(t`Pause`, () => apply(all({ active: false }), t`${words()} paused.`), 'secondary')}
            ${button(t`Resume`, () => apply(all({ active: true }), t`${words()} active.`), 'secondary')}
            ${button(t`Archive`, archive, 'secondary')}
            <div class="bulk-set">
              ${select(
                t`Field to set`,
                field.name,
                FIELDS[kind].map(({ name, label }) => [name, label]),
                (chosen) => {
                  field = FIELDS[kind].find(({ name }) => name === chosen) ?? field;
                  page.redraw();
                },
              )}
              <input
                aria-label=${field.label}
                .value=${typed}
                @input=${(event: InputEvent) => {
                  typed = (event.target as HTMLInputElement).value;
                }}
              />
              <button type="submit">${t`Set`}</button>
            </div>
            ${button(t`Choose none`, () => choose([...chosen], false), 'quiet')}
          </form>`,
  };
};
