import { html } from 'lit-html';
import { ask } from '../api/request.ts';
import { bearer, keepTabToken } from '../api/tab-token.ts';
import { button } from '../parts/parts.ts';
import { problemWords } from '../words/sign-in-words.ts';
import { createTypedForm } from '../parts/typed-form.ts';
import { textStep, type SignInPage, type Step } from './sign-in-page.ts';
import { rich, t } from '../words/texts.ts';

/** A bearer token in place of a sign-in, for this tab. */
export const tokenStep = (page: SignInPage): Step => {
  const { accounts, providers } = page.methods;
  const hasOtherWays = accounts || providers.length > 0;
  const form = createTypedForm({
    redraw: page.redraw,
    fields: [{ name: 'token', label: t`Token`, type: 'password', autocomplete: 'off' }],
    submit: t`Use this token`,
    send: ({ token = '' }) => ask('/api/me', { method: 'GET', headers: bearer(token.trim()) }),
    onSent: (_value, { token = '' }) => {
      keepTabToken(token.trim());
      page.leave();
    },
    onProblem: (problem) =>
      problem.status === 401
        ? t`That token was not accepted. It may have been revoked, have expired, or not be complete.`
        : problemWords(problem),
    ...(hasOtherWays && { more: () => button(t`Back`, () => page.start(), 'quiet') }),
  });
  const text = rich`A token of ${html`<code>ADMIN_TOKEN</code>`}, or an API token. It is kept until this tab is closed.`;
  return textStep(hasOtherWays ? t`Use a token` : t`Sign in`, text, form);
};
