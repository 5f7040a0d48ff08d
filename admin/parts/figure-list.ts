import { html, type TemplateResult } from 'lit-html';

/** Figures with their names, in a row that wraps. @param kind a class of the list, for its look */
export const figureList = (figures: readonly (readonly [name: string, figure: string])[], kind = ''): TemplateResult =>
  html`<dl class="figures ${kind}">
    ${figures.map(
      ([name, figure]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${figure}</dd>
        </div>`,
    )}
  </dl>`;
