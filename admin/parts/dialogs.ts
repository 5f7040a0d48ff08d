import { html, nothing, render, type TemplateResult } from 'lit-html';
import type { Choice, Question } from '../page.ts';
import { button } from './parts.ts';
import { rich, t } from '../words/texts.ts';

export interface OpenDialog {
  redraw(): void;
  close(answer?: string): void;
  /** The answer; '' for Escape. */
  readonly answered: Promise<string>;
}

/** Opens a dialog. The browser restores the focus when it is closed. */
export const openDialog = (title: string, content: (dialog: Pick<OpenDialog, 'close'>) => TemplateResult): OpenDialog => {
  const dialog = document.createElement('dialog');
  const close = (answer = ''): void => dialog.close(answer);
  const redraw = (): void => {
    const article = html`<article>
      <h2>${title}</h2>
      ${content({ close })}
    </article>`;
    render(article, dialog);
  };
  dialog.setAttribute('aria-label', title);
  const answered = new Promise<string>((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
  redraw();
  document.body.append(dialog);
  dialog.showModal();
  return { redraw, close, answered };
};

/** Opens a dialog and resolves to the answer of its buttons. */
const ask = (
  title: string,
  content: (close: (answer: string) => void) => TemplateResult,
  buttons: (close: (answer: string) => void) => TemplateResult,
): Promise<string> =>
  openDialog(
    title,
    ({ close }) =>
      html`${content(close)}
        <footer>${buttons(close)}</footer>`,
  ).answered;

const GO_AHEAD = 'yes';

export const askQuestion = async ({ title, text, yes, dangerous }: Question): Promise<boolean> => {
  const answer = await ask(
    title,
    () => html`<p>${text}</p>`,
    (close) =>
      html`<button type="button" class="secondary" autofocus @click=${() => close('')}>${t`Cancel`}</button>
        ${button(yes, () => close(GO_AHEAD), dangerous ? 'danger' : '')}`,
  );
  return answer === GO_AHEAD;
};

/** The value of what is chosen; '': nothing. */
export const askChoice = (title: string, choices: readonly Choice[]): Promise<string> =>
  ask(
    title,
    (close) =>
      choices.length === 0
        ? html`<p>${t`There is none yet.`}</p>`
        : html`<div class="choices">
            ${choices.map(({ value, shown }) => html`<button type="button" class="quiet" @click=${() => close(value)}>${shown}</button>`)}
          </div>`,
    (close) => button(t`Cancel`, () => close(''), 'secondary'),
  );

/** Asks a person whose session has ended to sign in elsewhere, so that nothing on the page is lost. @returns whether to try again */
export const askSignIn = async (address: string): Promise<boolean> => {
  const answer = await ask(
    t`You are signed out`,
    () =>
      html`<p>${t`Your session has ended. Nothing on this page is lost: sign in in another tab, then try again here.`}</p>
        <p><a href=${address} target="_blank" rel="noreferrer">${t`Sign in in another tab`}</a></p>`,
    (close) =>
      html`${button(t`Cancel`, () => close(''), 'secondary')}<button type="button" autofocus @click=${() => close(GO_AHEAD)}>
          ${t`Try again`}
        </button>`,
  );
  return answer === GO_AHEAD;
};

/** Shows an API key, once. */
export const showApiKey = (publisher: string, key: string): Promise<string> =>
  showSecret(
    t`The API key of ${publisher}`,
    html`<p>${t`Copy it now: it is stored as a hash and cannot be shown again. Pages send it as`} <code>X-API-Key</code>.</p>`,
    html`<code id="api-key">${key}</code>`,
    key,
  );

/** Shows a link that is not stored, once. `request`: the address of ad requests with the same grant. */
export const showDebugLink = (publisher: string, { page, request }: DebugLink, expires: string): Promise<string> =>
  showSecret(
    t`Debug link of ${publisher}`,
    html`<p>
        ${rich`The page explains each of its ads, with prices and priorities, until ${expires}. The part from ${html`<code>#</code>`} works on every page of the publisher. Give it only to people who may see the figures of this publisher.`}
      </p>
      <p><a href=${page} target="_blank" rel="noreferrer">${t`Open the page`}</a></p>`,
    html`<code id="debug-link">${page}</code>`,
    page,
    html`<details>
      <summary>${t`For requests by a program`}</summary>
      <p>${rich`The answer of ${html`<code>POST</code>`} to this address has the whole trace:`}</p>
      <div class="secret"><code id="debug-request">${request}</code></div>
    </details>`,
  );

/** Shows a link for outsiders, which is not stored. @param words what it shows, and the label of the way there */
export const showSharedLink = (url: string, words: { readonly text: string; readonly open: string }): Promise<string> =>
  showSecret(
    t`The link is ready`,
    html`<p>${words.text}</p>
      <p><a href=${url} target="_blank" rel="noreferrer">${words.open}</a></p>`,
    html`<code id="shared-link">${url}</code>`,
    url,
  );

/** Shows the link by which a person chooses a password, once. */
export const showPersonLink = (
  person: string,
  { link, mailed, expires }: { readonly link: string; readonly mailed: boolean; readonly expires: string },
): Promise<string> =>
  showSecret(
    t`The link for ${person}`,
    html`<p>
      ${t`${mailed ? t`It was mailed to them as well.` : t`Send it to them yourself: it was not mailed.`} They choose a password with it, once,
      until ${expires}. It is not shown again; a new link ends this one.`}
    </p>`,
    html`<code id="person-link">${link}</code>`,
    link,
  );

/** Shows an API token, once. */
export const showApiToken = (name: string, token: string): Promise<string> =>
  showSecret(
    t`The token “${name}”`,
    html`<p>
      ${t`Copy it now: it is stored as a hash and cannot be shown again. Programs send it as`} <code>Authorization: Bearer</code>.
    </p>`,
    html`<code id="api-token">${token}</code>`,
    token,
  );

/** Shows the secret that signs the calls of a webhook, once. */
export const showWebhookSecret = (secret: string, header: string): Promise<string> =>
  showSecret(
    t`The secret of the webhook`,
    html`<p>${rich`Copy it now: it cannot be shown again. The receiver checks ${html`<code>${header}</code>`} with it.`}</p>`,
    html`<code id="webhook-secret">${secret}</code>`,
    secret,
  );

export interface DebugLink {
  readonly page: string;
  readonly request: string;
}

const showSecret = (
  title: string,
  words: TemplateResult,
  shown: TemplateResult,
  secret: string,
  more: TemplateResult | typeof nothing = nothing,
): Promise<string> =>
  ask(
    title,
    () =>
      html`${words}
        <div class="secret">${shown}</div>
        ${more}`,
    (close) =>
      html`${button(t`Copy`, () => navigator.clipboard?.writeText(secret), 'secondary')}
        <button type="button" autofocus @click=${() => close('')}>${t`I have copied it`}</button>`,
  );
