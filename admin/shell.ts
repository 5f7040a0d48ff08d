import { html, type TemplateResult } from 'lit-html';
import { icon, type IconName } from './parts/icons.ts';
import { NAMES } from './words/kinds.ts';
import { hashOf } from './route.ts';
import { KINDS } from './api/wire.ts';

/** The sections of the page, which are also the names of their icons; the API has a separate page. */
type Entry = readonly [section: IconName, label: string];

const GROUPS: readonly { readonly label?: string; readonly entries: readonly Entry[] }[] = [
  {
    entries: [
      ['overview', 'Home'],
      ['timeline', 'Timeline'],
    ],
  },
  {
    label: 'Results',
    entries: [
      ['reports', 'Reports'],
      ['finance', 'Finance'],
    ],
  },
  { label: 'Set-up', entries: [...KINDS.map((kind) => [kind, NAMES[kind].many] as const), ['files', 'Files']] },
  {
    label: 'Check',
    entries: [
      ['test', 'Test an ad'],
      ['alerts', 'Alerts'],
      ['complaints', 'Complaints'],
      ['history', 'History'],
    ],
  },
  { entries: [['api', 'API']] },
];

/** The frame of every screen: navigation, the screen, notices. */
export const shell = (section: string, screen: TemplateResult, toasts: TemplateResult): TemplateResult => html`
  <a class="skip" href="#main" @click=${skip}>Skip to the content</a>
  <div class="layout">
    <nav class="sidebar" aria-label="Main">
      <a class="brand" aria-label="Ad server" href=${hashOf(['overview'])}
        ><span class="brand-mark" aria-hidden="true">◧</span><span>Ad server</span></a
      >
      ${GROUPS.map(
        ({ label, entries }) =>
          html`<div class="nav-group">
            ${label ? html`<p class="nav-label">${label}</p>` : ''}
            <ul>
              ${entries.map(
                ([name, text]) =>
                  html`<li>
                    <a href=${name === 'api' ? 'api/' : hashOf([name])} aria-current=${name === section ? 'page' : 'false'}
                      >${icon(name)}<span>${text}</span></a
                    >
                  </li>`,
              )}
            </ul>
          </div>`,
      )}
    </nav>
    <main id="main" tabindex="-1">
      ${screen}
      <footer class="credits"><a href="https://db-ip.com" target="_blank" rel="noreferrer">IP Geolocation by DB-IP</a></footer>
    </main>
  </div>
  ${toasts}
`;

/** The router owns the hash: following #main would leave the screen. */
const skip = (event: Event): void => {
  event.preventDefault();
  document.getElementById('main')?.focus();
};
