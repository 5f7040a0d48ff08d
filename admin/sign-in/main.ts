import '../words/load-messages.ts';
import { html, nothing, render } from 'lit-html';
import { askAuth, type SignInMethods } from '../api/auth.ts';
import type { Problem } from '../api/wire.ts';
import { button, loading } from '../parts/parts.ts';
import { problemWords, providerWords } from '../words/sign-in-words.ts';
import { openLink } from './link-step.ts';
import { passwordStep } from './password-step.ts';
import { textStep, type SignInPage, type Step } from './sign-in-page.ts';
import { tokenStep } from './token-step.ts';
import { t } from '../words/texts.ts';

const root = document.getElementById('app') as HTMLElement;
const TOOL = 'admin.html';

let step: Step = { title: t`Sign in`, render: loading };

const draw = (): void => {
  render(
    html`<main class="sign-in" id="main">
      <p class="brand"><span class="brand-mark" aria-hidden="true">◧</span><span>${t`Ad server`}</span></p>
      <section class="card">
        <h1 tabindex="-1">${step.title}</h1>
        ${step.render()}
      </section>
    </main>`,
    root,
  );
  document.title = t`${step.title} · Ad server`;
};

const open = (next: Step): void => {
  step = next;
  // The inputs of the step before are not those of the next one.
  render(nothing, root);
  draw();
  const input = root.querySelector<HTMLElement>('form input:not([readonly])');
  (input ?? root.querySelector<HTMLElement>('h1'))?.focus();
};

/** Only screens of the tool: what is behind # cannot lead elsewhere. */
const wanted = (): string => {
  const to = new URLSearchParams(location.search).get('to') ?? '';
  return to.startsWith('#/') ? to : '';
};

const pageWith = (methods: SignInMethods): SignInPage => {
  const page: SignInPage = {
    methods,
    to: wanted(),
    redraw: draw,
    open,
    start: (note) => open(firstStep(page, note)),
    leave: () => location.replace(TOOL + wanted()),
  };
  return page;
};

const firstStep = (page: SignInPage, note?: string): Step => {
  const { required, accounts, providers } = page.methods;
  if (!required) return openStep(page);
  if (!accounts && providers.length === 0) return tokenStep(page);
  const { title, render: form } = passwordStep(page, note);
  return {
    title,
    render: () => html`
      ${form()}
      <footer>${button(t`Use a token instead`, () => page.open(tokenStep(page)), 'quiet')}</footer>
    `,
  };
};

/** The tool needs no sign-in yet. */
const openStep = ({ methods, to }: SignInPage): Step => ({
  title: t`No sign-in is needed`,
  render: () => html`
    <p>${t`Everyone who reaches this service may use it${methods.accounts ? t`, until there is an account` : ''}.`}</p>
    ${
      methods.accounts
        ? html`<p>
            ${t`Where it was started, it has printed a link that makes the first administrator. Starting it again prints a new one.`}
          </p>`
        : nothing
    }
    <a role="button" href=${TOOL + to}>${t`Open the ad server`}</a>
  `,
});

const failedStep = (problem: Problem): Step =>
  textStep(t`Not available`, problemWords(problem), () => button(t`Try again`, () => void start(), 'secondary'));

const start = async (): Promise<void> => {
  open({ title: t`Sign in`, render: loading });
  const methods = await askAuth('GET', '/auth/methods');
  if (!methods.ok) return open(failedStep(methods.problem));
  const page = pageWith(methods.value);
  const secret = location.hash.slice(1);
  const problem = providerWords(new URLSearchParams(location.search).get('problem') ?? '');
  open(secret === '' ? firstStep(page, problem) : await openLink(page, secret));
};

// Another link, opened in the same tab.
window.addEventListener('hashchange', () => void start());

void start();
