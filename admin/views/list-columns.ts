import { html, type TemplateResult } from 'lit-html';
import { textOf } from '../forms/typed-text.ts';
import { advertiserOf, linkTo, publisherOfCampaign, titleOf } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { pill, type Status } from '../parts/parts.ts';
import type { Store } from '../service/store.ts';
import { unbroken, type Column } from '../parts/table.ts';
import type { CampaignWire, CreativeWire, Kind, LineItemWire, Records } from '../service/wire.ts';
import { flightState, type FlightState } from '../words/flight-state.ts';
import { flightDays, money } from '../words/formats.ts';
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
      return cpm === null ? dash : `${money(cpm)} CPM`;
    case 'CPC':
      return cpc === null ? dash : `${money(cpc)} CPC`;
    case 'Flat':
      return [budget === null ? 'flat' : `flat fee of ${money(budget)}`, ...(cpm === null ? [] : [`as ${money(cpm)} CPM`])].join(', ');
  }
};

export const statusOf = (store: Store, item: LineItemWire | CampaignWire): FlightState | 'archived' => {
  const isItem = 'campaign_id' in item;
  if (archivedBy(store, isItem ? 'line_items' : 'campaigns', item)) return 'archived';
  return flightState(item, isItem ? store.find('campaigns', item.campaign_id) : undefined, Date.now());
};

/** What staff have set; `live`: nothing of it stops the creative. */
export const creativeState = (store: Store, creative: CreativeWire): Status => {
  if (archivedBy(store, 'creatives', creative)) return 'archived';
  if (creative.blocked_at) return 'blocked';
  return creative.status === 'approved' ? 'live' : creative.status;
};

/** A column of a list. `counts`: how many listed records belong to each; archived ones are not listed. */
export type ListColumn<T> = Column<T> & { readonly counts?: true };

/** The columns of each kind's list. */
export const listColumns = <K extends Kind>({ store }: Page, kind: K): readonly ListColumn<Records[K]>[] => {
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
      { label: 'Creatives', numeric: true, counts: true, cell: ({ id }) => children('creatives', 'placement_id', id) },
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
      { label: 'Status', cell: (campaign) => pill(statusOf(store, campaign)) },
      { label: 'Publisher', cell: ({ publisher_id }) => link('publishers', store.find('publishers', publisher_id)) },
      { label: 'Advertiser', cell: ({ advertiser_id }) => link('advertisers', store.find('advertisers', advertiser_id)), minor: true },
      { label: 'Flight', cell: flightCell },
      { label: 'Budget', numeric: true, cell: ({ budget }) => (budget === null ? unbroken('no limit') : money(budget)) },
      { label: 'Line items', numeric: true, counts: true, cell: ({ id }) => children('line_items', 'campaign_id', id) },
    ],
    line_items: [
      named('line_items'),
      { label: 'Status', cell: (item) => pill(statusOf(store, item)) },
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
      named('creatives', 'Creative'),
      { label: 'Format', cell: ({ format }) => unbroken(format) },
      { label: 'Line item', cell: ({ line_item_id }) => link('line_items', store.find('line_items', line_item_id)) },
      { label: 'Placement', cell: ({ placement_id }) => link('placements', store.find('placements', placement_id)) },
      {
        label: 'Advertiser',
        cell: (creative) => creative.advertiser_domain ?? advertiserOf(store, creative.line_item_id)?.domain ?? dash,
        minor: true,
      },
      { label: 'State', cell: (creative) => pill(creativeState(store, creative)) },
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
  const advertiser = store.find('advertisers', campaign?.advertiser_id ?? (any['advertiser_id'] as number | undefined));
  const labels = [any['labels']].flat().join(' ');
  const size = any['width'] ? `${textOf(any['width'])} × ${textOf(any['height'])} ${textOf(any['width'])}x${textOf(any['height'])}` : '';
  const state = kind === 'line_items' || kind === 'campaigns' ? statusOf(store, record as LineItemWire | CampaignWire) : '';
  return [titleOf(kind, record), ...own, size, state, item?.name, campaign?.name, publisher?.name, advertiser?.name, labels]
    .join(' ')
    .toLowerCase();
};
