import { html } from 'lit-html';
import { textOf } from './typed-text.ts';
import { segmentedField, selectField } from '../fields/choice-field.ts';
import { numberField, textField } from '../fields/text-field.ts';
import { titleOf } from '../words/kinds.ts';
import { hashOf } from '../route.ts';
import { contentFields } from '../fields/content-field.ts';
import { creativeDraft, creativeRecord } from './creative-draft.ts';
import type { EntityForm } from './entity-form.ts';
import { formatHelp } from '../fields/format-help.ts';
import { FORMAT_CHOICES } from './placement-form.ts';
import { formSection } from '../parts/form-section.ts';

export const creativeForm: EntityForm<'creatives'> = {
  kind: 'creatives',
  draftOf: creativeDraft,
  recordOf: creativeRecord,
  missing: (store) => {
    if (store.all('line_items').length === 0)
      return {
        text: 'A creative is shown by a line item, and there is no line item yet.',
        label: 'Add a line item',
        hash: hashOf(['line_items', 'new']),
      };
    if (store.all('placements').length === 0)
      return {
        text: 'A creative stands on a placement, and there is no placement yet.',
        label: 'Add a placement',
        hash: hashOf(['placements', 'new']),
      };
    return undefined;
  },
  fields: (form, { store }) => {
    const isBidders = store.find('line_items', textOf(form.read('/line_item_id')))?.type === 'programmatic';
    const placement = store.find('placements', textOf(form.read('/placement_id')));
    const allowed = FORMAT_CHOICES.filter(({ value }) => !placement || placement.formats.includes(value) || form.read('/format') === value);
    return html`
      ${formSection(
        'Where it runs',
        '',
        html`
          ${selectField(form, {
            pointer: '/line_item_id',
            label: 'Line item',
            required: true,
            none: 'Choose a line item',
            choices: store.all('line_items').map((item) => ({ value: String(item.id), label: titleOf('line_items', item) })),
          })}
          ${selectField(form, {
            pointer: '/placement_id',
            label: 'Placement',
            required: true,
            none: 'Choose a placement',
            choices: store.all('placements').map(({ id, width, height }) => ({ value: id, label: `${id} (${width} × ${height})` })),
          })}
          ${segmentedField(form, {
            pointer: '/format',
            label: 'Format',
            wide: true,
            choices: allowed,
            ...(placement ? { help: `This placement allows ${placement.formats.join(', ')}.` } : {}),
          })}
        `,
      )}
      ${formSection(
        'Content',
        isBidders ? 'This line item’s bidder brings the markup; what stands here only says which placement and format it may fill.' : '',
        html`${contentFields(form)}
          <details class="wide format-help">
            <summary>About this format</summary>
            ${formatHelp(textOf(form.read('/format')))}
          </details>`,
      )}
      ${formSection(
        'Advertiser',
        '',
        html`
          ${textField(form, { pointer: '/click_url', label: 'Click address', inputMode: 'url', placeholder: 'https://…', help: 'Where a click leads. Empty: clicks are counted and lead where the creative itself says.' })}
          ${textField(form, { pointer: '/advertiser_domain', label: 'Advertiser domain', placeholder: 'advertiser.example', help: 'Tells pages and reports whose ad it is.' })}
          ${numberField(form, { pointer: '/width', label: 'Own width', suffix: 'px', placeholder: 'any', help: 'With a size of its own it runs only where it fits.' })}
          ${numberField(form, { pointer: '/height', label: 'Own height', suffix: 'px', placeholder: 'any' })}
        `,
      )}
    `;
  },
  next: ({ placement_id, line_item_id }) => ({
    text: 'It is live. See it served:',
    label: 'Test an ad',
    hash: hashOf(['test'], { placement_id, line_item_id }),
  }),
};
