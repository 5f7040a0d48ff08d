import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page, View } from '../page.ts';
import { crumbs, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { capital, counted } from '../words/kinds.ts';
import type { Role } from './rights-fields.ts';
import { permissionAreas } from './role-areas.ts';
import { say, t } from '../words/texts.ts';

/** What each role allows, as a table of permissions by area. */
export const openRoles = (page: Page): View => {
  const roles = createReading(page, (api) => api.get('/roles'), { keep: true });
  const add = page.rights.may('POST', '/roles') ? html`<a role="button" href=${hashOf(['roles', 'new'])}>${t`New role`}</a>` : nothing;
  return {
    title: t`Roles`,
    section: 'people',
    render: () => html`
      ${crumbs([[hashOf(['people']), t`People`]], t`Roles`)}
      ${pageHead(t`Roles`, t`What each allows. Who has several roles may do what any of them allows.`, add)}
      ${roles.render((all) => html`${matrix(page, all)}`)}
    `,
  };
};

const matrix = (page: Page, roles: readonly Role[]): TemplateResult =>
  html`<div class="role-matrix" role="region" aria-label=${t`What each role allows`} tabindex="0">
    <table aria-label=${t`Permissions of roles`}>
      <thead>
        <tr>
          <th scope="col"><span class="unseen">${t`Permission`}</span></th>
          ${roles.map((role) => html`<th scope="col">${heading(page, role)}</th>`)}
        </tr>
      </thead>
      ${permissionAreas(roles).map(
        ({ area, permissions }) =>
          html`<tbody>
            <tr>
              <th scope="rowgroup" colspan=${roles.length + 1}>${say(area)}</th>
            </tr>
            ${permissions.map(
              ({ name, words }) =>
                html`<tr>
                  <th scope="row">${capital(say(words))}</th>
                  ${roles.map((role) => html`<td>${role.permissions.some((each) => each.name === name) ? MAY : MAY_NOT}</td>`)}
                </tr>`,
            )}
          </tbody>`,
      )}
    </table>
  </div>`;

const MAY = html`<span aria-hidden="true">✓</span><span class="unseen">${t`yes`}</span>`;
const MAY_NOT = html`<span class="unseen">${t`no`}</span>`;

const heading = ({ rights }: Page, { id, name, people, tokens }: Role): TemplateResult => {
  const label = capital(say(name));
  const uses = [people ? counted(people, 'person', 'people') : '', tokens ? counted(tokens, 'token') : ''].filter(Boolean).join(', ');
  return html`${id !== null && rights.may('PATCH', '/roles/{id}') ? html`<a href=${hashOf(['roles', id])}>${label}</a>` : label}
  ${people === null ? nothing : html`<br /><small class="muted">${uses || t`not used`}</small>`}`;
};
