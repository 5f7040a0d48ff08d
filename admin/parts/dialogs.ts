import { html, nothing, render, type TemplateResult } from 'lit-html';
import type { Question } from '../page.ts';
import { button } from './parts.ts';

/** Opens a dialog and resolves to the answer of its buttons, '' for Escape. The browser restores the focus. */
const ask = (
  title: string,
  content: (close: (answer: string) => void) => TemplateResult,
  buttons: (close: (answer: string) => void) => TemplateResult,
): Promise<string> =>
  new Promise((resolve) => {
    const dialog = document.createElement('dialog');
    const close = (answer: string): void => dialog.close(answer);
    dialog.setAttribute('aria-label', title);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    const article = html`<article>
      <h2>${title}</h2>
      ${content(close)}
      <footer>${buttons(close)}</footer>
    </article>`;
    render(article, dialog);
    document.body.append(dialog);
    dialog.showModal();
  });

const GO_AHEAD = 'yes';

export const askQuestion = async ({ title, text, yes, dangerous }: Question): Promise<boolean> => {
  const answer = await ask(
    title,
    () => html`<p>${text}</p>`,
    (close) =>
      html`<button type="button" class="secondary" autofocus @click=${() => close('')}>Cancel</button>
        ${button(yes, () => close(GO_AHEAD), dangerous ? 'danger' : '')}`,
  );
  return answer === GO_AHEAD;
};

/** The bearer token of the trafficking API, or undefined. */
export const askToken = async (refused: boolean): Promise<string | undefined> => {
  let typed = '';
  const answer = await ask(
    'Sign in',
    (close) =>
      html`<p>
          ${refused ? 'That token was not accepted.' : 'This service requires its admin token (ADMIN_TOKEN).'} It is kept until this tab is
          closed.
        </p>
        <label for="admin-token">Admin token</label>
        <input
          id="admin-token"
          type="password"
          autocomplete="off"
          autofocus
          aria-invalid=${refused ? 'true' : nothing}
          @input=${(event: InputEvent) => (typed = (event.target as HTMLInputElement).value.trim())}
          @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && close(GO_AHEAD)}
        />`,
    (close) => html`${button('Cancel', () => close(''), 'secondary')}${button('Sign in', () => close(GO_AHEAD))}`,
  );
  return answer === GO_AHEAD && typed !== '' ? typed : undefined;
};

/** Shows an API key, once. */
export const showApiKey = (publisher: string, key: string): Promise<string> =>
  showSecret(
    `The API key of ${publisher}`,
    html`<p>Copy it now: it is stored as a hash and cannot be shown again. Pages send it as <code>X-API-Key</code>.</p>`,
    html`<code id="api-key">${key}</code>`,
    key,
  );

/** Shows a link that is not stored, once. */
export const showDebugLink = (publisher: string, url: string, expires: string): Promise<string> =>
  showSecret(
    `Debug link of ${publisher}`,
    html`<p>
      Ad requests that are sent to this address get the whole trace, with prices and priorities, until ${expires} UTC. Give it only to
      people who may see the figures of this publisher.
    </p>`,
    html`<code id="debug-link">${url}</code>`,
    url,
  );

const showSecret = (title: string, words: TemplateResult, shown: TemplateResult, secret: string): Promise<string> =>
  ask(
    title,
    () =>
      html`${words}
        <div class="secret">${shown}</div>`,
    (close) =>
      html`${button('Copy', () => navigator.clipboard?.writeText(secret), 'secondary')}
        <button type="button" autofocus @click=${() => close('')}>I have copied it</button>`,
  );
