import type { TemplateResult } from 'lit-html';
import { askAuth, type AuthAnswer } from '../api/auth.ts';
import type { Problem } from '../api/wire.ts';
import { button } from '../parts/parts.ts';
import { problemWords } from '../words/sign-in-words.ts';
import { createTypedForm } from '../parts/typed-form.ts';
import { EMAIL, NAME, NEW_PASSWORD } from '../words/password-fields.ts';
import { textStep, type SignInPage, type Step } from './sign-in-page.ts';
import { t } from '../words/texts.ts';

type Link = AuthAnswer<'/auth/link'>;

const WORDS: Readonly<
  Record<Link['purpose'], (name: string) => { readonly title: string; readonly text: string; readonly submit: string }>
> = {
  first: () => ({
    title: t`Make the first administrator`,
    text: t`This ad server has no account yet. Yours may do everything, and invites the others.`,
    submit: t`Create the account`,
  }),
  invitation: (name) => ({
    title: t`Welcome, ${name}`,
    text: t`You are invited to this ad server. Choose a password, and you are in.`,
    submit: t`Set the password and sign in`,
  }),
  reset: (name) => ({
    title: t`Set a new password`,
    text: t`Hello ${name}. With a new password, you are signed out everywhere else.`,
    submit: t`Set the password and sign in`,
  }),
};

/** What a link leads to: a form for a password, or why the link cannot be used. @param secret what the link has after # */
export const openLink = async (page: SignInPage, secret: string): Promise<Step> => {
  const answer = await askAuth('POST', '/auth/link', { secret });
  return answer.ok ? linkStep(page, secret, answer.value) : refusedStep(page, answer.problem, secret);
};

const linkStep = (page: SignInPage, secret: string, { purpose, email, name }: Link): Step => {
  const words = WORDS[purpose](name ?? '');
  const isFirst = email === null;
  const form = createTypedForm({
    redraw: page.redraw,
    // Password managers store the address with the password, so it is an input also where it cannot be changed.
    fields: isFirst ? [EMAIL, NAME, NEW_PASSWORD] : [{ ...EMAIL, value: email, readOnly: true }, NEW_PASSWORD],
    submit: words.submit,
    send: ({ email: typed = '', name: called = '', password = '' }) =>
      askAuth('POST', '/auth/password', { secret, password, ...(isFirst && { email: typed.trim(), name: called.trim() }) }),
    onSent: ({ signed_in: isIn }) => {
      history.replaceState(null, '', location.pathname + location.search);
      if (isIn) page.leave();
      else page.start('Your new password is set. Sign in with it, and with the code of your authenticator app.');
    },
  });
  return textStep(words.title, words.text, form);
};

const refusedStep = (page: SignInPage, problem: Problem, secret: string): Step => {
  const again = (): TemplateResult =>
    problem.code === 'invalid_link'
      ? button(t`Sign in`, () => page.start(), 'secondary')
      : button(t`Try again`, () => void openLink(page, secret).then(page.open), 'secondary');
  const title = problem.code === 'invalid_link' ? t`This link cannot be used` : t`The link could not be read`;
  return textStep(title, problemWords(problem), again);
};
