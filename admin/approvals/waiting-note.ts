import { html, type TemplateResult } from 'lit-html';
import type { Kind } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { hashOf } from '../route.ts';
import { actorName } from '../words/actor-name.ts';
import { moment } from '../words/dates.ts';
import { nameInHistory, NAMES } from '../words/kinds.ts';
import { isMine, reasonsOf, waitsForMe, type Approval } from './approval-words.ts';
import { t } from '../words/texts.ts';

/** Proposals that wait are of these kinds. */
const PROPOSED: readonly Kind[] = ['campaigns', 'line_items', 'creatives'];

/** On the screen of a record: the proposals to change it that wait for a second person. Nothing until they are read. */
export const createWaitingNote = (page: Page, kind: Kind, id: string | number): (() => readonly TemplateResult[]) => {
  let rows: readonly Approval[] = [];
  const entity = nameInHistory(kind);
  if (PROPOSED.includes(kind) && page.rights.may('GET', '/approvals'))
    void page.api.get('/approvals', { state: 'open', entity, entity_id: id }).then((answer) => {
      if (answer.ok) rows = answer.value;
      page.redraw();
    });
  return () => rows.map((row) => note(page, kind, row));
};

const note = (page: Page, kind: Kind, approval: Approval): TemplateResult =>
  html`<div class="note warn waiting-note">
    <strong>${t`A change of this ${NAMES[kind].one} waits for a second person.`}</strong>
    <p>
      ${t`${isMine(page, approval) ? t`You asked for it` : t`${actorName(approval.proposed_by)} asked for it`} on ${moment(approval.proposed_at)}.
      ${reasonsOf(approval).join(' ')}`}
      <a href=${hashOf(['approvals', approval.id])}>${waitsForMe(page, approval) ? t`Look at it, and decide` : t`Look at it`}</a>
    </p>
  </div>`;
