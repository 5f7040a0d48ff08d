import { html, type TemplateResult } from 'lit-html';
import { textOf } from '../forms/typed-text.ts';
import { advertiserOf, linkTo, publisherOfCampaign, titleOf } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { pill, statusPill, type Status } from '../parts/parts.ts';
import type { Store } from '../service/store.ts';
import { thumbnail } from '../parts/thumbnail.ts';
import { unbroken, type Column } from '../parts/table.ts';
import type { CampaignWire, CreativeWire, Kind, LineItemWire, Records } from '../service/wire.ts';
import { flightDays, money, price } from '../words/formats.ts';
import { hasHtml5, pictureIn } from '../words/asset-words.ts';
import { archivedBy } from '../words/archived.ts';

const dash = '–';

const link = <K extends Kind>(kind: K, record: Records[K] | undefined, missing = dash): TemplateResult | string =>
  record ? html`<a href=${linkTo(kind, record.id)}>${titleOf(kind, record)}</a>` : missing;

const flightCell = (record: CampaignWire | LineItemWire): TemplateResult => {
  const [start, end] = flightDays(record);
  return html`${unbroken(`${start} –`)} ${unbroken(end)}`;
};

const named = <K extends Kind>(kind: K, label = 'Name'): Column<Records[K]> => ({
  label,
  cell: (record) =>
    html`<a class="name" href=${linkTo(kind, record.id)}>${titleOf(kind, record)}</a>${
        kind === 'placements' || (kind === 'creatives' && !(record as CreativeWire).name)
          ? ''
          : html` <small class="figure">#${record.id}</small>`
      }`,
});

/** `5.00 CPM`, in the words of its budget type. */
export const priceOf = ({ type, budget_type, cpm, cpc, budget }: LineItemWire): string => {
  if (type === 'programmatic') return 'by bid';
  switch (budget_type) {
    case 'CPM':
      return cpm === null ? dash : `${price(cpm)} CPM`;
    case 'VCPM':
      return cpm === null ? dash : `${price(cpm)} vCPM`;
    case 'CPC':
      return cpc === null ? dash : `${price(cpc)} CPC`;
    case 'Flat':
      return [budget === null ? 'flat' : `flat fee of ${money(budget)}`, ...(cpm === null ? [] : [`as ${price(cpm)} CPM`])].join(', ');
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

/** The columns of each kind's list. */
export const listColumns = <K extends Kind>({ store, statuses }: Page, kind: K): readonly ListColumn<Records[K]>[] => {
  const children = <C extends Kind>(of: C, field: keyof Records[C], id: string | number): number =>
    store.all(of).filter((child) => child[field] === id).length;
  const columns: { readonly [Each in Kind]: readonly ListColumn<Records[Each]>[] } = {
    publishers: [
      named('publishers'),
      { label: 'Domain', cell: ({ domain }) => domain },
      { label: 'API key', cell: ({ api_key_hint }) => (api_key_hint ? html`<code>…${api_key_hint}</code>` : dash), minor: true },
      { label: 'Campaigns', numeric: true, counts: true, cell: ({ id }) => children('campaigns', 'publisher_id', id) },
    ],
    placements: [
      named('placements', 'Id'),
      { label: 'Size', cell: ({ width, height }) => `${width} × ${height}` },
      { label: 'Formats', cell: ({ formats }) => formats.join(', ') },
      { label: 'Publisher', cell: ({ publisher_id }) => link('publishers', store.find('publishers', publisher_id), 'open to all') },
      {
        label: 'Creatives',
        numeric: true,
        counts: true,
        cell: ({ id }) => store.all('creatives').filter(({ placement_ids }) => placement_ids.includes(id)).length,
      },
    ],
    advertisers: [
      named('advertisers'),
      { label: 'Domain', cell: ({ domain }) => domain ?? dash },
      { label: 'Labels', cell: ({ labels }) => labels.join(', ') || dash, minor: true },
      { label: 'Campaigns', numeric: true, counts: true, cell: ({ id }) => children('campaigns', 'advertiser_id', id) },
    ],
    bidders: [
      named('bidders'),
      { label: 'Endpoint', cell: ({ endpoint }) => new URL(endpoint).host },
      { label: 'Currency', cell: ({ currency }) => currency, minor: true },
      { label: 'Line items', numeric: true, counts: true, cell: ({ id }) => children('line_items', 'bidder_id', id) },
    ],
    campaigns: [
      named('campaigns'),
      { label: 'Status', cell: ({ id }) => statusPill(statuses.of('campaigns', id)) },
      { label: 'Publisher', cell: ({ publisher_id }) => link('publishers', store.find('publishers', publisher_id)) },
      { label: 'Advertiser', cell: ({ advertiser_id }) => link('advertisers', store.find('advertisers', advertiser_id)), minor: true },
      { label: 'Flight', cell: flightCell },
      { label: 'Budget', numeric: true, cell: ({ budget }) => (budget === null ? unbroken('no limit') : money(budget)) },
      { label: 'Line items', numeric: true, counts: true, cell: ({ id }) => children('line_items', 'campaign_id', id) },
    ],
    line_items: [
      named('line_items'),
      { label: 'Status', cell: ({ id }) => statusPill(statuses.of('line_items', id)) },
      { label: 'Campaign', cell: ({ campaign_id }) => link('campaigns', store.find('campaigns', campaign_id)) },
      { label: 'Price', numeric: true, cell: priceOf },
      { label: 'Flight', cell: flightCell, minor: true },
      {
        label: 'Creatives',
        numeric: true,
        counts: true,
        cell: ({ id }) => children('creatives', 'line_item_id', id) || html`<span class="pill warn">none yet</span>`,
      },
    ],
    creatives: [
      { ...named('creatives', 'Creative'), cell: (creative) => withThumbnail(creative, named('creatives').cell(creative)) },
      { label: 'Format', cell: ({ format }) => unbroken(format) },
      { label: 'Line item', cell: ({ line_item_id }) => link('line_items', store.find('line_items', line_item_id)) },
      {
        label: 'Placements',
        cell: ({ placement_ids: [first, ...others] }) =>
          html`${link('placements', store.find('placements', first))}${others.length > 0 ? ` and ${others.length} more` : ''}`,
      },
      {
        label: 'Advertiser',
        cell: (creative) => creative.advertiser_domain ?? advertiserOf(store, creative.line_item_id)?.domain ?? dash,
        minor: true,
      },
      {
        label: 'State',
        cell: (creative) => {
          const state = creativeState(store, creative);
          const { stuck_creatives = [] } = (state === 'live' && statuses.of('line_items', creative.line_item_id)) || {};
          const stuck = stuck_creatives.find(({ id }) => id === creative.id);
          return stuck ? html`<span title=${stuck.reason}>${pill('cannot serve')}</span>` : pill(state);
        },
      },
    ],
  };
  return columns[kind];
};

/** The text that a search matches against, in lower case. */
export const listText = <K extends Kind>({ store, statuses }: Page, kind: K, record: Records[K]): string => {
  const any = record as unknown as Readonly<Record<string, unknown>>;
  const item = kind === 'line_items' ? (record as LineItemWire) : store.find('line_items', any['line_item_id'] as number | undefined);
  const campaign = store.find('campaigns', item?.campaign_id);
  const publisher =
    store.find('publishers', any['publisher_id'] as number | undefined) ?? (campaign && publisherOfCampaign(store, campaign.id));
  const own = Object.values(any)
    .flat()
    .filter((value) => typeof value === 'string' || typeof value === 'number');
  const advertiser = store.find('advertisers', campaign?.advertiser_id ?? (any['advertiser_id'] as number | undefined));
  const size = any['width'] ? `${textOf(any['width'])} × ${textOf(any['height'])} ${textOf(any['width'])}x${textOf(any['height'])}` : '';
  const state = kind === 'line_items' || kind === 'campaigns' ? (statuses.known(kind, Number(record.id))?.value ?? '') : '';
  return [titleOf(kind, record), ...own, size, state, item?.name, campaign?.name, publisher?.name, advertiser?.name]
    .join(' ')
    .toLowerCase();
};
