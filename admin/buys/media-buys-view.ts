import { html, nothing, type TemplateResult } from 'lit-html';
import type { MediaBuyWire } from '../../src/buys/media-buy-api.ts';
import type { Answer } from '../api/wire.ts';
import type { Page, View } from '../page.ts';
import { card, emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { address, table, unbroken, type Column } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { date } from '../words/dates.ts';
import { count, money, price } from '../words/formats.ts';
import { counted, linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

/** What waits is shown whole; of the others the newest. */
const SHOWN = { waiting: 200, booked: 100, refused: 50 } as const;
type Part = keyof typeof SHOWN;
const PARTS = Object.keys(SHOWN) as readonly Part[];

/** What agents of buyers have bought: what waits for a person first. */
export const openMediaBuys = (page: Page): View => {
  const { store } = page;
  const reading = createReading(page, async (api): Promise<Answer<Readonly<Record<Part, readonly MediaBuyWire[]>>>> => {
    const lists = { waiting: [], booked: [], refused: [] } as Record<Part, readonly MediaBuyWire[]>;
    for (const state of PARTS) {
      const answer = await api.get('/media_buys', { state, limit: SHOWN[state] });
      if (!answer.ok) return answer;
      lists[state] = answer.value;
    }
    const all = PARTS.flatMap((state) => lists[state]);
    await store.ensure('advertisers', ...all.map(({ advertiser_id: id }) => id));
    await store.ensure('publishers', ...all.map(({ publisher_id: id }) => id));
    return { ok: true, value: lists };
  });
  const columns: readonly Column<MediaBuyWire>[] = [
    { label: t`Media buy`, prose: true, cell: nameOf },
    {
      label: t`Advertiser`,
      cell: ({ advertiser_id: id }) =>
        html`<a href=${linkTo('advertisers', id)}>${address(store.find('advertisers', id)?.name ?? `#${id}`)}</a>`,
    },
    { label: t`Publisher`, cell: ({ publisher_id: id }) => store.find('publishers', id)?.name ?? `#${id}`, minor: true },
    { label: t`Bought by`, cell: ({ buyer }) => buyer.replace(/^token:/, ''), minor: true },
    {
      label: t`Flight`,
      cell: ({ start_time: from, end_time: to }) => html`${unbroken(date(from.slice(0, 10)))} – ${unbroken(date(to.slice(0, 10)))}`,
    },
    { label: t`Budget`, numeric: true, cell: ({ budget, currency }) => money(budget, currency) },
    { label: t`State`, cell: stateOf },
  ];
  const list = (title: string, part: Part, rows: readonly MediaBuyWire[]): TemplateResult | typeof nothing => {
    const isCut = rows.length === SHOWN[part];
    const pill = html`<span class="pill ${part === 'waiting' ? 'warn' : 'quiet'}">${count(rows.length)}${isCut ? '+' : ''}</span>`;
    const note = isCut ? html`<p class="muted">${t`The newest ${count(rows.length)} are shown.`}</p>` : nothing;
    return rows.length === 0 ? nothing : card(title, html`${note}${table({ caption: title, rows, columns })}`, pill);
  };
  return {
    title: t`Media buys`,
    section: 'media_buys',
    render: () => html`
      ${pageHead(
        t`Media buys`,
        t`What agents of buyers have bought by the Ad Context Protocol. What waits is booked when a person approves it, and not before.`,
      )}
      ${reading.render((lists) =>
        PARTS.every((part) => lists[part].length === 0)
          ? noneYet(page)
          : html`${list(t`Waits for a person`, 'waiting', lists.waiting)} ${list(t`Booked`, 'booked', lists.booked)}
            ${list(t`Refused`, 'refused', lists.refused)}`,
      )}
    `,
  };
};

/** An agent needs a token, which not everyone may make. */
const noneYet = ({ rights }: Page): TemplateResult => {
  const words = rights.me.sells_to_agents
    ? t`No agent has bought anything yet. An agent needs the address of this service, and an API token with the role buyer.`
    : t`No agent can buy here: buying by agents is off. The operator of the ad server turns it on with the setting ADCP.`;
  const isOffered = rights.me.sells_to_agents && rights.may('POST', '/tokens');
  return emptyState(words, isOffered ? { text: '', label: t`New API token`, hash: hashOf(['tokens', 'new']) } : undefined);
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
        ${part.startsWith(placement) ? part : `${part}, ${placement}`}:
        ${
          guaranteed
            ? t`${count(impressions)} impressions, CPM ${price(cpm, currency)}`
            : t`up to ${count(impressions)} impressions, CPM ${price(cpm, currency)}`
        }
      </li>`,
  );
  return html`${hash === undefined ? html`<strong>${name}</strong>` : html`<a class="name" href=${hash}>${name}</a>`}
    ${order === null || name.includes(order) ? nothing : html`<small>${order}</small>`}
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

const stateOf = ({ state, packages, waits_until: until, decided_by: by, words: said, ...buy }: MediaBuyWire): TemplateResult => {
  const [words, tone] = STATES[state];
  const sum = (of: 'creatives_missing' | 'creatives_pending'): number => packages.reduce((total, one) => total + one[of], 0);
  const [missing, pending] = [sum('creatives_missing'), sum('creatives_pending')];
  return html`<span class="pill ${tone}">${words}</span>
    ${pending > 0 ? html`<br /><small>${t`${counted(pending, 'creative')} to approve`}</small>` : nothing}
    ${missing > 0 ? html`<br /><small>${t`${counted(missing, 'creative')} not sent yet`}</small>` : nothing}
    ${until === null ? nothing : html`<br /><small>${t`until ${date(until.slice(0, 10))}, then it is refused`}</small>`}
    ${state !== 'refused' ? nothing : html`<br /><small>${by === null ? t`not decided in time` : t`decided by ${by}`}</small>`}
    ${said === null ? nothing : html`<br /><small>“${said}”</small>`}
    ${buy.cancellation_reason === null ? nothing : html`<br /><small>“${buy.cancellation_reason}”</small>`}`;
};
