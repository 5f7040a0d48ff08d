import { html, nothing, type TemplateResult } from 'lit-html';
import { input } from '../parts/fields/input.ts';
import { button, card, problemNote } from '../parts/parts.ts';
import type { Problem } from '../api/wire.ts';
import { moment } from '../words/dates.ts';
import type { OwnRecords } from './own-records.ts';
import { t } from '../words/texts.ts';

/** Where something is sent, as the API has it. */
export interface Addresses {
  readonly emails: readonly string[];
  readonly webhook: string | null;
}
/** The same as typed. */
export interface TypedAddresses {
  readonly emails: string;
  readonly webhook: string;
}

export const typedOf = ({ emails, webhook }: Addresses): TypedAddresses => ({ emails: emails.join(', '), webhook: webhook ?? '' });

export const addressesOf = ({ emails, webhook }: TypedAddresses): Addresses => ({
  emails: emails.split(/[\s,;]+/).filter(Boolean),
  webhook: webhook.trim() === '' ? null : webhook.trim(),
});

/** A labelled text of a form; `help` is below it. */
export const typedField = (
  label: string,
  value: string,
  onInput: (typed: string) => void,
  { placeholder = '', help = '' }: { readonly placeholder?: string; readonly help?: string } = {},
): TemplateResult =>
  html`<label>${label}${input({ value, placeholder, onInput })} ${help ? html`<small>${help}</small>` : nothing}</label>`;

export interface AddressFieldsOptions {
  readonly typed: TypedAddresses;
  readonly write: (change: Partial<TypedAddresses>) => void;
  readonly webhookSample: string;
  readonly webhookHelp: string;
}

/** The fields for e-mail addresses and a webhook. */
export const addressFields = ({ typed, write, webhookSample, webhookHelp }: AddressFieldsOptions): TemplateResult => html`
  ${typedField(t`E-mail addresses`, typed.emails, (emails) => write({ emails }), { placeholder: 'sales@gazette.example, …' })}
  ${typedField(t`Webhook`, typed.webhook, (webhook) => write({ webhook }), { placeholder: webhookSample, help: webhookHelp })}
`;

/** When something was last sent, or that it could not be, and why. */
export const lastWords = ({
  last_at,
  last_fault,
}: {
  readonly last_at: string | null;
  readonly last_fault: string | null;
}): TemplateResult | string => {
  if (last_at === null) return '–';
  return last_fault === null ? moment(last_at) : html`<span class="pill bad">${t`failed`}</span> <small>${last_fault}</small>`;
};

/** The form of a record that is edited on a screen of another thing, with the faults of the last attempt. */
export const recordForm = <D>(
  title: string,
  { problem, edit, store }: Pick<OwnRecords<never, D>, 'problem' | 'edit' | 'store'>,
  fieldWords: Readonly<Record<string, string>>,
  fields: TemplateResult,
): TemplateResult => {
  const refused = problem();
  return card(
    title,
    html`<form class="save-report" novalidate @submit=${store}>
      ${refused ? faultList(refused, fieldWords) : nothing} ${fields}
      <div class="row">${button(t`Cancel`, () => edit(undefined), 'secondary')}<button>${t`Save`}</button></div>
    </form>`,
  );
};

/** Each fault once: several values of a list can have the same. */
const faultList = (problem: Problem, fieldWords: Readonly<Record<string, string>>): TemplateResult => {
  const faults = problem.errors.map(({ pointer, detail }) => {
    const label = fieldWords[pointer] ?? fieldWords[pointer.replace(/\/\d+$/, '')] ?? pointer;
    return `${label}: ${detail}`;
  });
  return problemNote(problem, [...new Set(faults)]);
};
