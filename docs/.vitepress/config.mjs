import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { drawSequence } from './sequence-diagram.mjs';

const page = (link, text) => ({ text, link: `/${link}` });
const ADR = new URL('../adr/', import.meta.url);
const decisions = readdirSync(ADR)
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .map((name) => page(`adr/${name.slice(0, -3)}`, /^# (.+)$/m.exec(readFileSync(new URL(name, ADR), 'utf8'))[1]));

/**
 * Files beside docs/ are not pages: links to them show their place in the repository as text. The site
 * shows the SDK's as a separate page.
 */
const outside = (markdown) => {
  const link = markdown.renderer.rules.link_open ?? ((tokens, index, options, _env, self) => self.renderToken(tokens, index, options));
  markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const reference = /\/sdk\/README\.md(#.*)?$/.exec(tokens[index].attrGet('href'));
    if (reference) tokens[index].attrSet('href', `/sdk-reference${reference[1] ?? ''}`);
    const href = tokens[index].attrGet('href');
    const depth = env.relativePath.split('/').length;
    if (!href.startsWith('../'.repeat(depth))) return link(tokens, index, options, env, self);
    tokens[tokens.findIndex(({ type }, at) => at > index && type === 'link_close')].tag = 'span';
    return `<span title="${markdown.utils.escapeHtml(href.replaceAll('../', ''))}">`;
  };
};

/** Diagrams are drawn while the site is built. */
const diagrams = (markdown) => {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) =>
    tokens[index].info.trim() === 'mermaid'
      ? `<div v-pre style="overflow-x:auto;margin:16px 0">${drawSequence(tokens[index].content)}</div>\n`
      : fence(tokens, index, ...rest);
};

/** Drawings are made for light paper: they keep a readable size on a phone, and are inverted in the dark. */
const DRAWINGS = `
  .vp-doc p:has(> img[src*=".svg"]) { overflow-x: auto }
  .vp-doc img[src*=".svg"] { width: max(100%, 640px); max-width: none }
  .dark .vp-doc img[src*=".svg"] { filter: invert(0.9) hue-rotate(180deg) }
`;

export default defineConfig({
  title: 'Ad server',
  description: 'An ad server for publishers',
  lang: 'en',
  base: '/static/docs/',
  outDir: '../public/docs',
  // Nothing is loaded from elsewhere: no web font, no analytics.
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, DRAWINGS],
  ],
  markdown: { config: (markdown) => [outside, diagrams].forEach((use) => use(markdown)) },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Start', items: [page('tutorial', 'Your first campaign'), page('sdk', 'On a page'), page('platforms', 'Try and host it')] },
      {
        text: 'Concepts',
        items: [
          page('concepts/decision', 'The decision'),
          page('concepts/targeting', 'Targeting'),
          page('concepts/ledger', 'Ledger and holds'),
          page('concepts/lost-counters', 'Lost counters'),
          page('concepts/limits', 'Goals, caps and budgets'),
          page('concepts/classes', 'Classes of line items'),
          page('concepts/prices', 'Prices'),
          page('concepts/pacing', 'Pacing'),
          page('concepts/rotation', 'Rotation of creatives'),
          page('concepts/auctions', 'Auctions'),
          page('concepts/status', 'Status'),
          page('concepts/consent', 'Consent'),
          page('concepts/gross-and-net', 'Gross and net'),
          page('lifecycle', 'A request, and what is stored'),
          page('architecture', 'Architecture'),
          page('glossary', 'Glossary'),
        ],
      },
      {
        text: 'In detail',
        items: [
          page('tags', 'Plain tags'),
          page('video', 'Video and audio'),
          page('prebid', 'Auctions for Prebid'),
          page('programmatic', 'Bidders'),
          page('pacing', 'Pacing rules'),
          page('reports', 'Reports'),
          page('sinks', 'Event sinks'),
          page('sinks/lake', 'A lake'),
          page('sinks/clickhouse', 'ClickHouse'),
          page('sinks/decisions', 'Requests and decisions'),
          page('alerts', 'Alerts'),
          page('people', 'People and tokens'),
          page('booking', 'Booking a campaign'),
          page('forecast', 'Forecasts'),
          page('bookings-in-git', 'Bookings in files'),
          page('clients', 'Clients of the API'),
          page('agents', 'Assistants and agents'),
          page('selling-to-agents', 'Selling to agents'),
          page('moving-from-revive', 'Moving from Revive'),
          page('privacy', 'Users and consent'),
          page('invalid-traffic', 'Invalid traffic'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('api', 'HTTP API'),
          page('sdk-reference', 'SDK'),
          page('errors', 'Errors'),
          page('configuration', 'Settings'),
          page('metrics', 'Metrics'),
          page('security', 'Security'),
        ],
      },
      {
        text: 'Operations',
        items: [page('operations', 'Operations'), page('reliability', 'Reliability'), page('performance', 'Performance')],
      },
      { text: 'Decisions', collapsed: true, items: decisions },
    ],
  },
});
