import type { Rights } from '../../src/access/caller.ts';
import type { Page } from '../page.ts';
import { counted, NAMES, titleIn } from '../words/kinds.ts';
import { say, t } from '../words/texts.ts';

const SHOWN = 3;

const namesOf = ({ store }: Page, kind: 'publishers' | 'advertisers', ids: readonly number[] | null): string => {
  if (ids === null) return '';
  const names = ids.slice(0, SHOWN).map((id) => titleIn(store, kind, id, `${NAMES[kind].one} ${id}`));
  const rest = ids.length - names.length;
  return `${names.join(', ')}${rest > 0 ? t` and ${counted(rest, 'other')}` : ''}`;
};

/** For whom rights are: `all publishers`, `The Gazette · Boots of the North`. */
export const scopeWords = (page: Page, { publishers, advertisers }: Omit<Rights, 'roles'>): string =>
  [namesOf(page, 'publishers', publishers) || t`all publishers`, namesOf(page, 'advertisers', advertisers)].filter(Boolean).join(' · ');

/** `trafficker, approver for The Gazette`. */
export const rightsWords = (page: Page, rights: Rights): string =>
  t`${rights.roles.map(say).join(', ') || t`no role`} for ${scopeWords(page, rights)}`;
