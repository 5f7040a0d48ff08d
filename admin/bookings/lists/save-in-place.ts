import { html } from 'lit-html';
import type { Page } from '../../page.ts';
import { authorOf, readLastChange } from '../../api/last-change.ts';
import type { Kind, Problem, Records } from '../../api/wire.ts';
import { titleOf } from '../../words/kinds.ts';
import { wordsOfValue } from './listed-fields.ts';
import { t } from '../../words/texts.ts';

export interface InPlaceChange<K extends Kind> {
  readonly kind: K;
  readonly record: Records[K];
  readonly fields: readonly ChangedField[];
}

export interface ChangedField {
  readonly field: string;
  /** Within a sentence. */
  readonly label: string;
  /** What the list showed. */
  readonly before: unknown;
  readonly value: unknown;
}

export type SavedInPlace =
  /** changed: false when the person kept all values of someone else. replaced: the values before. */
  | { readonly ok: true; readonly changed: boolean; readonly replaced: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Changes fields of a record that a list shows. When someone else has changed one of them since it
 * was read, the person chooses; changes of other fields are kept.
 */
export const saveInPlace = async <K extends Kind>(page: Page, change: InPlaceChange<K>): Promise<SavedInPlace> => {
  const { kind, record } = change;
  /** What the person has seen of each field: what the list showed, then what was asked about. */
  const seen = new Map(change.fields.map(({ field, before }) => [field, before]));
  let fields = change.fields;
  for (;;) {
    const current = await page.api.records.fields(kind, record.id);
    if (!current.ok) return current;
    const theirsOf = (field: string): unknown => current.value[field] ?? null;
    const mine: ChangedField[] = [];
    for (const each of fields) {
      const theirs = theirsOf(each.field);
      const isContested = theirs !== seen.get(each.field) && theirs !== each.value;
      seen.set(each.field, theirs);
      if (!isContested || (await isMineChosen(page, change, each, theirs))) mine.push(each);
    }
    fields = mine;
    const replaced = Object.fromEntries(fields.map(({ field }) => [field, theirsOf(field)]));
    if (fields.length === 0) return done(page, kind, { ok: true, changed: false, replaced });
    const patch = Object.fromEntries(fields.map(({ field, value }) => [field, value]));
    const answer = await page.api.records.update(kind, record.id, patch, current.etag);
    if (answer.ok) return done(page, kind, { ok: true, changed: true, replaced });
    // Changed once more while it was asked about.
    if (answer.problem.code !== 'precondition_failed') return answer;
  }
};

const done = async (page: Page, kind: Kind, saved: SavedInPlace): Promise<SavedInPlace> => {
  const problem = await page.store.refresh(kind);
  if (problem) page.complain(problem);
  return saved;
};

const MINE = 'mine';

const isMineChosen = async <K extends Kind>(
  page: Page,
  { kind, record }: InPlaceChange<K>,
  { field, label, value }: ChangedField,
  theirs: unknown,
): Promise<boolean> => {
  const who = authorOf(await readLastChange(page.api, kind, record.id));
  const chosen = await page.choose(t`${who} changed the ${label} of “${titleOf(kind, record)}” meanwhile`, [
    { value: MINE, shown: html`${t`Yours:`} <b>${wordsOfValue(field, value)}</b>` },
    { value: 'theirs', shown: html`${t`Theirs:`} <b>${wordsOfValue(field, theirs)}</b>` },
  ]);
  return chosen === MINE;
};
