import { html, nothing, type TemplateResult } from 'lit-html';
import { PARENTS } from './forms/entity-fields.ts';
import { addLink, addStep, allowed } from './forms/next-step.ts';
import type { Page, View } from '../page.ts';
import { card, emptyState, pageHead } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { table, type Column } from '../parts/table.ts';
import type { Kind, Records } from '../api/wire.ts';
import { archivedBy } from '../words/archived.ts';
import { capital, NAMES, titleIn, titleOf } from '../words/kinds.ts';
import { listColumns } from './list-columns.ts';
import { isUsual, MAX_CARDS_WIDTH } from './lists/list-column.ts';
import { rowMenu } from './row-actions.ts';
import { rich, t } from '../words/texts.ts';

/** The screen of one record, or that it does not exist. */
export const recordView = <K extends Kind>(
  { store }: Page,
  kind: K,
  id: number,
  render: (record: Records[K], title: string) => TemplateResult,
  leave: () => void = () => undefined,
): View => {
  const name = capital(NAMES[kind].one);
  return {
    title: titleIn(store, kind, id, name),
    section: kind,
    leave,
    render: () => {
      const current = store.find(kind, id);
      return current ? render(current, titleOf(kind, current)) : html`${pageHead(name, '')}${missingRecord(kind)}`;
    },
  };
};

/** In place of a record that is not there, with the way to the others. */
export const missingRecord = (kind: Kind): TemplateResult => {
  const { one, some } = NAMES[kind];
  const text = t`This ${one} does not exist. It may have been deleted.`;
  return emptyState(text, { text, label: t`All ${some}`, hash: hashOf([kind]) });
};

export interface ChildrenOptions<K extends Kind> {
  readonly kind: K;
  readonly rows: readonly Records[K][];
  /** What they belong to. Where it is archived, they are with it: none is listed, and none can be added. */
  readonly parent: { readonly kind: Kind; readonly record: Records[Kind] };
  /** Shown when there are none. */
  readonly empty: string;
  readonly caption?: string;
  /** Columns besides those of the list. */
  readonly more?: readonly Column<Records[K]>[];
}

/** Columns that a list has from this width of the window on have room on the page of a record. */
const RECORD_WIDTH = 1300;
/** Narrower windows leave out what only wide ones have room for. */
const NARROW_RECORD_WIDTH = 1000;

/** The records below another one, with their actions and a link to add one. */
export const childrenCard = <K extends Kind>(page: Page, options: ChildrenOptions<K>): TemplateResult => {
  const { kind, rows, parent, empty, caption = NAMES[kind].many, more = [] } = options;
  if (archivedBy(page.store, parent.kind, parent.record))
    return card(
      NAMES[kind].many,
      html`<p>${rich`Its ${html`<a href=${hashOf([kind], { archived: 1 })}>${NAMES[kind].some}</a>`} are archived with it.`}</p>`,
    );
  const field = PARENTS[kind].find((one) => one.parent === parent.kind)?.field ?? '';
  const add = addStep(kind, '', { [field]: parent.record.id });
  if (rows.length === 0) return card(NAMES[kind].many, emptyState(empty, allowed(page, add)), html`${nothing}`);
  const width = innerWidth > MAX_CARDS_WIDTH && innerWidth < NARROW_RECORD_WIDTH ? NARROW_RECORD_WIDTH : RECORD_WIDTH;
  // The column of the parent would repeat it in each row.
  const columns = [...listColumns(page, kind).filter((column) => `${column.id}_id` !== field && isUsual(column, width)), ...more];
  return card(NAMES[kind].many, table({ caption, columns, rows, actions: (record) => rowMenu(page, kind, record) }), addLink(page, add));
};
