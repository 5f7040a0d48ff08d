import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answer, Problem } from '../api/wire.ts';
import { PARENTS } from '../bookings/forms/entity-fields.ts';
import { listOf } from '../bookings/forms/typed-text.ts';
import type { Page, View } from '../page.ts';
import { openDialog } from '../parts/dialogs.ts';
import { button, card, crumbs, emptyState, pageHead, problemNote } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { actorName } from '../words/actor-name.ts';
import { moment } from '../words/dates.ts';
import { kindNamed, linkTo } from '../words/kinds.ts';
import {
  approvalTitle,
  changeFields,
  changeTitle,
  closedMonth,
  isMine,
  reasonsOf,
  STATE_WORDS,
  waitsForMe,
  type Approval,
  type ProposedChange,
} from './approval-words.ts';
import { say, t } from '../words/texts.ts';

const BACK = hashOf(['approvals']);
const MAX_WORDS = 2_000;
const NOTHING_MADE = t`What is booked has changed since it was proposed. Nothing was changed now: send it back, with words.`;

/** One proposed change, and its decision. */
export const openApproval = async (page: Page, id: number): Promise<View> => {
  const read = await page.api.get('/approvals/{id}', { id });
  if (!read.ok) {
    const { problem } = read;
    const rest =
      problem.status === 404
        ? emptyState(t`This proposal does not exist.`, { text: '', label: t`All approvals`, hash: BACK })
        : problemNote(problem);
    return {
      title: t`Proposal`,
      section: 'approvals',
      render: () => html`${crumbs([[BACK, t`Approvals`]], t`Proposal`)}${pageHead(t`Proposal`, '')}${rest}`,
    };
  }
  await readParents(page, read.value);
  let approval = read.value;

  let refusal: Problem | undefined;
  const decided = async (answer: Answer<Approval>, done: string): Promise<void> => {
    refusal = answer.ok || answer.problem.errors.length === 0 ? undefined : answer.problem;
    if (refusal) return page.redraw();
    if (!answer.ok) return page.complain(answer.problem);
    approval = answer.value;
    page.toast(done);
    page.redraw();
    await Promise.all([page.inbox.load(), page.store.refresh()]);
  };
  const approve = async (): Promise<void> => {
    const words = await askWords(t`Approve this change?`, t`It is made now, as it is shown here.`, t`Approve`, false);
    if (words !== undefined)
      await decided(await page.api.send('POST', '/approvals/{id}/approve', { id, body: { words } }), t`It is approved, and made.`);
  };
  const sendBack = async (): Promise<void> => {
    const words = await askWords(t`Send it back?`, t`Nothing is changed. Say what should be different.`, t`Send it back`, true);
    if (words !== undefined)
      await decided(await page.api.send('POST', '/approvals/{id}/send_back', { id, body: { words } }), t`It is sent back.`);
  };
  const withdraw = async (): Promise<void> => decided(await page.api.send('POST', '/approvals/{id}/withdraw', { id }), t`It is withdrawn.`);

  const actions = (): TemplateResult | typeof nothing => {
    if (approval.state !== 'open') return nothing;
    if (isMine(page, approval)) return button(t`Withdraw`, withdraw, 'secondary');
    return waitsForMe(page, approval) ? html`${button(t`Send back`, sendBack, 'secondary')} ${button(t`Approve`, approve)}` : nothing;
  };
  return {
    title: approvalTitle(approval),
    section: 'approvals',
    render: () => html`
      ${crumbs([[BACK, t`Approvals`]], approvalTitle(approval))} ${pageHead(approvalTitle(approval), askedWords(approval), actions())}
      ${refusal ? problemNote({ ...refusal, title: t`It cannot be made any more`, detail: NOTHING_MADE }, faultsOf(refusal)) : nothing}
      ${stateNote(approval)}
      ${card(
        t`Why it needs a second person`,
        html`<ul>
            ${reasonsOf(approval).map((reason) => html`<li>${reason}</li>`)}
          </ul>
          ${approval.note === '' ? html`<p class="muted">${t`No reason was given.`}</p>` : html`<p>${actorName(approval.proposed_by)}: “${approval.note}”</p>`}`,
      )}
      ${approval.changes.map((change) => changeCard(page, change))}
    `,
  };
};

/** The records that the changes name: publishers, campaigns, placements. */
const readParents = async ({ store }: Page, { changes }: Approval): Promise<void> => {
  for (const { entity, before, after } of changes) {
    const kind = kindNamed(entity);
    for (const { field, parent } of kind ? PARENTS[kind] : [])
      await store.ensure(parent, ...[before, after].flatMap((record) => listOf(record?.[field])).filter((one) => one !== ''));
  }
};

const askedWords = ({ proposed_by: by, proposed_at: at, state, expires_at: until }: Approval): string =>
  t`Asked by ${actorName(by)} on ${moment(at)}${state === 'open' ? t`. It waits until ${moment(until)}` : ''}.`;

/** The same fault of several fields is said once. */
const faultsOf = ({ errors }: Problem): readonly string[] => [...new Set(errors.map(({ detail }) => say(detail)))];

const stateNote = ({ state, decided_by: by, decided_at: at, words }: Approval): TemplateResult | typeof nothing => {
  if (state === 'open') return nothing;
  const [shown, tone] = STATE_WORDS[state];
  const whose =
    state === 'expired'
      ? t`It was not decided in time. Propose it again if it is still wanted.`
      : t`By ${actorName(by ?? '')} on ${moment(at ?? '')}.`;
  return html`<div class="note decision">
    <p><span class="pill ${tone}">${shown}</span> ${whose}</p>
    ${words === null ? nothing : html`<p>“${words}”</p>`}
  </div>`;
};

const changeCard = (page: Page, change: ProposedChange): TemplateResult => {
  const month = closedMonth(change);
  if (month !== undefined) {
    const statement = hashOf(['finance'], { publisher_id: change.id, month });
    const link = html`<a href=${statement}>${t`Its statement`}</a>`;
    return card(changeTitle(change), html`<p>${t`The figures stay as they are then. A closed month cannot be opened again.`}</p>`, link);
  }
  const kind = kindNamed(change.entity);
  const link = kind && change.id !== null ? html`<a href=${linkTo(kind, change.id)}>${t`Open it`}</a>` : nothing;
  const rows = changeFields(page, change);
  const isNew = change.before === null;
  return card(
    changeTitle(change),
    change.after === null
      ? html`<p>${t`It is deleted.`}</p>`
      : rows.length === 0
        ? html`<p class="muted">${t`No field of its form changes.`}</p>`
        : table({
            caption: changeTitle(change),
            rows,
            columns: [
              { label: t`Field`, cell: ({ label }) => html`<strong>${label}</strong>` },
              ...(isNew ? [] : [{ label: t`Now`, prose: true, cell: ({ before }: (typeof rows)[number]) => before }]),
              { label: isNew ? t`Value` : t`Proposed`, prose: true, cell: ({ after }) => after },
            ],
          }),
    link,
  );
};

/** Words with a decision; undefined: it is not made. */
const askWords = async (title: string, text: string, yes: string, isNeeded: boolean): Promise<string | undefined> => {
  let words = '';
  let isMissing = false;
  const go = (close: (answer?: string) => void): void => {
    isMissing = isNeeded && words.trim() === '';
    if (!isMissing) return close(yes);
    dialog.redraw();
    document.getElementById('decision-words')?.focus();
  };
  const dialog = openDialog(
    title,
    ({ close }) => html`
      <p>${text}</p>
      <label for="decision-words">${isNeeded ? t`What should be different` : t`A word to who asked, if you like`}</label>
      <textarea
        id="decision-words"
        rows="3"
        maxlength=${MAX_WORDS}
        aria-invalid=${isMissing ? 'true' : nothing}
        aria-describedby="decision-fault"
        @input=${(event: InputEvent) => (words = (event.target as HTMLTextAreaElement).value)}
      ></textarea>
      <div class="field-faults" id="decision-fault" role="alert">
        ${isMissing ? html`<p>${t`Say why, so that it can be corrected.`}</p>` : nothing}
      </div>
      <footer>${button(t`Cancel`, () => close(), 'secondary')} ${button(yes, () => go(close))}</footer>
    `,
  );
  return (await dialog.answered) === yes ? words.trim() : undefined;
};
