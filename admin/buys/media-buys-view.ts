import { html, nothing, type TemplateResult } from 'lit-html';
import type { MediaBuyWire } from '../../src/buys/media-buy-api.ts';
import type { Page, View } from '../page.ts';
import { card, emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { table, unbroken, type Column } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { date } from '../words/dates.ts';
import { count, money, price } from '../words/formats.ts';
import { counted, linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

const MAX_SHOWN = 200;

/** What agents of buyers have bought: what waits for a person first. */
export const openMediaBuys = (page: Page): View => {
  const { store } = page;
  const reading = createReading(page, async (api) => {
    const answer = await api.get('/media_buys', { limit: MAX_SHOWN });
    if (answer.ok) {
      await store.ensure('advertisers', ...answer.value.map(({ advertiser_id: id }) => id));
      await store.ensure('publishers', ...answer.value.map(({ publisher_id: id }) => id));
    }
    return answer;
  });
  const columns: readonly Column<MediaBuyWire>[] = [
    { label: t`Media buy`, prose: true, cell: nameOf },
    {
      label: t`Advertiser`,
      cell: ({ advertiser_id: id }) => html`<a href=${linkTo('advertisers', id)}>${store.find('advertisers', id)?.name ?? `#${id}`}</a>`,
    },
    { label: t`Publisher`, cell: ({ publisher_id: id }) => store.find('publishers', id)?.name ?? `#${id}`, minor: true },
    { label: t`Bought by`, cell: ({ buyer }) => buyer, minor: true },
    {
      label: t`Flight`,
      cell: ({ start_time: from, end_time: to }) => html`${unbroken(date(from.slice(0, 10)))} – ${unbroken(date(to.slice(0, 10)))}`,
    },
    { label: t`Budget`, numeric: true, cell: ({ budget, currency }) => money(budget, currency) },
    { label: t`State`, cell: stateOf },
  ];
  const list = (title: string, rows: readonly MediaBuyWire[]): TemplateResult | typeof nothing =>
    rows.length === 0
      ? nothing
      : card(title, table({ caption: title, rows, columns }), html`<span class="pill quiet">${count(rows.length)}</span>`);
  return {
    title: t`Media buys`,
    section: 'media_buys',
    render: () => html`
      ${pageHead(
        t`Media buys`,
        t`What agents of buyers have bought by the Ad Context Protocol. What waits is booked when a person approves it, and not before.`,
      )}
      ${reading.render((rows) =>
        rows.length === 0
          ? emptyState(
              t`No agent has bought anything yet. An agent needs the address of this service, and an API token with the role buyer.`,
              {
                ...{ text: '', label: t`New API token`, hash: hashOf(['tokens', 'new']) },
              },
            )
          : html`${list(
              t`Waits for a person`,
              rows.filter(({ state }) => state === 'waiting'),
            )}
            ${list(
              t`Booked`,
              rows.filter(({ campaign_id: id }) => id !== null),
            )}
            ${list(
              t`Refused`,
              rows.filter(({ state }) => state === 'refused'),
            )}`,
      )}
    `,
  };
};

/** Where it is looked at: the proposal while it waits, then the campaign. */
const nameOf = ({
  name,
  order_number: order,
  campaign_id: campaign,
  approval_id: approval,
  packages,
  currency,
}: MediaBuyWire): TemplateResult => {
  const hash = campaign !== null ? linkTo('campaigns', campaign) : approval !== null ? hashOf(['approvals', approval]) : undefined;
  const parts = packages.map(
    ({ name: part, placement_id: placement, price: cpm, impressions, guaranteed }) =>
      html`<li>
        ${
          guaranteed
            ? t`${part}: ${placement}, ${count(impressions)} impressions, CPM ${price(cpm, currency)}`
            : t`${part}: ${placement}, up to ${count(impressions)} impressions, CPM ${price(cpm, currency)}`
        }
      </li>`,
  );
  return html`${hash === undefined ? html`<strong>${name}</strong>` : html`<a class="name" href=${hash}>${name}</a>`}
    ${order === null ? nothing : html`<small>${order}</small>`}
    <ul class="packages">
      ${parts}
    </ul>`;
};

const STATES: Readonly<Record<MediaBuyWire['state'], readonly [words: string, tone: string]>> = {
  waiting: [t`waits for approval`, 'warn'],
  refused: [t`refused`, 'bad'],
  pending_creatives: [t`without creatives`, 'warn'],
  pending_start: [t`not begun`, 'calm'],
  active: [t`running`, 'good'],
  paused: [t`paused`, 'quiet'],
  completed: [t`ended`, 'quiet'],
  rejected: [t`refused`, 'bad'],
  canceled: [t`canceled by the buyer`, 'quiet'],
};

const stateOf = ({ state, packages, cancellation_reason: reason }: MediaBuyWire): TemplateResult => {
  const [words, tone] = STATES[state];
  const sum = (of: 'creatives_missing' | 'creatives_pending'): number => packages.reduce((total, one) => total + one[of], 0);
  const [missing, pending] = [sum('creatives_missing'), sum('creatives_pending')];
  return html`<span class="pill ${tone}">${words}</span>
    ${pending > 0 ? html`<br /><small>${t`${counted(pending, 'creative')} to approve`}</small>` : nothing}
    ${missing > 0 ? html`<br /><small>${t`${counted(missing, 'creative')} not sent yet`}</small>` : nothing}
    ${reason === null ? nothing : html`<br /><small>${reason}</small>`}`;
};
