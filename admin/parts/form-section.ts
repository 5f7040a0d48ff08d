import { html, nothing, type TemplateResult } from 'lit-html';

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
