import { html, type TemplateResult } from 'lit-html';
import type { SavedForm } from '../bookings/forms/form.ts';
import { t } from '../words/texts.ts';

/** As many as the service takes. */
const MAX_NOTE_LENGTH = 500;

/** Below a form: what was typed, why it is changed, and the buttons. @param back where Cancel leads */
export const saveBar = (form: SavedForm, label: string, back: string): TemplateResult => html`
  <div class="save-bar">
    <span class="figure" aria-live="polite">${form.isSaving() ? t`Saving …` : form.hasChanges() ? t`Not saved yet` : ''}</span>
    <input
      class="change-note"
      type="text"
      aria-label=${t`Why, for the history`}
      placeholder=${t`Why? For the history, if you like`}
      maxlength=${MAX_NOTE_LENGTH}
      autocomplete="off"
      .value=${form.note()}
      @input=${(event: InputEvent) => form.writeNote((event.target as HTMLInputElement).value)}
    />
    <a role="button" class="secondary" href=${back}>${t`Cancel`}</a>
    <button type="submit" aria-busy=${form.isSaving() ? 'true' : 'false'} ?disabled=${form.isSaving()}>${label}</button>
  </div>
`;
