import { html, type TemplateResult } from 'lit-html';
import { mayApprove } from '../api/inbox.ts';
import type { Page, View } from '../page.ts';
import { card, emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { address, table, unbroken, type Column } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { actorName } from '../words/actor-name.ts';
import { moment } from '../words/dates.ts';
import { approvalTitle, isMine, reasonsOf, STATE_WORDS, waitsForMe, type Approval } from './approval-words.ts';
import { t } from '../words/texts.ts';

/** As many as one answer has. */
const MAX_SHOWN = 200;
const MAX_DECIDED = 50;

/** Changes that a publisher lets a second person approve. */
export const openApprovals = (page: Page): View => {
  const open = createReading(page, (api) => api.get('/approvals', { state: 'open', limit: MAX_SHOWN }), { keep: true });
  const all = createReading(page, (api) => api.get('/approvals', { limit: MAX_SHOWN }), { keep: true });
  void page.inbox.load();

  const list = (caption: string, rows: readonly Approval[], columns: readonly Column<Approval>[]): TemplateResult =>
    table({ caption, rows, columns });
  const waiting = (rows: readonly Approval[]): TemplateResult => {
    const [mine, others] = [rows.filter((row) => isMine(page, row)), rows.filter((row) => !isMine(page, row))];
    const forMe = others.filter((row) => waitsForMe(page, row));
    const rest = others.filter((row) => !waitsForMe(page, row));
    return html`
      ${
        mayApprove(page.rights)
          ? card(t`Waits for you`, forMe.length === 0 ? emptyState(t`Nothing waits for you.`) : list(t`Waits for you`, forMe, OF_OTHERS))
          : html``
      }
      ${rest.length > 0 ? card(t`Waits for an approver`, list(t`Waits for an approver`, rest, OF_OTHERS)) : html``}
      ${card(t`You asked for`, mine.length === 0 ? html`<p class="muted">${t`None of your changes waits.`}</p>` : list(t`You asked for`, mine, OWN))}
    `;
  };
  const decided = (rows: readonly Approval[]): TemplateResult => {
    const past = rows.filter(({ state }) => state !== 'open').slice(0, MAX_DECIDED);
    return past.length === 0 ? html`` : card(t`Decided`, list(t`Decided`, past, DECIDED));
  };
  return {
    title: t`Approvals`,
    section: 'approvals',
    render: () => html`
      ${pageHead(t`Approvals`, t`Changes that need a second person, by what each publisher asks for. Pausing never waits.`)}
      ${open.render(waiting)} ${all.render(decided)}
    `,
  };
};

const WHAT: Column<Approval> = {
  label: t`Change`,
  prose: true,
  cell: (row) =>
    html`<a class="name" href=${hashOf(['approvals', row.id])}>${approvalTitle(row)}</a><br /><small>${reasonsOf(row).join(' ')}</small>`,
};
const NOTE: Column<Approval> = { label: t`Why`, prose: true, cell: ({ note }) => (note === '' ? '' : `“${note}”`) };
const BY: Column<Approval> = { label: t`Asked by`, cell: ({ proposed_by: by }) => address(actorName(by)) };
const UNTIL: Column<Approval> = { label: t`Until`, cell: ({ expires_at: at }) => unbroken(moment(at)) };
const OF_OTHERS: readonly Column<Approval>[] = [WHAT, NOTE, BY, UNTIL];
const OWN: readonly Column<Approval>[] = [WHAT, NOTE, UNTIL];
const DECIDED: readonly Column<Approval>[] = [
  WHAT,
  BY,
  {
    label: t`Decided`,
    cell: ({ state }) => {
      const [words, tone] = STATE_WORDS[state];
      return html`<span class="pill ${tone}">${words}</span>`;
    },
  },
  { label: t`By`, cell: ({ decided_by: by }) => address(actorName(by ?? '')) },
  { label: t`When`, cell: ({ decided_at: at, expires_at: end }) => unbroken(moment(at ?? end)) },
];
