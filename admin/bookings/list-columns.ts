import { html, type TemplateResult } from 'lit-html';
import { entityOf } from '../../src/catalog/entities/entities.ts';
import type { Field } from '../../src/catalog/entities/field.ts';
import { advertiserOf, NAMES } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { pill, statusPill, type Status } from '../parts/parts.ts';
import type { Store } from '../api/store.ts';
import { unbroken } from '../parts/table.ts';
import { KINDS, type CampaignWire, type CreativeWire, type Kind, type LineItemWire, type Records } from '../api/wire.ts';
import { labelOf, PARENTS } from './forms/entity-fields.ts';
import { readAt } from './forms/pointer.ts';
import { listOf } from './forms/typed-text.ts';
import { weekColumn } from './lists/delivery-columns.ts';
import { flightBar } from './lists/flight-bar.ts';
import type { InPlace } from './lists/in-place.ts';
import { lineItemColumns, type InPlaceCell } from './lists/line-item-columns.ts';
import {
  childCount,
  dash,
  idColumn,
  linkCell,
  nameColumn,
  parentColumn,
  WIDTHS,
  withThumbnail,
  type ListColumn,
} from './lists/list-column.ts';
import { flightDays } from '../words/dates.ts';
import { currencyOfPublisher } from '../words/currency.ts';
import { amounts, money } from '../words/formats.ts';
import { archivedBy } from '../words/archived.ts';
import { t } from '../words/texts.ts';

/** What staff have set; `live`: nothing of it stops the creative. */
export const creativeState = (store: Store, creative: CreativeWire): Status => {
  if (archivedBy(store, 'creatives', creative)) return 'archived';
  if (creative.blocked_at) return 'blocked';
  return creative.status === 'approved' ? 'live' : creative.status;
};

/** The columns that the definition of an entity names, and how many records belong to each. */
const plainColumns = <K extends Kind>(store: Store, kind: K): readonly ListColumn<Records[K]>[] => {
  const { list, fields } = entityOf(kind);
  const children = KINDS.findLast((other) => PARENTS[other].some(({ parent }) => parent === kind));
  return [
    nameColumn(kind),
    ...list.columns.map((name) => ({
      ...{ id: name, label: labelOf(kind, name), width: WIDTHS.words, grow: 2 },
      ...(list.sorted.includes(name) && { sort: name.replace(/_id$/, '') }),
      cell: (record: Records[K]) => plainCell(store, fields[name], readAt(record, `/${name}`)),
    })),
    ...(children ? [childCount(NAMES[children].many, children)] : []),
  ];
};

const plainCell = (store: Store, field: Field | undefined, value: unknown): TemplateResult | string => {
  if (field?.parent) return linkCell(field.parent as Kind, store.find(field.parent as Kind, value as number | null));
  return listOf(value).join(', ') || dash;
};

/** The columns of each kind's list: all that a person may choose. */
export const listColumns = <K extends Kind>(page: Page, kind: K, inPlace?: InPlace): readonly ListColumn<Records[K]>[] => {
  const { store, statuses } = page;
  const cell: InPlaceCell = (record, field, shown) => (inPlace && field && !record.archived ? inPlace.cell(record, field, shown) : shown);
  const flight: ListColumn<CampaignWire | LineItemWire> = {
    ...{ id: 'flight', label: t`Flight`, look: 'flight', width: WIDTHS.flight },
    cell: (record) => {
      const [start, end] = flightDays(record);
      return html`${cell(record, 'start_date', unbroken(`${start} –`))} ${cell(record, 'end_date', unbroken(end))}`;
    },
    value: (record) => `${record.start_date} – ${record.end_date}`,
  };
  const columns: { readonly [Each in Kind]?: () => readonly ListColumn<Records[Each]>[] } = {
    publishers: () => [
      nameColumn('publishers'),
      { id: 'domain', label: t`Domain`, width: WIDTHS.name, grow: 2, sort: 'domain', cell: ({ domain }) => domain },
      {
        ...{ id: 'key', label: t`API key`, width: WIDTHS.words, minor: true },
        cell: ({ api_key_hint }) => (api_key_hint ? html`<code>…${api_key_hint}</code>` : dash),
      },
      childCount(t`Campaigns`, 'campaigns'),
    ],
    placements: () => [
      nameColumn('placements', t`Id`),
      { id: 'size', label: t`Size`, width: WIDTHS.words, sort: '-size', cell: ({ width, height }) => `${width} × ${height}` },
      { id: 'formats', label: t`Formats`, width: WIDTHS.words, grow: 2, cell: ({ formats }) => formats.join(', ') },
      {
        ...{ id: 'publisher', label: t`Publisher`, width: WIDTHS.words, grow: 2, sort: 'publisher' },
        cell: ({ publisher_id }) => linkCell('publishers', store.find('publishers', publisher_id), t`open to all`),
      },
      childCount(t`Creatives`, 'creatives'),
    ],
    bidders: () => [
      nameColumn('bidders'),
      { id: 'endpoint', label: t`Endpoint`, width: WIDTHS.name, grow: 2, cell: ({ endpoint }) => new URL(endpoint).host },
      {
        id: 'currency',
        label: t`Currency`,
        width: 164,
        sort: 'currency',
        cell: ({ currency }) => currency ?? t`that of the publisher`,
        minor: true,
      },
      childCount(t`Line items`, 'line_items'),
    ],
    campaigns: () => [
      nameColumn('campaigns'),
      { id: 'status', label: t`Status`, width: WIDTHS.status, sort: 'status', cell: ({ id }) => statusPill(statuses.of('campaigns', id)) },
      parentColumn(store, 'publishers', t`Publisher`, (one) => one.publisher_id, { sort: 'publisher', usual: 900, inCards: true }),
      parentColumn(store, 'advertisers', t`Advertiser`, (one) => one.advertiser_id, { sort: 'advertiser', usual: 900, inCards: true }),
      {
        id: 'days',
        label: t`Days`,
        width: WIDTHS.bar,
        sort: '-end_date',
        usual: false,
        cell: flightBar,
        value: ({ end_date }) => end_date,
      },
      { ...flight, sort: '-start_date' },
      weekColumn(statuses, 'campaigns'),
      { id: 'order_number', label: t`Order number`, width: WIDTHS.words, usual: false, cell: ({ order_number }) => order_number ?? dash },
      {
        ...{ id: 'budget', label: t`Budget`, width: 140, numeric: true, sort: '-budget', usual: 900, inCards: true },
        cell: (one) =>
          cell(
            one,
            'budget',
            one.budget === null ? unbroken(t`no limit`) : money(one.budget, currencyOfPublisher(store, one.publisher_id)),
          ),
        sum: ({ budget }) => amounts(budget),
        value: ({ budget }) => budget,
      },
      { ...childCount(t`Line items`, 'line_items'), usual: 1600 },
      idColumn(),
    ],
    line_items: () => lineItemColumns(page, cell, flight),
    creatives: () => [
      {
        ...nameColumn('creatives', t`Creative`),
        cell: (creative) => withThumbnail(creative, nameColumn('creatives').cell(creative)),
      },
      {
        ...{ id: 'format', label: t`Format`, width: WIDTHS.figure, sort: 'format', usual: 900, inCards: true },
        cell: ({ format }) => unbroken(format),
      },
      parentColumn(store, 'line_items', t`Line item`, (one) => one.line_item_id, { sort: 'line_item' }),
      {
        ...{ id: 'placements', label: t`Placements`, width: WIDTHS.words, grow: 2 },
        cell: ({ placement_ids: [first, ...others] }) =>
          html`${linkCell('placements', store.find('placements', first))}${others.length > 0 ? t` and ${others.length} more` : ''}`,
        value: ({ placement_ids }) => placement_ids.join(' '),
      },
      {
        ...{ id: 'advertiser', label: t`Advertiser`, width: WIDTHS.words, grow: 1, minor: true, usual: 900 },
        cell: (creative) => creative.advertiser_domain ?? advertiserOf(store, creative.line_item_id)?.domain ?? dash,
      },
      {
        ...{ id: 'status', label: t`State`, width: WIDTHS.status, sort: 'status' },
        cell: (creative) => {
          const state = creativeState(store, creative);
          const { stuck_creatives = [] } = (state === 'live' && statuses.of('line_items', creative.line_item_id)) || {};
          const stuck = stuck_creatives.find(({ id }) => id === creative.id);
          return stuck ? html`<span title=${stuck.reason}>${pill('cannot serve')}</span>` : pill(state);
        },
      },
    ],
  };
  return columns[kind]?.() ?? plainColumns(store, kind);
};
