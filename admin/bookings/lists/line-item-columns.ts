import { html } from 'lit-html';
import type { Page } from '../../page.ts';
import type { CampaignWire, LineItemWire, Records } from '../../api/wire.ts';
import { statusPill } from '../../parts/parts.ts';
import { CLASS_WORDS, PRIORITY_WORDS } from '../../words/choice-words.ts';
import { currencyOfCampaign } from '../../words/currency.ts';
import { amounts, count, money } from '../../words/formats.ts';
import { deliveryColumns, weekColumn } from './delivery-columns.ts';
import { flightBar } from './flight-bar.ts';
import { childCount, dash, idColumn, nameColumn, parentColumn, WIDTHS, type Cell, type ListColumn } from './list-column.ts';
import { priceField, type InPlaceField, type InPlaceKind } from './listed-fields.ts';
import { listedPrice, priceOf } from './price-of.ts';
import { t } from '../../words/texts.ts';

/** A value that may be changed where it is shown. */
export type InPlaceCell = (record: Records[InPlaceKind], field: InPlaceField | undefined, shown: Exclude<Cell, number>) => Cell;

const figureOf = (value: number | null): string => (value === null ? dash : count(value));

/** @param flight the column of dates, which campaigns have as well */
export const lineItemColumns = (
  { store, statuses }: Page,
  cell: InPlaceCell,
  flight: ListColumn<CampaignWire | LineItemWire>,
): readonly ListColumn<LineItemWire>[] => {
  const campaignOf = ({ campaign_id }: LineItemWire) => store.find('campaigns', campaign_id);
  const currencyOf = ({ campaign_id }: LineItemWire): string => currencyOfCampaign(store, campaign_id);
  const figure = { width: WIDTHS.sum, numeric: true };
  return [
    nameColumn('line_items'),
    { id: 'status', label: t`Status`, width: WIDTHS.status, sort: 'status', cell: ({ id }) => statusPill(statuses.of('line_items', id)) },
    { id: 'days', label: t`Days`, width: WIDTHS.bar, sort: '-end_date', usual: 1400, cell: flightBar, value: ({ end_date }) => end_date },
    parentColumn(store, 'campaigns', t`Campaign`, (item) => item.campaign_id, { sort: 'campaign', usual: 900, inCards: true }),
    parentColumn(store, 'advertisers', t`Advertiser`, (item) => campaignOf(item)?.advertiser_id, { usual: false }),
    parentColumn(store, 'publishers', t`Publisher`, (item) => campaignOf(item)?.publisher_id, { usual: false }),
    {
      ...{ id: 'price', label: t`Price`, ...figure, width: 122, sort: '-price', usual: 900, inCards: true },
      cell: (item) => cell(item, priceField(item), listedPrice(item, currencyOf(item))),
      value: (item) => priceOf(item, currencyOf(item)),
    },
    {
      ...{ id: 'class', label: t`Class`, width: WIDTHS.words, sort: 'class', usual: 1700 },
      cell: (item) => (item.class === null ? dash : CLASS_WORDS[item.class].label),
    },
    {
      ...{ id: 'priority', label: t`Priority`, width: WIDTHS.figure, sort: 'priority', usual: 1700 },
      cell: (item) => cell(item, 'priority', PRIORITY_WORDS[item.priority ?? 2].label),
    },
    { ...flight, usual: 1900, minor: true },
    { id: 'pacing', label: t`Pacing`, width: WIDTHS.figure, usual: false, cell: ({ pacing }) => pacing },
    {
      ...{ id: 'goal', label: t`Goal`, ...figure, usual: false },
      cell: ({ goal_impressions }) => figureOf(goal_impressions),
      sum: ({ goal_impressions }) => count(goal_impressions),
      value: ({ goal_impressions }) => goal_impressions,
    },
    {
      ...{ id: 'daily_cap', label: t`Daily cap`, ...figure, sort: '-daily_impression_cap', usual: 1900 },
      cell: (item) => cell(item, 'daily_impression_cap', figureOf(item.daily_impression_cap)),
      value: (item) => item.daily_impression_cap,
    },
    {
      ...{ id: 'budget', label: t`Budget`, ...figure, usual: false },
      cell: (item) => (item.budget === null ? dash : money(item.budget, currencyOf(item))),
      sum: ({ budget }) => amounts(budget),
      value: ({ budget }) => budget,
    },
    ...deliveryColumns({ statuses, store }),
    weekColumn(statuses, 'line_items', '-impressions_week'),
    { ...childCount(t`Creatives`, 'creatives', html`<span class="pill warn">${t`none yet`}</span>`), usual: 1600 },
    idColumn(),
  ];
};
