import { html, type TemplateResult } from 'lit-html';
import { keyed } from 'lit-html/directives/keyed.js';
import type { Answered } from '../api/api.ts';
import { hasPasskeys, makePasskey } from '../api/passkeys.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { createTypedForm, type TypedField, type TypedFormOptions } from '../parts/typed-form.ts';
import { moment } from '../words/dates.ts';
import { rich, t } from '../words/texts.ts';

type Factors = Answered<'GET', '/me/factors'>;
type NewTotp = Answered<'POST', '/me/totp'>;
type Passkey = Factors['passkeys'][number];

const PASSWORD: TypedField = {
  ...{ name: 'password', label: t`Your password`, type: 'password', autocomplete: 'current-password', mayBeEmpty: true },
  help: t`So that only you change this. Empty, if you have none.`,
};
const CODE: TypedField = { name: 'code', label: t`Code of the app`, type: 'text', autocomplete: 'one-time-code' };
const PASSKEY_NAME: TypedField = {
  name: 'name',
  label: t`Name of the passkey`,
  type: 'text',
  autocomplete: 'off',
  help: t`Such as the device: Laptop, Phone.`,
};

/** How a person proves who they are beside the password: authenticator app, recovery codes, passkeys. */
export const createFactorsCard = (page: Page): { readonly render: () => TemplateResult } => {
  const { redraw } = page;
  const factors = createReading(page, (api) => api.get('/me/factors'), { keep: true });
  /** What is shown in place of the buttons. */
  let open: (() => TemplateResult) | undefined;
  const show = (step: (() => TemplateResult) | undefined): void => {
    open = step;
    redraw();
  };
  /** A form that takes the place of another one gets inputs of its own. */
  const render = (step: () => TemplateResult): unknown => keyed(step, step());
  const cancel = (): TemplateResult => button(t`Cancel`, () => show(undefined), 'quiet');
  const formOf = <T>(options: Pick<TypedFormOptions<T>, 'fields' | 'submit' | 'send' | 'onSent'>) =>
    createTypedForm<T>({ ...options, idPrefix: 'factor', redraw, more: cancel });
  const changed = async (words: string): Promise<void> => {
    page.toast(words);
    show(undefined);
    await factors.load();
  };

  const showCodes = ({ recovery_codes: codes }: { readonly recovery_codes: readonly string[] }): void => {
    show(
      () =>
        html`<p>
            <strong>${t`Your recovery codes.`}</strong>
            ${t`Each signs you in once without the app. Keep them where you do not lose them with your phone: they are shown only now.`}
          </p>
          <pre class="codes">${codes.join('\n')}</pre>
          ${button(t`I have kept them`, () => show(undefined), 'secondary')}`,
    );
    void factors.load();
  };
  const setUp = ({ secret, uri, qr, setup }: NewTotp): void => {
    const form = formOf({
      fields: [CODE],
      submit: t`Turn on`,
      send: ({ code = '' }) => page.api.send('PUT', '/me/totp', { body: { setup, code: code.trim() } }),
      onSent: showCodes,
    });
    show(
      () =>
        html`<p>
            ${rich`Scan this with your authenticator app, type the key below it, or ${html`<a href=${uri}>${t`open it on this device`}</a>`}. Then enter the code that it shows.`}
          </p>
          <svg class="qr" viewBox="0 0 ${qr.size} ${qr.size}" role="img" aria-label=${t`QR code of the key below`}>
            <path d=${qr.path} />
          </svg>
          <pre class="codes">${secret.match(/.{1,4}/g)?.join(' ')}</pre>
          ${form()}`,
    );
  };
  const withPassword = <T>(submit: string, send: TypedFormOptions<T>['send'], onSent: (value: T) => unknown): void =>
    show(formOf({ fields: [PASSWORD], submit, send, onSent }));
  const beginApp = (): void =>
    withPassword(t`Continue`, ({ password = '' }) => page.api.send('POST', '/me/totp', { body: { password } }), setUp);
  const removeApp = (): void =>
    withPassword(
      t`Remove the app`,
      ({ password = '' }) => page.api.send('POST', '/me/totp/remove', { body: { password } }),
      () => changed(t`Signing in needs no code any more.`),
    );
  const renew = (): void =>
    withPassword(t`Make new codes`, ({ password = '' }) => page.api.send('POST', '/me/recovery_codes', { body: { password } }), showCodes);

  const addPasskey = (): void =>
    show(
      formOf({
        fields: [PASSKEY_NAME, PASSWORD],
        submit: t`Continue`,
        send: ({ password = '' }) => page.api.send('POST', '/me/passkeys/options', { body: { password } }),
        onSent: async (options, { name = '' }) => {
          const credential = await makePasskey(options);
          if (!credential) return page.toast(t`No passkey was made.`);
          const answer = await page.api.send('POST', '/me/passkeys', { body: { name: name.trim(), credential } });
          if (!answer.ok) return page.complain(answer.problem);
          await changed(t`You can sign in by this passkey now.`);
        },
      }),
    );
  const renamePasskey = ({ id, name }: Passkey): void =>
    show(
      formOf({
        fields: [{ ...PASSKEY_NAME, value: name }],
        submit: t`Rename`,
        send: ({ name: typed = '' }) => page.api.send('PATCH', '/me/passkeys/{id}', { id, body: { name: typed.trim() } }),
        onSent: () => changed(t`The passkey is renamed.`),
      }),
    );
  const removePasskey = async ({ id, name }: Passkey): Promise<void> => {
    const text = t`It does not sign you in any more. Your device may still list it: remove it there, too.`;
    if (!(await page.confirm({ title: t`Remove the passkey “${name}”?`, text, yes: t`Remove`, dangerous: true }))) return;
    const answer = await page.api.send('DELETE', '/me/passkeys/{id}', { id });
    if (!answer.ok) return page.complain(answer.problem);
    await changed(t`The passkey “${name}” is removed.`);
  };

  const passkeyLine = (passkey: Passkey): TemplateResult =>
    html`<p>
      <strong>${passkey.name}</strong>
      <small class="muted">${passkey.last_used_at === null ? t`never used` : t`last used ${moment(passkey.last_used_at)}`}</small>
      ${button(t`Rename`, () => renamePasskey(passkey), 'quiet', t`Rename the passkey ${passkey.name}`)}
      ${button(t`Remove`, () => removePasskey(passkey), 'quiet danger-text', t`Remove the passkey ${passkey.name}`)}
    </p>`;
  const passkeysOf = ({ passkeys }: Factors): TemplateResult => html`
    <p class="muted">${t`A passkey of your phone or computer signs you in without address, password and code.`}</p>
    ${passkeys.map(passkeyLine)}
    ${hasPasskeys() ? button(t`Add a passkey`, addPasskey, 'secondary') : html`<p class="muted">${t`This browser has no passkeys.`}</p>`}
  `;
  const appOf = ({ totp, recovery_codes: left }: Factors): TemplateResult =>
    totp
      ? html`<p>${t`Signing in by password needs a code of your app. ${left} of 10 recovery codes are left.`}</p>
          ${button(t`New recovery codes`, renew, 'secondary')} ${button(t`Remove the app`, removeApp, 'quiet danger-text')}`
      : html`<p class="muted">${t`Signing in by password then needs a code that your phone shows.`}</p>
          ${button(t`Set up an app`, beginApp, 'secondary')}`;
  const overview = (value: Factors): TemplateResult =>
    html`<div class="two">${card(t`Passkeys`, passkeysOf(value))} ${card(t`Authenticator app`, appOf(value))}</div>`;
  return { render: () => factors.render((value) => (open ? card(t`Second factors`, html`${render(open)}`) : overview(value))) };
};
