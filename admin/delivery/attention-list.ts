import { html, nothing, type TemplateResult } from 'lit-html';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import type { Attention, AttentionGroup, AttentionKind, AttentionRow } from '../../src/delivery/attention/attention.ts';
import { mayJudge, patchRecord, setStatus } from '../bookings/actions.ts';
import { applyRemedy } from '../forecast/apply-remedy.ts';
import { about, remedyWords } from '../forecast/forecast-words.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { withDates } from '../words/dates.ts';
import { count, money } from '../words/formats.ts';
import { linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

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
  will_miss: { title: t`Will miss its goal`, all: hashOf(['alerts']) },
  complaints: { title: t`Complaints about creatives`, all: hashOf(['complaints']) },
  not_played: { title: t`Videos that players do not play` },
  pending_creatives: { title: t`Creatives to approve`, all: hashOf(['creatives'], { q: 'pending' }) },
  ends_soon: { title: t`Ends soon` },
  quarantined: { title: t`Rows that are set aside` },
  rebuilding: { title: t`Counters being rebuilt` },
  drift: { title: t`Counts that differed` },
  dead_events: { title: t`Events that cannot be stored` },
};

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
  /** Does what a forecast says would help most. */
  const help = async (id: number, remedy: NonNullable<AttentionRow['remedy']>): Promise<void> => {
    const fault = await page.store.ensure('line_items', id);
    const item = page.store.find('line_items', id);
    if (fault) return page.complain(fault);
    if (item) await applyRemedy(page, item, remedy, () => void reload());
  };
  const fix = (kind: AttentionKind, { table, id, remedy }: AttentionRow): TemplateResult | typeof nothing => {
    if (table === null || id === null) return nothing;
    const { rights } = page;
    const mayChange = rights.may('PATCH', '/line_items/{id}');
    const link = (label: string, hash: string) => html`<a role="button" class="secondary" href=${hash}>${label}</a>`;
    switch (kind) {
      case 'outranked':
        return mayChange ? button(t`Rank it higher`, () => helpOutranked(id), 'secondary') : link(t`See why`, linkTo('line_items', id));
      case 'will_miss':
        return remedy && rights.may('POST', '/bookings')
          ? button(t`${remedyWords(remedy)}: ${about(remedy.p50)}`, () => help(id, remedy), 'secondary')
          : link(t`See why`, linkTo('line_items', id));
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
  const [byMoney, others] = [groups.filter(({ kind }) => BY_MONEY.includes(kind)), groups.filter(({ kind }) => !BY_MONEY.includes(kind))];
  return card(
    t`Needs attention`,
    groups.length === 0
      ? html`<p class="muted">${t`Nothing. Everything that should run does.`}</p>`
      : html`${moneyList(byMoney, fix)}
          <div class="needs-groups">${others.map(show)}</div>`,
  );
};

/** Line items that bring less than what was agreed if they go on like this. */
const BY_MONEY: readonly AttentionKind[] = ['cannot_serve', 'behind', 'limited', 'outranked', 'will_miss'];
const MAX_BY_MONEY = 10;

/** One list, ordered by what is at stake, each with its remedy. */
const moneyList = (
  groups: readonly AttentionGroup[],
  fix: (kind: AttentionKind, row: AttentionRow) => TemplateResult | typeof nothing,
): TemplateResult | typeof nothing => {
  if (groups.length === 0) return nothing;
  const rows = groups.flatMap(({ kind, rows: of }) => of.map((row) => ({ kind, row })));
  const shown = rows.toSorted((a, b) => byAmount(a.row, b.row)).slice(0, MAX_BY_MONEY);
  const sums = new Map<string, number>();
  for (const { at_risk: risks } of groups) for (const { currency, amount } of risks) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const sum = Array.from(sums, ([currency, amount]) => money(amount, currency)).join(' + ');
  return html`<section class="needs-money">
    <p class="needs-sum"><b>${t`${sum} at risk`}</b> <span class="muted">${t`if it goes on like this`}</span></p>
    <p class="status-counts">
      ${groups.map(({ kind, total }) => html`<a href=${WORDS[kind].all ?? hashOf(['line_items'], { q: 'behind' })}>${WORDS[kind].title} ${count(total)}</a>`)}
    </p>
    <ul class="needs">
      ${shown.map(
        ({ kind, row }) =>
          html`<li>
            <span class="needs-risk"
              ><b>${row.at_risk === null ? '–' : money(row.at_risk, row.currency ?? 'USD')}</b
              ><span class="muted">${row.ends_at === null ? '' : daysTo(row.ends_at)}</span></span
            >
            <span
              >${row.table !== null && row.id !== null ? html`<a href=${linkTo(row.table, row.id)}>${row.name}</a>` : html`<b>${row.name}</b>`}
              <span class="muted">${withDates(row.text)}</span></span
            >
            ${fix(kind, row)}
          </li>`,
      )}
    </ul>
  </section>`;
};

/** Amounts are compared within their currency. */
const byAmount = (a: AttentionRow, b: AttentionRow): number =>
  (a.currency ?? '').localeCompare(b.currency ?? '') || (b.at_risk ?? 0) - (a.at_risk ?? 0);

const daysTo = (end: string): string => t`in ${count(Math.max(0, Math.ceil((Date.parse(end) - Date.now()) / MS_PER_DAY)))} days`;
