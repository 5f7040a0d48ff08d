import { html, nothing, type TemplateResult } from 'lit-html';
import { deleteEntity, duplicateCampaign, duplicateHash, setArchived, setBlocked, toggleActive } from './actions.ts';
import { quickEdit } from './lists/quick-edit.ts';
import { isEditedInList, type InPlaceKind } from './lists/listed-fields.ts';
import { archivedBy } from '../words/archived.ts';
import { linkTo, NAMES, titleOf } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { closeOnChoice, closeOnEscape, closeOnLeave } from '../parts/panel.ts';
import { button } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import type { CampaignWire, CreativeWire, Kind, Records } from '../api/wire.ts';
import { t } from '../words/texts.ts';

/** To the form of a record; of who may not change it, the form shows its settings. */
export const editLink = <K extends Kind>({ rights }: Page, kind: K, record: Records[K]): TemplateResult =>
  html`<a role="button" class="secondary" href=${hashOf([kind, record.id, 'edit'])}
    >${rights.mayChange(kind, record) ? t`Edit` : t`Settings`}</a
  >`;

/** Duplicate, Archive and Delete, on a screen of the record. */
export const recordActions = <K extends Kind>(page: Page, kind: K, record: Records[K], afterDelete: string): TemplateResult => {
  const remove = () => deleteEntity(page, kind, record).then((gone) => gone && page.go(afterDelete, { saved: true }));
  const archive = () =>
    setArchived(page, kind, record, !record.archived).then(
      (done) => done && page.go(record.archived ? location.hash : afterDelete, { saved: true }),
    );
  const owner = archivedOwner(page, kind, record);
  const { rights } = page;
  const mayChange = rights.mayChange(kind, record);
  return html`
    ${
      !mayDuplicate(page, kind)
        ? nothing
        : kind === 'campaigns'
          ? button(t`Duplicate`, () => duplicateCampaign(page, record as CampaignWire), 'secondary')
          : html`<a role="button" class="secondary" href=${duplicateHash(kind, record.id)}>${t`Duplicate`}</a>`
    }
    ${owner ? html`<a role="button" class="secondary" href=${owner.hash}>${owner.label}</a>` : !mayChange ? nothing : button(record.archived ? t`Restore` : t`Archive`, archive, 'secondary')}
    ${mayDelete(page, kind, record) ? button(t`Delete`, remove, 'secondary danger-text') : nothing}
  `;
};

const mayDuplicate = ({ rights }: Page, kind: Kind): boolean =>
  kind === 'campaigns' ? rights.may('POST', '/campaigns/{id}/duplicate') : rights.may('POST', `/${kind}`);
const mayDelete = <K extends Kind>({ rights }: Page, kind: K, record: Records[K]): boolean =>
  rights.mayChange(kind, record) && rights.may('DELETE', `/${kind}/{id}`);

/** The buttons at the end of a record's row; those of what the person may do. */
export const rowActions = <K extends Kind>(page: Page, kind: K, record: Records[K]): TemplateResult => {
  const title = titleOf(kind, record);
  const paused = 'active' in record ? !record.active : undefined;
  const creative = kind === 'creatives' ? (record as CreativeWire) : undefined;
  const quiet = (label: string, run: () => unknown, look = 'quiet') => button(label, run, look, `${label} ${title}`);
  const link = (label: string, hash: string) => html`<a class="quiet-link" href=${hash} aria-label="${label} ${title}">${label}</a>`;
  const { rights } = page;
  const mayChange = rights.mayChange(kind, record);
  const remove = mayDelete(page, kind, record) ? quiet(t`Delete`, () => deleteEntity(page, kind, record), 'quiet danger-text') : nothing;
  const owner = archivedOwner(page, kind, record);
  if (owner) return html`${link(owner.label, owner.hash)} ${remove}`;
  if (record.archived) return html`${mayChange ? quiet(t`Restore`, () => setArchived(page, kind, record, false)) : nothing} ${remove}`;
  return html`
    ${paused === undefined || !mayChange ? nothing : quiet(paused ? t`Resume` : t`Pause`, () => toggleActive(page, kind as 'campaigns', record as CampaignWire))}
    ${creative?.blocked_at && rights.may('POST', '/creatives/{id}/unblock') ? quiet(t`Unblock`, () => setBlocked(page, creative.id, false)) : nothing}
    ${isEditedInList(kind) && mayChange ? quiet(t`Quick edit`, () => quickEdit(page, kind as InPlaceKind, record as Records[InPlaceKind])) : nothing}
    ${link(mayChange ? t`Edit` : t`Settings`, hashOf([kind, record.id, 'edit']))}
    ${
      !mayDuplicate(page, kind)
        ? nothing
        : kind === 'campaigns'
          ? quiet(t`Duplicate`, () => duplicateCampaign(page, record as CampaignWire))
          : link(t`Duplicate`, duplicateHash(kind, record.id))
    }
    ${remove}
  `;
};

/** The same in a menu, where a row has no room for them. */
export const rowMenu = <K extends Kind>(page: Page, kind: K, record: Records[K]): TemplateResult =>
  html`<details class="panel row-menu" name="row-menu" @click=${closeOnChoice} @keydown=${closeOnEscape} @focusout=${closeOnLeave}>
    <summary aria-label=${t`Actions for ${titleOf(kind, record)}`}>⋯</summary>
    <div class="menu-panel">${rowActions(page, kind, record)}</div>
  </details>`;

/** What a record is archived with, where it can be restored; undefined: it is not archived, or is so itself. */
const archivedOwner = <K extends Kind>({ store }: Page, kind: K, record: Records[K]) => {
  const owner = archivedBy(store, kind, record);
  return owner && owner.record !== record
    ? { label: t`Archived with its ${NAMES[owner.kind].one}`, hash: linkTo(owner.kind, owner.record.id) }
    : undefined;
};
