import { html, type TemplateResult } from 'lit-html';
import { entityOf } from '../../src/catalog/entities/entities.ts';
import type { Field } from '../../src/catalog/entities/field.ts';
import { advertiserOf, linkTo, NAMES, titleOf } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { pill, statusPill, type Status } from '../parts/parts.ts';
import type { Store } from '../api/store.ts';
import { thumbnail } from '../parts/thumbnail.ts';
import { unbroken, type Column } from '../parts/table.ts';
import { KINDS, type CampaignWire, type Counts, type CreativeWire, type Kind, type LineItemWire, type Records } from '../api/wire.ts';
import { labelOf, PARENTS } from './forms/entity-fields.ts';
import { readAt } from './forms/pointer.ts';
import { listOf } from './forms/typed-text.ts';
import { CLASS_WORDS, PRIORITY_WORDS } from '../words/choice-words.ts';
import { deliveryColumns } from './lists/delivery-columns.ts';
import { flightBar } from './lists/flight-bar.ts';
import type { InPlace } from './lists/in-place.ts';
import { priceField, type InPlaceField, type InPlaceKind } from './lists/listed-fields.ts';
import { currencyOfCampaign, currencyOfPublisher } from '../words/currency.ts';
import { flightDays } from '../words/dates.ts';
import { count, money, price } from '../words/formats.ts';
import { hasHtml5, pictureIn } from '../words/asset-words.ts';
import { archivedBy } from '../words/archived.ts';
import { t } from '../words/texts.ts';

const dash = '–';

const link = <K extends Kind>(kind: K, record: Records[K] | undefined, missing = dash): TemplateResult | string =>
  record ? html`<a href=${linkTo(kind, record.id)} title=${titleOf(kind, record)}>${titleOf(kind, record)}</a>` : missing;

const named = <K extends Kind>(kind: K, label = t`Name`): Column<Records[K]> => ({
  label,
  sort: kind === 'placements' ? 'id' : 'name',
  cell: (record) =>
    html`<a class="name" href=${linkTo(kind, record.id)} title=${titleOf(kind, record)}>${titleOf(kind, record)}</a>${
        kind === 'placements' || (kind === 'creatives' && !(record as CreativeWire).name)
          ? ''
          : html` <small class="figure">#${record.id}</small>`
      }`,
});

/** `5.00 CPM`, in the words of its budget type. */
export const priceOf = (item: LineItemWire, currency: string): string => {
  const { added_value, list_price, discount } = item;
  if (added_value) return t`added value`;
  const agreed = agreedPriceOf(item, currency);
  return discount === null || list_price === null ? agreed : t`${agreed}, ${discount} % off ${price(list_price, currency)}`;
};

/** In one line: what it ranks as is on its page. */
const listedPrice = (item: LineItemWire, currency: string): TemplateResult | string => {
  const whole = priceOf(item, currency);
  const isLong = item.budget_type === 'Flat' && item.budget !== null && item.cpm !== null;
  return isLong ? html`<span title=${whole}>${t`flat fee of ${money(item.budget, currency)}`}</span>` : whole;
};

const agreedPriceOf = ({ type, class: sold, budget_type, cpm, cpc, cpcv, budget }: LineItemWire, currency: string): string => {
  const amount = (of: number): string => price(of, currency);
  if (type === 'programmatic') return t`by bid`;
  if (sold === 'house') return t`house ad`;
  switch (budget_type) {
    case 'CPM':
      return cpm === null ? dash : `${amount(cpm)} CPM`;
    case 'VCPM':
      return cpm === null ? dash : `${amount(cpm)} vCPM`;
    case 'CPC':
      return cpc === null ? dash : `${amount(cpc)} CPC`;
    case 'CPCV':
      return cpcv === null ? dash : `${amount(cpcv)} CPCV`;
    case 'Flat':
      return [budget === null ? t`flat` : t`flat fee of ${money(budget, currency)}`, ...(cpm === null ? [] : [t`as ${amount(cpm)} CPM`])].join(', ');
  }
};

/** What staff have set; `live`: nothing of it stops the creative. */
export const creativeState = (store: Store, creative: CreativeWire): Status => {
  if (archivedBy(store, 'creatives', creative)) return 'archived';
  if (creative.blocked_at) return 'blocked';
  return creative.status === 'approved' ? 'live' : creative.status;
};

const withThumbnail = ({ content, format }: CreativeWire, name: unknown): TemplateResult => {
  const path = pictureIn(content);
  return html`<span class="pictured"
    >${thumbnail(hasHtml5(content) ? 'HTML5' : path === undefined ? format : { path })}<span>${name}</span></span
  >`;
};

/** A column of a list. `counts`: how many listed records belong to each; archived ones are not listed. */
export type ListColumn<T> = Column<T> & { readonly counts?: true };

/** How many records of a kind belong to each, as the list says. */
const childCount = (label: string, kind: Kind, none: TemplateResult | number = 0): ListColumn<{ readonly children?: Counts }> => ({
  label,
  numeric: true,
  counts: true,
  cell: ({ children }) => (children ? children[kind] || none : dash),
});

/** The columns that the definition of an entity names, and how many records belong to each. */
const plainColumns = <K extends Kind>(store: Store, kind: K): readonly ListColumn<Records[K]>[] => {
  const { list, fields } = entityOf(kind);
  const children = KINDS.findLast((other) => PARENTS[other].some(({ parent }) => parent === kind));
  return [
    named(kind),
    ...list.columns.map((name) => ({
      label: labelOf(kind, name),
      ...(list.sorted.includes(name) && { sort: name.replace(/_id$/, '') }),
      cell: (record: Records[K]) => plainCell(store, fields[name], readAt(record, `/${name}`)),
    })),
    ...(children ? [childCount(NAMES[children].many, children)] : []),
  ];
};

const plainCell = (store: Store, field: Field | undefined, value: unknown): TemplateResult | string => {
  if (field?.parent) return link(field.parent as Kind, store.find(field.parent as Kind, value as number | null));
  return listOf(value).join(', ') || dash;
};

/** The columns of each kind's list. */
export const listColumns = <K extends Kind>(
  { store, statuses }: Page,
  kind: K,
  inPlace?: Pick<InPlace<InPlaceKind>, 'cell'>,
): readonly ListColumn<Records[K]>[] => {
  const cell = (record: Records[InPlaceKind], field: InPlaceField | undefined, shown: TemplateResult | string): TemplateResult | string =>
    inPlace && field && !record.archived ? inPlace.cell(record, field, shown) : shown;
  const flight = (record: CampaignWire | LineItemWire): TemplateResult => {
    const [start, end] = flightDays(record);
    return html`${cell(record, 'start_date', unbroken(`${start} –`))} ${cell(record, 'end_date', unbroken(end))}`;
  };
  const columns: { readonly [Each in Kind]?: readonly ListColumn<Records[Each]>[] } = {
    publishers: [
      named('publishers'),
      { label: t`Domain`, sort: 'domain', cell: ({ domain }) => domain },
      { label: t`API key`, cell: ({ api_key_hint }) => (api_key_hint ? html`<code>…${api_key_hint}</code>` : dash), minor: true },
      childCount(t`Campaigns`, 'campaigns'),
    ],
    placements: [
      named('placements', t`Id`),
      { label: t`Size`, sort: '-size', cell: ({ width, height }) => `${width} × ${height}` },
      { label: t`Formats`, cell: ({ formats }) => formats.join(', ') },
      {
        label: t`Publisher`,
        sort: 'publisher',
        cell: ({ publisher_id }) => link('publishers', store.find('publishers', publisher_id), t`open to all`),
      },
      childCount(t`Creatives`, 'creatives'),
    ],
    bidders: [
      named('bidders'),
      { label: t`Endpoint`, cell: ({ endpoint }) => new URL(endpoint).host },
      { label: t`Currency`, sort: 'currency', cell: ({ currency }) => currency ?? t`that of the publisher`, minor: true },
      childCount(t`Line items`, 'line_items'),
    ],
    campaigns: [
      named('campaigns'),
      { label: t`Status`, sort: 'status', cell: ({ id }) => statusPill(statuses.of('campaigns', id)) },
      { label: t`Publisher`, sort: 'publisher', cell: ({ publisher_id }) => link('publishers', store.find('publishers', publisher_id)) },
      {
        label: t`Advertiser`,
        sort: 'advertiser',
        cell: ({ advertiser_id }) => link('advertisers', store.find('advertisers', advertiser_id)),
        minor: true,
      },
      { label: t`Flight`, sort: '-start_date', look: 'flight', cell: flight },
      {
        label: t`Budget`,
        numeric: true,
        sort: '-budget',
        cell: (one) => cell(one, 'budget', one.budget === null ? unbroken(t`no limit`) : money(one.budget, currencyOfPublisher(store, one.publisher_id))),
      },
      childCount(t`Line items`, 'line_items'),
    ],
    line_items: [
      named('line_items'),
      { label: t`Status`, sort: 'status', cell: ({ id }) => statusPill(statuses.of('line_items', id)) },
      { label: t`Days`, sort: '-end_date', look: 'days', cell: flightBar },
      { label: t`Campaign`, sort: 'campaign', cell: ({ campaign_id }) => link('campaigns', store.find('campaigns', campaign_id)) },
      { label: t`Price`, numeric: true, sort: '-price', cell: (item) => cell(item, priceField(item), listedPrice(item, currencyOfCampaign(store, item.campaign_id))) },
      { label: t`Class`, sort: 'class', wide: true, cell: (item) => (item.class === null ? dash : CLASS_WORDS[item.class].label) },
      {
        label: t`Priority`,
        sort: 'priority',
        wide: true,
        cell: (item) => cell(item, 'priority', PRIORITY_WORDS[item.priority ?? 2].label),
      },
      { label: t`Flight`, look: 'flight', cell: flight, minor: true, wide: true },
      {
        label: t`Daily cap`,
        numeric: true,
        sort: '-daily_impression_cap',
        wide: true,
        cell: (item) => cell(item, 'daily_impression_cap', item.daily_impression_cap === null ? dash : count(item.daily_impression_cap)),
      },
      ...deliveryColumns({ statuses, store }),
      childCount(t`Creatives`, 'creatives', html`<span class="pill warn">${t`none yet`}</span>`),
    ],
    creatives: [
      { ...named('creatives', t`Creative`), cell: (creative) => withThumbnail(creative, named('creatives').cell(creative)) },
      { label: t`Format`, sort: 'format', cell: ({ format }) => unbroken(format) },
      { label: t`Line item`, sort: 'line_item', cell: ({ line_item_id }) => link('line_items', store.find('line_items', line_item_id)) },
      {
        label: t`Placements`,
        cell: ({ placement_ids: [first, ...others] }) =>
          html`${link('placements', store.find('placements', first))}${others.length > 0 ? t` and ${others.length} more` : ''}`,
      },
      {
        label: t`Advertiser`,
        cell: (creative) => creative.advertiser_domain ?? advertiserOf(store, creative.line_item_id)?.domain ?? dash,
        minor: true,
      },
      {
        label: t`State`,
        sort: 'status',
        cell: (creative) => {
          const state = creativeState(store, creative);
          const { stuck_creatives = [] } = (state === 'live' && statuses.of('line_items', creative.line_item_id)) || {};
          const stuck = stuck_creatives.find(({ id }) => id === creative.id);
          return stuck ? html`<span title=${stuck.reason}>${pill('cannot serve')}</span>` : pill(state);
        },
      },
    ],
  };
  return columns[kind] ?? plainColumns(store, kind);
};
