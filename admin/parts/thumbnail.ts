import { html, type TemplateResult } from 'lit-html';

/** A small picture beside a name, on squares that show what is transparent; or a word in its place. */
export const thumbnail = (shown: { readonly path: string } | string): TemplateResult =>
  typeof shown === 'string'
    ? html`<span class="thumbnail word" aria-hidden="true">${shown}</span>`
    : html`<img class="thumbnail" src=${shown.path} alt="" loading="lazy" decoding="async" width="48" height="36" />`;
