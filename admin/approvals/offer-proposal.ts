import { html, nothing, type TemplateResult } from 'lit-html';
import type { Operation } from '../api/proposable.ts';
import { KINDS, type Problem } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { openDialog } from '../parts/dialogs.ts';
import { button } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { reasonWords } from './approval-words.ts';
import { t } from '../words/texts.ts';

const MAX_WORDS = 2_000;

const kindOf = (operation: Operation | undefined) => KINDS.find((kind) => kind === operation?.path.split('/')[1]);

/** Shows why a write needs a second person, and proposes it to one. Resolves to whether it was proposed. @param typed the note to begin with */
export const offerProposal = async (page: Page, problem: Problem, typed = ''): Promise<boolean> => {
  const { errors, proposable = [] } = problem;
  let note = typed;
  let fault: Problem | undefined;
  let isSending = false;
  const propose = async (close: () => void): Promise<void> => {
    if (isSending) return;
    isSending = true;
    const answer = await page.api.send('POST', '/approvals', { body: { operations: [...proposable], note: note.trim() } });
    isSending = false;
    if (!answer.ok) {
      fault = answer.problem;
      return dialog.redraw();
    }
    isProposed = true;
    close();
    void page.inbox.load();
    const hash = hashOf(['approvals', answer.value.id]);
    page.toast(t`It is proposed, and waits for a second person. Nothing is changed until then.`, {
      ...(page.rights.may('GET', '/approvals/{id}') && { action: { label: t`Look at it`, run: () => page.go(hash) } }),
    });
  };
  let isProposed = false;
  const reasons = [...new Set(errors.map((fault) => reasonWords(fault, (index) => kindOf(proposable[index]))))];
  const dialog = openDialog(
    t`A second person must approve this`,
    ({ close }): TemplateResult => html`
      <p>${t`Nothing is changed yet. The publisher asks for a second person, because:`}</p>
      <ul>
        ${reasons.map((reason) => html`<li>${reason}</li>`)}
      </ul>
      <label for="proposal-note">${t`Why, for who approves it`}</label>
      <textarea
        id="proposal-note"
        rows="3"
        maxlength=${MAX_WORDS}
        .value=${typed}
        placeholder=${t`Agreed with the customer for November`}
        @input=${(event: InputEvent) => (note = (event.target as HTMLTextAreaElement).value)}
      ></textarea>
      <div role="alert">
        ${fault ? html`<p class="note bad">${fault.detail}${fault.errors.map(({ detail }) => html` ${detail}.`)}</p>` : nothing}
      </div>
      <footer>${button(t`Cancel`, () => close(), 'secondary')} ${button(t`Propose it`, () => propose(close))}</footer>
    `,
  );
  await dialog.answered;
  return isProposed;
};
