import { html, nothing, type TemplateResult } from 'lit-html';

/** A part of a form under its own heading. */
export const formSection = (title: string, text: string, content: TemplateResult): TemplateResult => html`
  <section class="card form-section">
    <header>
      <h2>${title}</h2>
      ${text ? html`<p>${text}</p>` : nothing}
    </header>
    <div class="fields">${content}</div>
  </section>
`;
