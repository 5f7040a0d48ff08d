import { html, type TemplateResult } from 'lit-html';
import { textOf } from '../forms/typed-text.ts';
import { linkTo, publisherOfCampaign, titleOf } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { pill } from '../parts/parts.ts';
import type { Store } from '../service/store.ts';
import type { Column } from '../parts/table.ts';
import type { Kind, LineItemWire, Records } from '../service/wire.ts';
import { flightState, type FlightState } from '../words/flight-state.ts';
import { flight, money } from '../words/formats.ts';

const dash = '–';

const link = <K extends Kind>(kind: K, record: Records[K] | undefined, missing = dash): TemplateResult | string =>
  record ? html`<a href=${linkTo(kind, record.id)}>${titleOf(kind, record)}</a>` : missing;

const named = <K extends Kind>(kind: K, label = 'Name'): Column<Records[K]> => ({
  label,
  cell: (record) =>
    html`<a class="name" href=${linkTo(kind, record.id)}>${titleOf(kind, record)}</a>${
        kind === 'placements' || kind === 'creatives' ? '' : html` <small class="figure">#${record.id}</small>`
      }`,
});

/** `5.00 CPM`, in the words of its budget type. */
export const priceOf = ({ type, budget_type, cpm, cpc, budget }: LineItemWire): string => {
  if (type === 'programmatic') return 'by bid';
  switch (budget_type) {
    case 'CPM':
      return cpm === null ? dash : `${money(cpm)} CPM`;
    case 'CPC':
      return cpc === null ? dash : `${money(cpc)} CPC`;
    case 'Flat':
      return [budget === null ? 'flat' : `flat fee of ${money(budget)}`, ...(cpm === null ? [] : [`as ${money(cpm)} CPM`])].join(', ');
  }
};

export const statusOf = (store: Store, item: LineItemWire): FlightState =>
  flightState(item, store.find('campaigns', item.campaign_id), Date.now());

/** The columns of each kind's list. */
export const listColumns = <K extends Kind>({ store }: Page, kind: K): readonly Column<Records[K]>[] => {
  const children = <C extends Kind>(of: C, field: keyof Records[C], id: string | number): number =>
    store.all(of).filter((child) => child[field] === id).length;
  const columns: { readonly [Each in Kind]: readonly Column<Records[Each]>[] } = {
    publishers: [
      named('publishers'),
      { label: 'Domain', cell: ({ domain }) => domain },
      { label: 'API key', cell: ({ api_key_hint }) => (api_key_hint ? html`<code>…${api_key_hint}</code>` : dash), minor: true },
      { label: 'Campaigns', numeric: true, cell: ({ id }) => children('campaigns', 'publisher_id', id) },
    ],
    placements: [
      named('placements', 'Id'),
      { label: 'Size', cell: ({ width, height }) => `${width} × ${height}` },
      { label: 'Formats', cell: ({ formats }) => formats.join(', ') },
      { label: 'Publisher', cell: ({ publisher_id }) => link('publishers', store.find('publishers', publisher_id), 'open to all') },
      { label: 'Creatives', numeric: true, cell: ({ id }) => children('creatives', 'placement_id', id) },
    ],
    bidders: [
      named('bidders'),
      { label: 'Endpoint', cell: ({ endpoint }) => new URL(endpoint).host },
      { label: 'Currency', cell: ({ currency }) => currency, minor: true },
      { label: 'Line items', numeric: true, cell: ({ id }) => children('line_items', 'bidder_id', id) },
    ],
    campaigns: [
      named('campaigns'),
      { label: 'Publisher', cell: ({ publisher_id }) => link('publishers', store.find('publishers', publisher_id)) },
      { label: 'Flight', cell: flight },
      { label: 'Budget', numeric: true, cell: ({ budget }) => (budget === null ? 'no limit' : money(budget)) },
      { label: 'Line items', numeric: true, cell: ({ id }) => children('line_items', 'campaign_id', id) },
    ],
    line_items: [
      named('line_items'),
      { label: 'Status', cell: (item) => pill(statusOf(store, item)) },
      { label: 'Campaign', cell: ({ campaign_id }) => link('campaigns', store.find('campaigns', campaign_id)) },
      { label: 'Price', numeric: true, cell: priceOf },
      { label: 'Flight', cell: flight, minor: true },
      {
        label: 'Creatives',
        numeric: true,
        cell: ({ id }) => children('creatives', 'line_item_id', id) || html`<span class="pill warn">none yet</span>`,
      },
    ],
    creatives: [
      named('creatives', 'Creative'),
      { label: 'Format', cell: ({ format }) => format },
      { label: 'Line item', cell: ({ line_item_id }) => link('line_items', store.find('line_items', line_item_id)) },
      { label: 'Placement', cell: ({ placement_id }) => link('placements', store.find('placements', placement_id)) },
      { label: 'Advertiser', cell: ({ advertiser_domain }) => advertiser_domain ?? dash, minor: true },
      { label: 'State', cell: ({ blocked_at }) => pill(blocked_at ? 'blocked' : 'live') },
    ],
  };
  return columns[kind];
};

/** The text that a search matches against, in lower case. */
export const listText = <K extends Kind>(store: Store, kind: K, record: Records[K]): string => {
  const any = record as unknown as Readonly<Record<string, unknown>>;
  const item = kind === 'line_items' ? (record as LineItemWire) : store.find('line_items', any['line_item_id'] as number | undefined);
  const campaign = store.find('campaigns', item?.campaign_id);
  const publisher =
    store.find('publishers', any['publisher_id'] as number | undefined) ?? (campaign && publisherOfCampaign(store, campaign.id));
  const own = Object.values(any).filter((value) => typeof value === 'string' || typeof value === 'number');
  const size = any['width'] ? `${textOf(any['width'])} × ${textOf(any['height'])} ${textOf(any['width'])}x${textOf(any['height'])}` : '';
  const state = kind === 'line_items' ? statusOf(store, record as LineItemWire) : '';
  return [titleOf(kind, record), ...own, size, state, item?.name, campaign?.name, publisher?.name].join(' ').toLowerCase();
};
