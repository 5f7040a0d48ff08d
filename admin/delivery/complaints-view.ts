import type { ReportedCreativeRow } from '../../src/delivery/reported-creative-columns.ts';
import { html } from 'lit-html';
import { setBlocked } from '../bookings/actions.ts';
import { linkTo } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { button, emptyState, pageHead, pill } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { table, unbroken, type Column } from '../parts/table.ts';
import { moment } from '../words/dates.ts';
import { count } from '../words/formats.ts';
import { t } from '../words/texts.ts';

const columnsOf = ({ store }: Page): readonly Column<ReportedCreativeRow>[] => [
  {
    label: t`Creative`,
    prose: true,
    cell: ({ creative_id, deleted, line_item_id, line_item }) =>
      html`${
          deleted
            ? t`${creative_id}, deleted`
            : html`<a class="name" href=${linkTo('creatives', creative_id)}
                >${store.find('creatives', creative_id)?.name || t`Creative ${creative_id}`}</a
              >`
        }<br /><small
          >${line_item === null ? `#${line_item_id}` : html`<a href=${linkTo('line_items', line_item_id)}>${line_item || `#${line_item_id}`}</a>`}</small
        >`,
  },
  {
    label: t`Placements`,
    cell: ({ placement_ids }) =>
      html`${placement_ids.map((id, i) => html`${i > 0 ? ', ' : ''}<a href=${linkTo('placements', id)}>${id}</a>`)}`,
  },
  { label: t`Complaints`, numeric: true, cell: ({ total }) => count(total) },
  {
    label: t`Reasons`,
    cell: ({ reasons }) =>
      Object.entries(reasons)
        .sort(([, a], [, b]) => b - a)
        .map(([reason, times]) => `${reason} ${times}×`)
        .join(', '),
  },
  { label: t`Last`, cell: ({ last_at }) => unbroken(moment(last_at)) },
  { label: t`State`, cell: ({ blocked_at, deleted }) => pill(deleted ? 'deleted' : blocked_at ? 'blocked' : 'live') },
];

/** Users' complaints by creative, the most reported first, with a button to block each. */
export const openComplaints = (page: Page): View => {
  const complaints = createReading(page, async (api) => {
    const answer = await api.get('/complaints', { limit: 500 });
    if (answer.ok) await page.store.ensure('creatives', ...answer.value.flatMap(({ creative_id: id, deleted }) => (deleted ? [] : [id])));
    return answer;
  });
  const columns = columnsOf(page);
  const actions = ({ creative_id, blocked_at, deleted }: ReportedCreativeRow) => {
    const label = blocked_at ? t`Unblock` : t`Block`;
    const run = () => setBlocked(page, creative_id, !blocked_at).then(complaints.load);
    return deleted || !page.rights.may('POST', '/creatives/{id}/block')
      ? html``
      : button(label, run, 'quiet', t`${label} creative ${creative_id}`);
  };
  return {
    title: t`Complaints`,
    section: 'complaints',
    render: () => html`
      ${pageHead(t`Complaints`, t`What users reported with the button beside an ad. A blocked creative is not served.`)}
      ${complaints.render((rows) =>
        rows.length === 0
          ? emptyState(t`No ad has been reported. Visitors report ads with the button that the SDK adds to each.`)
          : table({ caption: t`Reported creatives`, rows, columns, actions }),
      )}
    `,
  };
};
