import { html, nothing, type TemplateResult } from 'lit-html';
import type { Attention, AttentionGroup, AttentionKind, AttentionRow } from '../../src/delivery/attention/attention.ts';
import type { Page } from '../page.ts';
import { button, card, pill, type Status } from '../parts/parts.ts';
import { showEndDate } from '../../src/catalog/model/flight-dates.ts';
import { hashOf } from '../route.ts';
import { date, withDates } from '../words/dates.ts';
import { count, money } from '../words/formats.ts';
import { counted, linkTo } from '../words/kinds.ts';
import { mayJudge, patchRecord, setStatus } from '../bookings/actions.ts';
import { say, t } from '../words/texts.ts';

interface GroupWords {
  readonly title: string;
  /** Where all of them are seen. */
  readonly all?: string;
}

/** Rows of a group, so that all groups are seen together. */
const MAX_SHOWN = 5;

const WORDS: Readonly<Record<AttentionKind, GroupWords>> = {
  cannot_serve: { title: t`Cannot serve`, all: hashOf(['line_items'], { q: 'cannot serve' }) },
  behind: { title: t`Behind`, all: hashOf(['line_items'], { q: 'behind' }) },
  limited: { title: t`Behind, because of a cap or a budget` },
  outranked: { title: t`Always outranked`, all: hashOf(['line_items'], { q: 'outranked' }) },
  complaints: { title: t`Complaints about creatives`, all: hashOf(['complaints']) },
  not_played: { title: t`Videos that players do not play` },
  pending_creatives: { title: t`Creatives to approve`, all: hashOf(['creatives'], { q: 'pending' }) },
  ends_soon: { title: t`Ends soon` },
  quarantined: { title: t`Rows that are set aside` },
  rebuilding: { title: t`Counters being rebuilt` },
  drift: { title: t`Counts that differed` },
  dead_events: { title: t`Events that cannot be stored` },
};

/** How often each status occurs, as a row of links to the list. */
export const statusCounts = ({ line_items }: Attention): TemplateResult =>
  html`<p class="status-counts">
    ${Object.entries(line_items)
      .sort(([, a], [, b]) => b - a)
      .map(
        ([status, times]) =>
          html`<a href=${hashOf(['line_items'], { q: status })}>${pill(status as Status, `${count(times)} ${say(status)}`)}</a>`,
      )}
  </p>`;

/** What needs attention, each with what can be done about it. */
export const attentionCard = (page: Page, { groups }: Attention, reload: () => Promise<void>): TemplateResult => {
  /** What would have helped against the most frequent refusal; undefined: nothing that one click does. */
  const helpOutranked = async (id: number): Promise<void> => {
    const answer = await page.api.get('/line_items/{id}/refusals', { id });
    if (!answer.ok) return page.complain(answer.problem);
    const remedy = answer.value.reasons.find(({ reason }) => reason === 'outranked')?.remedy;
    if (!remedy) return page.go(linkTo('line_items', id));
    const sure = await page.confirm({ title: `${remedy.label}?`, text: t`It applies to the next requests.`, yes: t`Change it` });
    if (sure && (await patchRecord(page, remedy.table, remedy.id, remedy.patch, t`${remedy.label}: done.`))) await reload();
  };
  const fix = (kind: AttentionKind, { table, id }: AttentionRow): TemplateResult | typeof nothing => {
    if (table === null || id === null) return nothing;
    const { rights } = page;
    const mayChange = rights.may('PATCH', '/line_items/{id}');
    const link = (label: string, hash: string) => html`<a role="button" class="secondary" href=${hash}>${label}</a>`;
    switch (kind) {
      case 'outranked':
        return mayChange ? button(t`Rank it higher`, () => helpOutranked(id), 'secondary') : link(t`See why`, linkTo('line_items', id));
      case 'pending_creatives':
        return mayJudge(page)
          ? button(t`Approve`, () => setStatus(page, id, 'approved').then(reload), 'secondary')
          : link(t`Review`, linkTo('creatives', id));
      case 'complaints':
      case 'not_played':
        return link(t`Review`, linkTo('creatives', id));
      case 'ends_soon':
        return mayChange ? link(t`Extend`, hashOf(['line_items', id, 'edit'])) : nothing;
      default:
        return link(t`See why`, linkTo('line_items', id));
    }
  };
  const show = ({ kind, total, rows }: AttentionGroup): TemplateResult => {
    const { title, all } = WORDS[kind];
    const shown = rows.slice(0, MAX_SHOWN);
    const more = total - shown.length;
    return html`<section class="needs-group">
      <h3>${title} <span class="figure">${count(total)}</span></h3>
      <ul class="needs">
        ${shown.map(
          (row) =>
            html`<li>
              <span
                >${row.table !== null && row.id !== null ? html`<a href=${linkTo(row.table, row.id)}>${row.name}</a>` : html`<b>${row.name}</b>`}
                <span class="muted">${withDates(row.text)}</span></span
              >
              ${fix(kind, row)}
            </li>`,
        )}
      </ul>
      ${more > 0 ? html`<p class="muted">${all ? html`<a href=${all}>${t`${count(more)} more`}</a>` : t`${count(more)} more`}</p>` : nothing}
    </section>`;
  };
  return card(
    t`Needs attention`,
    groups.length === 0
      ? html`<p class="muted">${t`Nothing. Everything that should run does.`}</p>`
      : html`<div class="needs-groups">${groups.map(show)}</div>`,
  );
};

export const endedCard = ({ ended }: Attention): TemplateResult | typeof nothing =>
  ended.length === 0
    ? nothing
    : card(
        t`Ended in the last three days`,
        html`<ul class="needs">
          ${ended.map(
            ({ line_item_id, name, ended_at, impressions, spend }) =>
              html`<li>
                <span
                  ><a href=${linkTo('line_items', line_item_id)}>${name}</a>
                  <span class="muted"
                    >${t`${counted(impressions, 'impression')}, ${money(spend)}; ended with ${date(showEndDate(Date.parse(ended_at)))}`}</span
                  ></span
                >
              </li>`,
          )}
        </ul>`,
      );

export const healthLine = ({ health }: Attention): TemplateResult =>
  html`<p class="muted" role="status">
    ${counted(health.replicas, 'replica runs', 'replicas run')}.
    ${health.counters ? t`Redis and Postgres answer.` : html`<b>${t`Redis does not answer: figures are as stored so far.`}</b>`}
    ${health.catalog_version === null ? t`The catalog is not loaded.` : t`This replica serves catalog ${health.catalog_version}.`}
  </p>`;
