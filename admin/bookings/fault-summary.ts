import { html, nothing, type TemplateResult } from 'lit-html';
import type { Kind, Problem } from '../api/wire.ts';
import { counted } from '../words/kinds.ts';
import type { SavedForm } from './forms/form.ts';
import { t } from '../words/texts.ts';

/** What a copy under another parent has. */
const COPY_WORDS: Readonly<Partial<Record<Kind, string>>> = {
  campaigns: t`The copy belongs to the chosen publisher and has no line items yet.`,
  line_items: t`The copy belongs to the chosen campaign, has the same creatives, and is paused.`,
  creatives: t`The copy belongs to the chosen line item.`,
};

/**
 * Above a form: why it was not saved, and a way out where there is one.
 *
 * @param duplicate saves it as a copy
 * @param propose proposes it to a second person
 */
export const faultSummary = (
  form: SavedForm,
  kind: Kind,
  duplicate: () => Promise<void>,
  propose: (problem: Problem) => Promise<void>,
): TemplateResult => {
  const problem = form.problem();
  if (!problem) return html`<div role="alert"></div>`;
  if (problem.proposable)
    return html`<div class="note warn faults" role="alert" tabindex="-1">
      <strong>${t`Not saved: a second person must approve this`}</strong>
      <ul>
        ${form.faults().map(({ detail }) => html`<li>${detail}</li>`)}
      </ul>
      <button type="button" @click=${() => void propose(problem)}>${t`Propose it …`}</button>
    </div>`;
  const faults = form.faults();
  return html`<div class="note bad faults" role="alert" tabindex="-1">
    <strong>${faults.length > 0 ? t`Not saved: ${counted(faults.length, 'field')} to correct` : problem.title}</strong>
    ${
      faults.length > 0
        ? html`<ul>
            ${faults.map(({ detail }) => html`<li>${detail}</li>`)}
          </ul>`
        : html`<p>${problem.detail}</p>`
    }
    ${
      problem.code === 'parent_fixed'
        ? html`<p>${COPY_WORDS[kind]}</p>
            <button type="button" @click=${() => void duplicate()}>${t`Duplicate it instead`}</button>`
        : nothing
    }
  </div>`;
};
