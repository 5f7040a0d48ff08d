import type { ReportedCreativeRow } from '../../src/trafficking/insight/reported-creative-columns.ts';
import { html } from 'lit-html';
import { setBlocked } from './actions.ts';
import { linkTo } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { emptyState, loading, pageHead, pill, problemNote } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import type { Problem } from '../service/wire.ts';
import { count, moment } from '../words/formats.ts';

/** Quality reports by creative, the most reported first, with a button to block each. */
export const openReports = (page: Page): View => {
  let reports: readonly ReportedCreativeRow[] | undefined;
  let problem: Problem | undefined;
  const load = async () => {
    const answer = await page.api.get<readonly ReportedCreativeRow[]>('/reports?limit=500');
    reports = answer.ok ? answer.value : undefined;
    problem = answer.ok ? undefined : answer.problem;
    page.redraw();
  };
  void load();
  return {
    title: 'Ad reports',
    section: 'reports',
    render: () => html`
      ${pageHead('Ad reports', 'Reports from the button beside an ad. A blocked creative is not served.')}
      ${
        problem
          ? problemNote(problem)
          : !reports
            ? loading()
            : reports.length === 0
              ? emptyState('No ad has been reported.')
              : table({
                  caption: 'Reported creatives',
                  rows: reports,
                  columns: [
                    {
                      label: 'Creative',
                      cell: ({ creative_id, deleted }) =>
                        deleted
                          ? `${creative_id}, deleted`
                          : html`<a class="name" href=${linkTo('creatives', creative_id)}>Creative ${creative_id}</a>`,
                    },
                    {
                      label: 'Line item',
                      cell: ({ line_item_id, line_item }) =>
                        line_item === null
                          ? `#${line_item_id}`
                          : html`<a href=${linkTo('line_items', line_item_id)}>${line_item || `#${line_item_id}`}</a>`,
                    },
                    { label: 'Advertiser', cell: ({ advertiser_domain }) => advertiser_domain ?? '–' },
                    { label: 'Reports', numeric: true, cell: ({ total }) => count(total) },
                    {
                      label: 'Reasons',
                      cell: ({ reasons }) =>
                        Object.entries(reasons)
                          .sort(([, a], [, b]) => b - a)
                          .map(([reason, times]) => `${reason} ${times}×`)
                          .join(', '),
                    },
                    { label: 'Last', cell: ({ last_at }) => moment(last_at) },
                    { label: 'State', cell: ({ blocked_at, deleted }) => pill(deleted ? 'deleted' : blocked_at ? 'blocked' : 'live') },
                  ],
                  actions: ({ creative_id, blocked_at, deleted }) =>
                    deleted
                      ? html``
                      : html`<button
                          type="button"
                          class="quiet"
                          aria-label="${blocked_at ? 'Unblock' : 'Block'} creative ${creative_id}"
                          @click=${() => void setBlocked(page, creative_id, !blocked_at).then(load)}
                        >
                          ${blocked_at ? 'Unblock' : 'Block'}
                        </button>`,
                })
      }
    `,
  };
};
