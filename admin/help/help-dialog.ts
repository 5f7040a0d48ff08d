import { html, nothing, type TemplateResult } from 'lit-html';
import { input } from '../parts/fields/input.ts';
import { openDialog, type OpenDialog } from '../parts/dialogs.ts';
import { button } from '../parts/parts.ts';
import { t } from '../words/texts.ts';
import { HELP_QUESTIONS, type HelpQuestion } from './questions.ts';

/**
 * Answers the questions that people have at a screen, and finds the others.
 * @param section the screen that is open
 * @param asked the question whose answer is shown; undefined: none yet
 */
export const openHelp = (section: string, asked?: string): void => {
  if (document.querySelector('dialog[open]')) return;
  let typed = '';
  const one = ({ id, question, answer, doc }: HelpQuestion): TemplateResult =>
    html`<details name="help" ?open=${id === asked}>
      <summary>${question}</summary>
      <p>${answer} <a href="docs/${doc}" target="_blank" rel="noopener">${t`Read more`}</a></p>
    </details>`;
  const list = (title: string, questions: readonly HelpQuestion[]): TemplateResult | typeof nothing =>
    questions.length === 0
      ? nothing
      : html`<section>
          <h3>${title}</h3>
          ${questions.map(one)}
        </section>`;
  const lists = (): TemplateResult => {
    const words = typed.trim().toLowerCase();
    const found = HELP_QUESTIONS.filter(({ question, answer }) => `${question} ${answer}`.toLowerCase().includes(words));
    const here = found.filter(({ id, about }) => id === asked || about.includes(section));
    return html`${list(t`On this screen`, here)}
    ${list(
      t`Other questions`,
      found.filter((each) => !here.includes(each)),
    )}
    ${found.length === 0 ? html`<p class="muted">${t`No question has these words. The documents have a search of their own.`}</p>` : nothing}`;
  };
  const dialog: OpenDialog = openDialog(
    t`Help`,
    ({ close }) =>
      html`<div class="help-questions">
        ${input({
          type: 'search',
          label: t`Find a question`,
          placeholder: t`Find a question …`,
          value: typed,
          onInput: (text) => {
            typed = text;
            dialog.redraw();
          },
        })}
        ${lists()}
        <footer>
          <a role="button" class="secondary" href="docs/" target="_blank" rel="noopener">${t`All documents`}</a>
          ${button(t`Close`, () => close())}
        </footer>
      </div>`,
  );
};
