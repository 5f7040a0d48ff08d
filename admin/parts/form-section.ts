import { html, nothing, type TemplateResult } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';

export interface Folding {
  /** Whose section it is: that of another form begins anew. */
  readonly form: object;
  readonly hasValues: boolean;
  readonly hasFaults: boolean;
}

/** A section that few records need, behind its heading: open at first where it has values, and where it has faults. */
export const foldedSection = (
  title: string,
  text: string,
  content: TemplateResult,
  { form, hasValues, hasFaults }: Folding,
): TemplateResult => html`
  <section class="card form-section">
    <details class="folded" ?open=${guard([form, hasFaults], () => hasValues || hasFaults)}>
      <summary><h2>${title}</h2></summary>
      ${text ? html`<p>${text}</p>` : nothing}
      <div class="fields">${content}</div>
    </details>
  </section>
`;

/** A section of a form under a heading. */
export const formSection = (title: string, text: string, content: TemplateResult): TemplateResult => html`
  <section class="card form-section">
    <header>
      <h2>${title}</h2>
      ${text ? html`<p>${text}</p>` : nothing}
    </header>
    <div class="fields">${content}</div>
  </section>
`;
