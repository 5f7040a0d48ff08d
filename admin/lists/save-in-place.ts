import { html } from 'lit-html';
import type { AuditRow } from '../../src/trafficking/entities/audit-trail.ts';
import { textOf } from '../forms/typed-text.ts';
import type { Page } from '../page.ts';
import type { Kind, Problem, Records } from '../service/wire.ts';
import { titleOf } from '../words/kinds.ts';

export interface InPlaceChange<K extends Kind> {
  readonly kind: K;
  readonly record: Records[K];
  readonly field: string;
  readonly label: string;
  /** What the list showed. */
  readonly before: unknown;
  readonly value: unknown;
}

export type SavedInPlace =
  /** changed: false when the person kept the value of someone else. replaced: the value before. */
  { readonly ok: true; readonly changed: boolean; readonly replaced: unknown } | { readonly ok: false; readonly problem: Problem };

/**
 * Changes one field of a record that a list shows. When someone else has changed that field since it
 * was read, the person chooses; changes of other fields are kept.
 */
export const saveInPlace = async <K extends Kind>(page: Page, change: InPlaceChange<K>): Promise<SavedInPlace> => {
  const { kind, record, field, value } = change;
  const path = `/${kind}/${encodeURIComponent(record.id)}`;
  let { before } = change;
  for (;;) {
    const current = await page.api.get<Readonly<Record<string, unknown>>>(path);
    if (!current.ok) return current;
    const theirs = current.value[field] ?? null;
    if (theirs !== before && theirs !== value) {
      const isMine = await askWhose(page, change, theirs);
      if (!isMine) return done(page, kind, { ok: true, changed: false, replaced: theirs });
      before = theirs;
    }
    const answer = await page.api.send('PATCH', path, { [field]: value }, { ifMatch: current.etag });
    if (answer.ok) return done(page, kind, { ok: true, changed: true, replaced: theirs });
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

const askWhose = async <K extends Kind>(
  page: Page,
  { kind, record, label, value }: InPlaceChange<K>,
  theirs: unknown,
): Promise<boolean> => {
  const changes = await page.api.get<readonly AuditRow[]>(
    `/audit?entity=${kind.slice(0, -1)}&entity_id=${encodeURIComponent(record.id)}&limit=1`,
  );
  const who = (changes.ok && changes.value[0]?.actor) || 'Someone else';
  const words = (one: unknown): string => textOf(one) || 'none';
  const chosen = await page.choose(`${who} changed the ${label} of “${titleOf(kind, record)}” meanwhile`, [
    { value: MINE, shown: html`Yours: <b>${words(value)}</b>` },
    { value: 'theirs', shown: html`Theirs: <b>${words(theirs)}</b>` },
  ]);
  return chosen === MINE;
};
