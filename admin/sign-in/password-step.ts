import { html, nothing, type TemplateResult } from 'lit-html';
import { askAuth } from '../api/auth.ts';
import { hasPasskeys, signByPasskey } from '../api/passkeys.ts';
import { button } from '../parts/parts.ts';
import { EMAIL } from '../words/password-fields.ts';
import { problemWords } from '../words/sign-in-words.ts';
import { resetStep } from './reset-step.ts';
import { createTypedForm, type Typed } from '../parts/typed-form.ts';
import { textStep, type SignInPage, type Step } from './sign-in-page.ts';
import { t } from '../words/texts.ts';

/** Sign in by e-mail address and password, or at a provider. @param note said above it */
export const passwordStep = (page: SignInPage, note?: string): Step => {
  const { methods, to, redraw } = page;
  const form = createTypedForm({
    redraw,
    fields: [EMAIL, { name: 'password', label: t`Password`, type: 'password', autocomplete: 'current-password' }],
    submit: t`Sign in`,
    send: ({ email = '', password = '' }) => askAuth('POST', '/auth/sign_in', { email: email.trim(), password, code: '' }),
    onSent: page.leave,
    onProblem: (problem, typed) => {
      if (problem.code !== 'code_required') return problemWords(problem);
      page.open(codeStep(page, typed));
      return undefined;
    },
    more: () => button(t`Forgot your password?`, () => page.open(resetStep(page)), 'quiet'),
  });
  const providers = methods.providers.map(
    ({ id, name }) =>
      html`<a role="button" class="secondary" href="/auth/login?${new URLSearchParams({ provider: id, to }).toString()}"
        >${t`Sign in with ${name}`}</a
      >`,
  );
  const ways =
    methods.accounts && hasPasskeys() ? [button(t`Sign in with a passkey`, () => byPasskey(page), 'secondary'), ...providers] : providers;
  return {
    title: t`Sign in`,
    render: () => html`
      ${note === undefined ? nothing : html`<div class="note" role="status">${note}</div>`} ${waysCard(ways)}
      ${methods.accounts && ways.length > 0 ? html`<p class="or">${t`or with a password`}</p>` : nothing}
      ${methods.accounts ? form() : nothing}
    `,
  };
};

/** Ways in without a password of this service, before the form. */
const waysCard = (ways: readonly TemplateResult[]): TemplateResult | typeof nothing =>
  ways.length > 0 ? html`<div class="sign-in-ways">${ways}</div>` : nothing;

const byPasskey = async (page: SignInPage): Promise<void> => {
  const asked = await askAuth('POST', '/auth/passkey/options');
  if (!asked.ok) return page.start(problemWords(asked.problem));
  const credential = await signByPasskey(asked.value);
  if (!credential) return page.start('No passkey was used. Try again, or sign in in another way.');
  const answer = await askAuth('POST', '/auth/passkey', { credential });
  if (answer.ok) return page.leave();
  const isUnknown = answer.problem.code === 'sign_in_failed';
  page.start(isUnknown ? 'This passkey is not known here, or was removed. Sign in in another way.' : problemWords(answer.problem));
};

/** The second factor, after the right password. */
const codeStep = (page: SignInPage, { email = '', password = '' }: Typed): Step => {
  const form = createTypedForm({
    redraw: page.redraw,
    fields: [
      {
        ...{ name: 'code', label: t`Code`, type: 'text', autocomplete: 'one-time-code' },
        help: t`Of your authenticator app, or one of your recovery codes.`,
      },
    ],
    submit: t`Sign in`,
    send: ({ code = '' }) => askAuth('POST', '/auth/sign_in', { email: email.trim(), password, code: code.trim() }),
    onSent: page.leave,
    onProblem: (problem) =>
      problem.code === 'sign_in_failed'
        ? t`The code is not right, or it has been used. Wait for the next one of the app, then try again.`
        : problemWords(problem),
    more: () => button(t`Back`, () => page.start(), 'quiet'),
  });
  return textStep(t`One more step`, t`Your password is right. Enter the code as well.`, form);
};
