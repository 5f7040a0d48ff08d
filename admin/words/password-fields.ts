import type { MIN_PASSWORD_LENGTH } from '../../src/people/accounts/password.ts';
import type { TypedField } from '../parts/typed-form.ts';
import { t } from './texts.ts';

/** Written again for the page, which has no code of the service; the compiler compares the two. */
const MIN_LENGTH: typeof MIN_PASSWORD_LENGTH = 15;

export const EMAIL: TypedField = { name: 'email', label: t`E-mail address`, type: 'email', autocomplete: 'username' };
export const NAME: TypedField = { name: 'name', label: t`Your name`, type: 'text', autocomplete: 'name' };
export const NEW_PASSWORD: TypedField = {
  ...{ name: 'password', label: t`New password`, type: 'password', autocomplete: 'new-password' },
  help: t`At least ${MIN_LENGTH} characters. A few words that only you put together are easy to remember.`,
};
