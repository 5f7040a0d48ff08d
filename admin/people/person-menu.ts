import { html, nothing, type TemplateResult } from 'lit-html';
import { askAuth, SIGN_IN_PAGE } from '../api/auth.ts';
import type { Me } from '../api/rights.ts';
import { dropTabToken, tabToken } from '../api/tab-token.ts';
import type { Page } from '../page.ts';
import { icon } from '../parts/icons.ts';
import { button } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { say, t } from '../words/texts.ts';

/** Who uses the page, and what they may set, at the end of the navigation. */
export const personMenu = (page: Page, section: string): TemplateResult => {
  const { me } = page.rights;
  const isPerson = me.kind === 'person';
  const isKnown = isPerson || tabToken() !== null;
  return html`<div class="nav-group person-menu">
    ${
      isKnown
        ? html`<p class="person" title=${me.email ?? nothing}>
            <strong>${me.name}</strong>${isPerson ? html`<small>${me.email}</small>` : nothing}<small>${rolesOf(me)}</small>
          </p>`
        : nothing
    }
    <ul>
      <li>
        <a href=${hashOf(['account'])} aria-current=${section === 'account' ? 'page' : 'false'}
          >${icon('account')}<span>${isPerson ? t`Your account` : t`Preferences`}</span></a
        >
      </li>
    </ul>
    ${isKnown ? button(isPerson ? t`Sign out` : t`Stop using the token`, () => signOut(page), 'quiet') : nothing}
  </div>`;
};

const rolesOf = ({ roles, publishers, advertisers }: Me): string =>
  `${roles.map(say).join(', ')}${publishers || advertisers ? t`, for some` : ''}`;

const signOut = async (page: Page): Promise<void> => {
  if (tabToken() !== null) {
    dropTabToken();
    return location.replace(SIGN_IN_PAGE);
  }
  const answer = await askAuth('POST', '/auth/logout');
  if (!answer.ok) return page.complain(answer.problem);
  // Where a provider has its own session, it ends that one, too.
  location.replace(answer.value.continue_at ?? SIGN_IN_PAGE);
};
