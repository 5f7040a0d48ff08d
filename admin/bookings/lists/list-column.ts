import { html, type TemplateResult } from 'lit-html';
import type { Sums } from '../../../src/delivery/sums/list-sums.ts';
import { cutName } from '../../parts/cut-name.ts';
import type { LongColumn } from '../../parts/long-table.ts';
import { thumbnail } from '../../parts/thumbnail.ts';
import { hasHtml5, pictureIn } from '../../words/asset-words.ts';
import { linkTo, titleOf } from '../../words/kinds.ts';
import type { Store } from '../../api/store.ts';
import type { Counts, CreativeWire, Kind, Records } from '../../api/wire.ts';
import { t } from '../../words/texts.ts';

export type Cell = TemplateResult | string | number;

/** A column of a list. */
export interface ListColumn<T> extends LongColumn<T, Sums> {
  /** How many listed records belong to each; archived ones are not listed. */
  readonly counts?: true;
  /** Shown from this width of the window on, unless a person has chosen it; `false`: only then. */
  readonly usual?: number | false;
  /** Shown where rows are cards, too, which have a line for each column. */
  readonly inCards?: true;
  /** What a file has; default: the text that is shown. */
  readonly value?: (row: T) => string | number | null;
}

export const dash = '–';

/** Pixels of columns, by what is in them. */
export const WIDTHS = { figure: 74, counted: 94, sum: 98, words: 104, status: 112, name: 140, bar: 124, flight: 216 } as const;

export const linkCell = <K extends Kind>(kind: K, record: Records[K] | undefined, missing = dash): TemplateResult | string =>
  record ? html`<a href=${linkTo(kind, record.id)} title=${titleOf(kind, record)}>${titleOf(kind, record)}</a>` : missing;

/** The record of another kind that each belongs to. @param idOf null: of none; undefined: not known yet */
export const parentColumn = <T>(
  store: Store,
  kind: Kind,
  label: string,
  idOf: (row: T) => number | null | undefined,
  more: Partial<ListColumn<T>> = {},
): ListColumn<T> => ({
  ...{ id: kind.slice(0, -1), label, width: WIDTHS.words, grow: 2, ...more },
  cell: (row) => linkCell(kind, store.find(kind, idOf(row))),
});

export const nameColumn = <K extends Kind>(kind: K, label = t`Name`): ListColumn<Records[K]> => ({
  ...{ id: 'name', label, width: WIDTHS.name, grow: 4, sort: kind === 'placements' ? 'id' : 'name' },
  value: (record) => titleOf(kind, record),
  cell: (record) =>
    html`<a class="name" href=${linkTo(kind, record.id)} title=${titleOf(kind, record)}
        >${kind === 'line_items' || kind === 'creatives' ? cutName(titleOf(kind, record)) : titleOf(kind, record)}</a
      >${
        kind === 'placements' || (kind === 'creatives' && !(record as CreativeWire).name)
          ? ''
          : html` <small class="figure">#${record.id}</small>`
      }`,
});

export const idColumn = <T extends { readonly id: string | number }>(): ListColumn<T> => ({
  ...{ id: 'id', label: t`Number`, width: 72, numeric: true, sort: 'id', usual: false },
  cell: ({ id }) => `#${id}`,
  value: ({ id }) => id,
});

/** How many records of a kind belong to each, as the list says. */
export const childCount = (label: string, kind: Kind, none: Cell = 0): ListColumn<{ readonly children?: Counts }> => ({
  ...{ id: kind, label, width: WIDTHS.counted, numeric: true, counts: true },
  cell: ({ children }) => (children ? children[kind] || none : dash),
  value: ({ children }) => children?.[kind] ?? null,
});

export const withThumbnail = ({ content, format }: CreativeWire, name: unknown): TemplateResult => {
  const path = pictureIn(content);
  return html`<span class="pictured"
    >${thumbnail(hasHtml5(content) ? 'HTML5' : path === undefined ? format : { path })}<span>${name}</span></span
  >`;
};

/** Up to this width of the window, rows are cards. */
export const MAX_CARDS_WIDTH = 600;

/** Whether a column is shown unless a person has chosen columns. @param windowWidth pixels */
export const isUsual = ({ usual = 0, inCards }: Pick<ListColumn<never>, 'usual' | 'inCards'>, windowWidth: number): boolean =>
  (inCards && windowWidth <= MAX_CARDS_WIDTH) || (usual !== false && windowWidth >= usual);
