import { html, type TemplateResult } from 'lit-html';

/** Shorter names have room. */
const MIN_LENGTH = 26;
const MAX_END = 20;

/**
 * A name for a column that may be too narrow for it: the middle of a long one is left out, because names of one campaign begin alike,
 * and what they end with tells them apart: `Granite Tra… phone banner`.
 */
export const cutName = (name: string): TemplateResult | string => {
  const [, head, end] = /^(.+[,:–-])( [^ ].*)$/.exec(name) ?? [];
  if (name.length < MIN_LENGTH || head === undefined || end === undefined || end.length > MAX_END) return name;
  return html`<span class="cut"><span>${head}</span><span>${end}</span></span>`;
};
