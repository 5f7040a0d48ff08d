import { html, nothing, type TemplateResult } from 'lit-html';
import type { SavedForm } from '../bookings/forms/form.ts';
import { saveBar } from '../parts/save-bar.ts';
import { counted } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

/** A form of a person or a token: what is wrong with it, its sections, and the bar with its buttons. */
export const rightsForm = (form: SavedForm, sections: TemplateResult, label: string, back: string): TemplateResult => {
  const [problem, faults] = [form.problem(), form.faults()];
  return html`
    <form novalidate class="entity-form" @submit=${form.submit}>
      ${
        problem && (faults.length > 0 || problem.errors.length === 0)
          ? html`<div class="note bad faults" role="alert" tabindex="-1">
              <strong>${faults.length > 0 ? t`Not saved: ${counted(faults.length, 'field')} to correct` : problem.title}</strong>
              ${faults.length > 0 ? nothing : html`<p>${problem.detail}</p>`}
            </div>`
          : html`<div role="alert"></div>`
      }
      ${sections} ${saveBar(form, label, back)}
    </form>
  `;
};

/** A fault at a field, whose label is above it: `must not be empty` as `Must not be empty`. */
export const inWords = ({ detail }: { readonly detail: string }): string => `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}.`;
