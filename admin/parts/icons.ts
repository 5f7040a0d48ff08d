import { html, svg, type TemplateResult } from 'lit-html';

const SHAPES = {
  overview: svg`<path d="M3 10.5 10 4l7 6.5V17h-5v-4H8v4H3z" />`,
  publishers: svg`<rect x="3" y="4" width="14" height="12" rx="2" /><path d="M3 8h14M6.5 11.5h4" />`,
  placements: svg`<rect x="3" y="3" width="14" height="14" rx="2" /><rect x="10" y="6" width="4" height="4" /><path d="M6 7h1M6 10h1M6 13.5h8" />`,
  advertisers: svg`<path d="M4 17V6l6-3 6 3v11M8 17v-4h4v4M8 8.5h1M11 8.5h1" />`,
  bidders: svg`<path d="m8 5 6 6-2.5 2.5-6-6zM6.5 9 3 12.5M11 17h6" />`,
  targetings: svg`<circle cx="10" cy="10" r="6.5" /><circle cx="10" cy="10" r="3" /><path d="M10 2v3M10 15v3M2 10h3M15 10h3" />`,
  campaigns: svg`<path d="M4 8v4h3l6 4V4L7 8zM16 8a3 3 0 0 1 0 4" />`,
  line_items: svg`<path d="M4 5h12M4 10h12M4 15h7" />`,
  creatives: svg`<rect x="3" y="4" width="14" height="12" rx="2" /><circle cx="7.5" cy="8.5" r="1.2" /><path d="m4 15 4-4 3 3 3-3 3 3" />`,
  timeline: svg`<path d="M3 4v13h14M6 7h6M8 10.5h7M6 14h4" />`,
  availability: svg`<rect x="3" y="4" width="14" height="13" rx="2" /><path d="M3 8.5h14M7.7 8.5V17M12.3 8.5V17M3 12.8h14" />`,
  files: svg`<path d="M3 6V4h5l2 2h7v10H3zM3 6v10" />`,
  media_buys: svg`<path d="M3 4h2.2l1.7 8h7.6L17 6.5H6M8 16h.1M13.5 16h.1" />`,
  imports: svg`<path d="M10 3v9M6.5 8.5 10 12l3.5-3.5M3 13v4h14v-4" />`,
  test: svg`<circle cx="9" cy="9" r="5" /><path d="m13 13 4 4" />`,
  reports: svg`<path d="M4 4v12h12M7.5 13V9.5M11 13V6M14.5 13v-5" />`,
  finance: svg`<rect x="3" y="5" width="14" height="10" rx="2" /><circle cx="10" cy="10" r="2" /><path d="M5.5 10h.5M14 10h.5" />`,
  alerts: svg`<path d="M10 3a4.5 4.5 0 0 0-4.5 4.5c0 4-1.5 5.5-1.5 5.5h12s-1.5-1.5-1.5-5.5A4.5 4.5 0 0 0 10 3zM8.5 16h3" />`,
  approvals: svg`<path d="M4 10.5 8 14.5 16 5.5M4 17h12" />`,
  complaints: svg`<path d="M5 3v14M5 4h10l-2 3.5 2 3.5H5" />`,
  api: svg`<path d="m7 6-4 4 4 4M13 6l4 4-4 4M11 4.5l-2 11" />`,
  people: svg`<circle cx="7.5" cy="7" r="2.8" /><path d="M2.5 16c.4-3 2.4-4.6 5-4.6s4.6 1.6 5 4.6M12.5 4.6a2.6 2.6 0 0 1 0 4.9M14.5 11.8c1.7.6 2.8 2 3 4.2" />`,
  inbox: svg`<path d="M3 11 5.5 4h9L17 11v5H3zM3 11h4l1 2h4l1-2h4" />`,
  account: svg`<circle cx="10" cy="7" r="3" /><path d="M4 17c.4-3.6 2.8-5.4 6-5.4s5.6 1.8 6 5.4" />`,
  help: svg`<circle cx="10" cy="10" r="7" /><path d="M7.8 8a2.3 2.3 0 1 1 3.2 2.1c-.6.3-1 .7-1 1.4M10 14v.1" />`,
  history: svg`<circle cx="10" cy="10" r="7" /><path d="M10 6v4l3 2" />`,
} as const;

export type IconName = keyof typeof SHAPES;

export const icon = (name: IconName): TemplateResult =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">${SHAPES[name]}</svg>`;
