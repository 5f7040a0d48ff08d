import { html, type TemplateResult } from 'lit-html';
import { icon, type IconName } from './parts/icons.ts';
import { NAMES } from './words/kinds.ts';
import { hashOf } from './route.ts';
import { KINDS } from './service/wire.ts';

interface Entry {
  readonly section: string;
  readonly icon: IconName;
  readonly label: string;
}

const GROUPS: readonly { readonly label: string; readonly entries: readonly Entry[] }[] = [
  { label: '', entries: [{ section: 'overview', icon: 'overview', label: 'Overview' }] },
  { label: 'Set-up', entries: KINDS.map((kind) => ({ section: kind, icon: kind, label: NAMES[kind].many })) },
  {
    label: 'Check',
    entries: [
      { section: 'test', icon: 'test', label: 'Test an ad' },
      { section: 'reports', icon: 'reports', label: 'Ad reports' },
      { section: 'history', icon: 'history', label: 'History' },
    ],
  },
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
                (entry) =>
                  html`<li>
                    <a href=${hashOf([entry.section])} aria-current=${entry.section === section ? 'page' : 'false'}
                      >${icon(entry.icon)}<span>${entry.label}</span></a
                    >
                  </li>`,
              )}
            </ul>
          </div>`,
      )}
      <div class="nav-group">
        <ul>
          <li>
            <a href="docs/">${icon('api')}<span>API</span></a>
          </li>
        </ul>
      </div>
    </nav>
    <main id="main" tabindex="-1">${screen}</main>
  </div>
  ${toasts}
`;

/** The router owns the hash: following #main would leave the screen. */
const skip = (event: Event): void => {
  event.preventDefault();
  document.getElementById('main')?.focus();
};
