import { html, nothing, type TemplateResult } from 'lit-html';
import type { Rights } from './api/rights.ts';
import { icon, type IconName } from './parts/icons.ts';
import { hashOf } from './route.ts';
import { isInNavigation, SCREEN_GROUPS } from './screen-groups.ts';
import { locale } from './words/language.ts';
import { t } from './words/texts.ts';

export interface ShellOptions {
  readonly rights: Rights;
  /** The current entry of the navigation. */
  readonly section: string;
  /** What waits in a screen, by its name. */
  readonly counts: Readonly<Partial<Record<IconName, number>>>;
  readonly screen: TemplateResult;
  readonly personMenu: unknown;
  readonly toasts: TemplateResult;
  /** Opens the help of the screen. */
  readonly help: () => void;
}

/** The frame of every screen: navigation, the screen, notices. */
export const shell = ({ rights, section, counts, screen, personMenu, toasts, help }: ShellOptions): TemplateResult => {
  const entry = (name: IconName, label: string, href = hashOf([name])): TemplateResult =>
    html`<li>
      <a href=${href} aria-current=${name === section ? 'page' : 'false'}>${icon(name)}<span>${label}</span>${waiting(counts[name])}</a>
    </li>`;
  const groups = SCREEN_GROUPS.map(({ label, screens }) => ({ label, screens: screens.filter((one) => isInNavigation(one, rights)) }));
  return html`
    <a class="skip" href="#main" @click=${skip}>${t`Skip to the content`}</a>
    <div class="layout">
      <nav class="sidebar" aria-label=${t`Main`}>
        <a class="brand" aria-label=${t`Ad server`} href=${hashOf(['overview'])}
          ><span class="brand-mark" aria-hidden="true">◧</span><span>${t`Ad server`}</span></a
        >
        ${groups.map(({ label, screens }) =>
          screens.length === 0
            ? nothing
            : html`<div class="nav-group">
                ${label ? html`<p class="nav-label">${label}</p>` : nothing}
                <ul>
                  ${screens.map((one) => entry(one.name, one.label))}
                </ul>
              </div>`,
        )}
        <div class="nav-group">
          <ul>
            ${entry('api', 'API', 'api/')}
            <li>
              <a href="docs/" @click=${(event: Event) => openInstead(event, help)}>${icon('help')}<span>${t`Help`}</span></a>
            </li>
          </ul>
        </div>
        ${personMenu}
      </nav>
      <main id="main" tabindex="-1">
        ${screen}
        <footer class="credits"><a href="https://db-ip.com" target="_blank" rel="noreferrer">${t`IP Geolocation by DB-IP`}</a></footer>
      </main>
    </div>
    ${toasts}
  `;
};

const waiting = (count = 0): TemplateResult | typeof nothing =>
  count === 0 ? nothing : html`<span class="waiting">${count.toLocaleString(locale)}<span class="unseen"> ${t`waiting`}</span></span>`;

/** A click with a key opens the documents in a tab. */
const openInstead = (event: Event, open: () => void): void => {
  if (event instanceof MouseEvent && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
  event.preventDefault();
  open();
};

/** The router owns the hash: following #main would leave the screen. */
const skip = (event: Event): void => {
  event.preventDefault();
  document.getElementById('main')?.focus();
};
