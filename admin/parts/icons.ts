import { html, svg, type TemplateResult } from 'lit-html';

const SHAPES = {
  overview: svg`<path d="M3 10.5 10 4l7 6.5V17h-5v-4H8v4H3z" />`,
  publishers: svg`<rect x="3" y="4" width="14" height="12" rx="2" /><path d="M3 8h14M6.5 11.5h4" />`,
  placements: svg`<rect x="3" y="3" width="14" height="14" rx="2" /><rect x="10" y="6" width="4" height="4" /><path d="M6 7h1M6 10h1M6 13.5h8" />`,
  advertisers: svg`<path d="M4 17V6l6-3 6 3v11M8 17v-4h4v4M8 8.5h1M11 8.5h1" />`,
  bidders: svg`<path d="m8 5 6 6-2.5 2.5-6-6zM6.5 9 3 12.5M11 17h6" />`,
  campaigns: svg`<path d="M4 8v4h3l6 4V4L7 8zM16 8a3 3 0 0 1 0 4" />`,
  line_items: svg`<path d="M4 5h12M4 10h12M4 15h7" />`,
  creatives: svg`<rect x="3" y="4" width="14" height="12" rx="2" /><circle cx="7.5" cy="8.5" r="1.2" /><path d="m4 15 4-4 3 3 3-3 3 3" />`,
  test: svg`<circle cx="9" cy="9" r="5" /><path d="m13 13 4 4" />`,
  reports: svg`<path d="M5 3v14M5 4h10l-2 3.5 2 3.5H5" />`,
  api: svg`<path d="m7 6-4 4 4 4M13 6l4 4-4 4M11 4.5l-2 11" />`,
  history: svg`<circle cx="10" cy="10" r="7" /><path d="M10 6v4l3 2" />`,
} as const;

export type IconName = keyof typeof SHAPES;

export const icon = (name: IconName): TemplateResult =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">${SHAPES[name]}</svg>`;
