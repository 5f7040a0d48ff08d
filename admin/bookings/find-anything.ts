import type { Page } from '../page.ts';
import type { PaletteEntry } from '../parts/palette.ts';
import { hashOf } from '../route.ts';
import { mayOpen, SCREEN_GROUPS } from '../screen-groups.ts';
import { KINDS, type Kind } from '../api/wire.ts';
import { aOne, capital, linkTo, NAMES, titleOf } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

const PER_KIND = 5;

/** Screens by their names, and records by what the service searches them by. */
export const findAnything =
  ({ api, rights }: Page) =>
  async (text: string): Promise<readonly PaletteEntry[]> => {
    const words = text.trim().toLowerCase();
    const screens = SCREENS.filter(({ label, hash }) => label.toLowerCase().includes(words) && mayOpen(rights, hash));
    if (words === '') return screens;
    const kinds = KINDS.filter((kind) => rights.may('GET', `/${kind}`));
    const found = await Promise.all(kinds.map((kind) => recordsOf(api, kind, text.trim())));
    return [...found.flat(), ...screens];
  };

const recordsOf = async <K extends Kind>(api: Page['api'], kind: K, text: string): Promise<readonly PaletteEntry[]> => {
  const answer = await api.records.list(kind, `q=${encodeURIComponent(text)}&limit=${PER_KIND}`);
  if (!answer.ok) return [];
  return answer.value.map((record) => ({ label: titleOf(kind, record), note: NAMES[kind].one, hash: linkTo(kind, record.id) }));
};

const SCREENS: readonly PaletteEntry[] = [
  ...SCREEN_GROUPS.flatMap(({ screens }) => screens.map(({ name, label }) => ({ label, note: t`screen`, hash: hashOf([name]) }))),
  ...KINDS.map((kind) => ({
    label: capital(t`new ${aOne(kind).split(' ').slice(1).join(' ')}`),
    note: t`create`,
    hash: hashOf([kind, 'new']),
  })),
];
