import { html, nothing, type TemplateResult } from 'lit-html';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import type { Attention, AttentionGroup, AttentionKind, AttentionRow } from '../../src/delivery/attention/attention.ts';
import type { DeliveryStatus } from '../../src/decision/no-bid-reason.ts';
import { mayJudge, patchRecord, setStatus } from '../bookings/actions.ts';
import { BY_MONEY } from '../../src/delivery/at-stake/attention-words.ts';
import { byMoney, type ByMoney } from '../../src/delivery/at-stake/by-money.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { ATTENTION_WORDS } from '../words/choice-words.ts';
import { daysAhead, withDates } from '../words/dates.ts';
import { count, money } from '../words/formats.ts';
import { linkTo } from '../words/kinds.ts';
import type { RowRemedies } from './row-remedies.ts';
import { t } from '../words/texts.ts';

/** Rows of a group, so that all groups are seen together. */
const MAX_SHOWN = 5;
/** Of a flight that ends later, the end is not near. */
const MAX_DAYS_AHEAD = 366;

/** Of line items whose end can still be moved. */
const IN_FLIGHT: readonly DeliveryStatus[] = ['cannot serve', 'capped', 'outranked', 'held back', 'behind', 'ahead', 'delivering', 'ready'];

/** Where all of a group are seen. */
const ALL: Readonly<Partial<Record<AttentionKind, string>>> = {
  cannot_serve: hashOf(['line_items'], { q: 'cannot serve' }),
  behind: hashOf(['line_items'], { q: 'behind' }),
  limited: hashOf(['line_items'], { q: 'behind' }),
  outranked: hashOf(['line_items'], { q: 'outranked' }),
  will_miss: hashOf(['alerts']),
  ends_soon: hashOf(['line_items'], { status: IN_FLIGHT.join(','), sort: 'end_date' }),
  complaints: hashOf(['complaints']),
  pending_creatives: hashOf(['creatives'], { q: 'pending' }),
};

/** What needs attention, each with what can be done about it. */
export const attentionCard = (page: Page, { groups }: Attention, remedies: RowRemedies, reload: () => Promise<void>): TemplateResult => {
  /** What would have helped against the most frequent refusal; undefined: nothing that one click does. */
  const helpOutranked = async (id: number): Promise<void> => {
    const answer = await page.api.get('/line_items/{id}/refusals', { id });
    if (!answer.ok) return page.complain(answer.problem);
    const remedy = answer.value.reasons.find(({ reason }) => reason === 'outranked')?.remedy;
    if (!remedy) return page.go(linkTo('line_items', id));
    const sure = await page.confirm({ title: `${remedy.label}?`, text: t`It applies to the next requests.`, yes: t`Change it` });
    if (sure && (await patchRecord(page, remedy.table, remedy.id, remedy.patch, t`${remedy.label}: done.`))) await reload();
  };
  const fix = (kind: AttentionKind, row: AttentionRow): TemplateResult | typeof nothing => {
    const { table, id, remedy } = row;
    if (table === null || id === null) return nothing;
    const { rights } = page;
    const mayHelp = rights.may('POST', '/bookings') && rights.may('POST', '/forecasts');
    const mayChange = rights.may('PATCH', '/line_items/{id}');
    const link = (label: string, hash: string) => html`<a role="button" class="secondary" href=${hash}>${label}</a>`;
    switch (kind) {
      case 'behind':
      case 'limited':
      case 'will_miss':
        return mayHelp ? remedies.actions({ ...row, id }) : link(t`See why`, linkTo('line_items', id));
      case 'outranked':
        if (remedy && mayHelp) return remedies.actions({ ...row, id });
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
    const { title } = ATTENTION_WORDS[kind];
    const all = ALL[kind];
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
  const others = groups.filter(({ kind }) => !BY_MONEY.includes(kind));
  return card(
    t`Needs attention`,
    groups.length === 0
      ? html`<p class="muted">${t`Nothing. Everything that should run does.`}</p>`
      : html`${moneyList(byMoney(groups), fix, remedies)}
          <div class="needs-groups">${others.map(show)}</div>`,
  );
};

/** One list, ordered by what is at stake, each with its remedy. */
const moneyList = (
  { groups, sums, rows }: ByMoney,
  fix: (kind: AttentionKind, row: AttentionRow) => TemplateResult | typeof nothing,
  remedies: RowRemedies,
): TemplateResult | typeof nothing => {
  if (groups.length === 0) return nothing;
  const sum = sums.map(({ currency, amount }) => money(amount, currency)).join(' + ');
  return html`<section class="needs-money">
    ${sums.some(({ amount }) => amount > 0) ? html`<p class="needs-sum"><b>${t`${sum} at risk`}</b> <span class="muted">${t`if it goes on like this`}</span></p>` : nothing}
    <ul class="needs">
      ${rows.map(
        ({ kind, row }) =>
          html`<li>
            <span class="needs-risk"
              ><b>${row.at_risk === null ? '–' : money(row.at_risk, row.currency ?? 'USD')}</b
              ><span class="muted">${row.ends_at === null ? '' : lastDay(row.ends_at)}</span></span
            >
            <span
              >${row.table !== null && row.id !== null ? html`<a href=${linkTo(row.table, row.id)}>${row.name}</a>` : html`<b>${row.name}</b>`}
              <span class="muted">${withDates(row.text)}</span></span
            >
            ${fix(kind, row)} ${remedies.below(row)}
          </li>`,
      )}
    </ul>
    <p class="status-counts">
      ${t`All of them:`} ${groups.map(({ kind, total }) => html`<a href=${ALL[kind]}>${ATTENTION_WORDS[kind].title} ${count(total)}</a>`)}
    </p>
    <p class="list-keys help">${t`j and k lead through the rows, Enter opens one, h shows what helps, u takes back what was done.`}</p>
  </section>`;
};

/** When the last day of a flight is; '': it goes on for years. */
const lastDay = (end: string): string => {
  const days = Math.ceil((Date.parse(end) - Date.now()) / MS_PER_DAY) - 1;
  return days > MAX_DAYS_AHEAD ? '' : daysAhead(days);
};
