import { html, nothing, type TemplateResult } from 'lit-html';
import { deleteEntity, duplicateHash, setBlocked, toggleActive } from './actions.ts';
import { titleOf } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { hashOf } from '../route.ts';
import type { CreativeWire, Kind, LineItemWire, Records } from '../service/wire.ts';

/** Duplicate and Delete, on a screen of the record. */
export const recordActions = <K extends Kind>(page: Page, kind: K, record: Records[K], afterDelete: string): TemplateResult => html`
  <a role="button" class="secondary" href=${duplicateHash(kind, record.id)}>Duplicate</a>
  <button
    type="button"
    class="secondary danger-text"
    @click=${() => void deleteEntity(page, kind, record).then((gone) => gone && page.go(afterDelete, { saved: true }))}
  >
    Delete
  </button>
`;

/** The buttons at the end of a record's row. */
export const rowActions = <K extends Kind>(page: Page, kind: K, record: Records[K]): TemplateResult => {
  const title = titleOf(kind, record);
  const item = kind === 'line_items' ? (record as LineItemWire) : undefined;
  const creative = kind === 'creatives' ? (record as CreativeWire) : undefined;
  return html`
    ${
      item
        ? html`<button
            type="button"
            class="quiet"
            aria-label="${item.active ? 'Pause' : 'Resume'} ${title}"
            @click=${() => void toggleActive(page, item)}
          >
            ${item.active ? 'Pause' : 'Resume'}
          </button>`
        : nothing
    }
    ${
      creative?.blocked_at
        ? html`<button type="button" class="quiet" aria-label="Unblock ${title}" @click=${() => void setBlocked(page, creative.id, false)}>
            Unblock
          </button>`
        : nothing
    }
    <a class="quiet-link" href=${hashOf([kind, record.id, 'edit'])} aria-label="Edit ${title}">Edit</a>
    <a class="quiet-link" href=${duplicateHash(kind, record.id)} aria-label="Duplicate ${title}">Duplicate</a>
    <button type="button" class="quiet danger-text" aria-label="Delete ${title}" @click=${() => void deleteEntity(page, kind, record)}>
      Delete
    </button>
  `;
};
