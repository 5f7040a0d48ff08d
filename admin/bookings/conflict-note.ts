import { html, nothing, type TemplateResult } from 'lit-html';
import { compareDrafts, type Conflict } from './forms/conflict.ts';
import { draftOf } from './forms/entity-draft.ts';
import type { Draft, Form } from './forms/form.ts';
import type { Page } from '../page.ts';
import { authorOf, readLastChange, type LastChange } from '../api/last-change.ts';
import type { Kind } from '../api/wire.ts';
import { moment } from '../words/dates.ts';
import { NAMES } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

/** A change by someone else, found when a form is saved. */
export interface FoundConflict extends Conflict {
  readonly etag: string | null | undefined;
  /** What both would begin with when it is saved again. */
  readonly base: Draft;
  /** undefined: the history cannot be read. */
  readonly change: LastChange | undefined;
}

/** Reads a record as it is now, and compares it with a draft. undefined: it cannot be read. */
export const readConflict = async <K extends Kind>(
  { api }: Page,
  kind: K,
  id: string,
  base: Draft,
  mine: Draft,
): Promise<FoundConflict | undefined> => {
  const answer = await api.records.read(kind, id);
  if (!answer.ok) return undefined;
  const change = await readLastChange(api, kind, id);
  const theirs = draftOf(kind, answer.value);
  return { ...compareDrafts(kind, base, mine, theirs), base: theirs, etag: answer.etag, change };
};

/** What they and the person at the form have changed, and a choice for each field. */
export const conflictNote = (kind: Kind, form: Form, { fields, taken, change }: FoundConflict): TemplateResult => {
  return html`<div class="note warn faults conflict" role="alert" tabindex="-1">
    <strong
      >${t`${authorOf(change)} changed this ${NAMES[kind].one}${change ? t` on ${moment(change.at)}` : ''}, while you were editing it`}</strong
    >
    <p>${t`Nothing is lost: choose a value for each field that both of you have changed, then save.`}</p>
    ${fields.map(({ pointer, label, mine, theirs, mineShown, theirsShown }, i) => {
      const choice = (value: unknown, words: string, shown: string): TemplateResult => html`
        <label>
          <input
            type="radio"
            name="conflict-${i}"
            .checked=${JSON.stringify(form.read(pointer)) === JSON.stringify(value)}
            @change=${() => form.write(pointer, value)}
          />
          <span>${words}: <b>${shown}</b></span>
        </label>
      `;
      return html`<fieldset>
        <legend>${label}</legend>
        ${choice(mine, t`Yours`, mineShown)} ${choice(theirs, t`Theirs`, theirsShown)}
      </fieldset>`;
    })}
    ${taken.length > 0 ? html`<p>${t`Also changed by them, and kept: ${taken.join(', ')}.`}</p>` : nothing}
  </div>`;
};
