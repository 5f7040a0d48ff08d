import { html } from 'lit-html';
import { askAuth } from '../api/auth.ts';
import { button } from '../parts/parts.ts';
import { EMAIL } from '../words/password-fields.ts';
import { createTypedForm } from '../parts/typed-form.ts';
import { textStep, type SignInPage, type Step } from './sign-in-page.ts';
import { t } from '../words/texts.ts';

/** A new password: by a link in a mail, or by one that an administrator hands over. */
export const resetStep = (page: SignInPage): Step => {
  const back = () => button(t`Back`, () => page.start(), 'quiet');
  if (!page.methods.mail)
    return {
      title: t`Set a new password`,
      render: () => html`
        <p>${t`Ask an administrator of your ad server for a link. It opens this page, where you choose a new password.`}</p>
        <p>${t`Administrators create it under People, with “New link”. It can be used once, within an hour.`}</p>
        ${back()}
      `,
    };
  const form = createTypedForm({
    redraw: page.redraw,
    fields: [EMAIL],
    submit: t`Send me a link`,
    send: ({ email = '' }) => askAuth('POST', '/auth/reset', { email: email.trim() }),
    onSent: () =>
      page.start(
        'If there is an account with this address, a link is on its way to it. It can be used once, within an hour. Nothing there? Look into the spam folder, or ask an administrator for a link.',
      ),
    more: back,
  });
  return textStep(t`Set a new password`, t`We mail you a link by which you choose a new password.`, form);
};
