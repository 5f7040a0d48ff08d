import { html } from 'lit-html';
import { listOf, numberOf, textOf } from './typed-text.ts';
import { checkField, selectField } from '../fields/choice-field.ts';
import { numberField, textField } from '../fields/text-field.ts';
import { hashOf } from '../route.ts';
import type { EntityForm } from './entity-form.ts';
import { formSection } from '../parts/form-section.ts';

export const FORMAT_CHOICES = [
  { value: 'html', label: 'HTML', note: 'markup in a sandboxed frame' },
  { value: 'banner', label: 'Banner', note: 'an image, sharp on every screen' },
  { value: 'native', label: 'Native', note: 'assets in the page’s own style' },
] as const;

export const placementForm: EntityForm<'placements'> = {
  kind: 'placements',
  draftOf: ({ id, publisher_id, width, height, formats }) => ({
    id: textOf(id),
    publisher_id: textOf(publisher_id),
    width: textOf(width),
    height: textOf(height),
    formats: formats ?? ['html', 'banner'],
  }),
  recordOf: ({ id, publisher_id, width, height, formats }) => ({
    id: textOf(id).trim(),
    publisher_id: numberOf(publisher_id),
    width: numberOf(width),
    height: numberOf(height),
    formats: listOf(formats),
  }),
  fields: (form, { store }, { isNew }) =>
    formSection(
      'Placement',
      'A place on a page where an ad can stand. Pages ask for ads by its id.',
      html`
        ${textField(form, {
          pointer: '/id',
          label: 'Id',
          required: true,
          disabled: !isNew,
          placeholder: 'article-top',
          help: isNew
            ? 'Your own name for the slot; pages send it as imp.tagid. It cannot be changed later.'
            : 'Pages send it as imp.tagid.',
        })}
        ${selectField(form, {
          pointer: '/publisher_id',
          label: 'Publisher',
          none: 'Open to all publishers',
          choices: store.all('publishers').map(({ id, name }) => ({ value: String(id), label: name })),
        })}
        ${numberField(form, { pointer: '/width', label: 'Width', required: true, suffix: 'px', placeholder: '300' })}
        ${numberField(form, { pointer: '/height', label: 'Height', required: true, suffix: 'px', placeholder: '250' })}
        ${checkField(form, { pointer: '/formats', label: 'Formats', required: true, wide: true, choices: FORMAT_CHOICES })}
      `,
    ),
  next: (_, store) => {
    const [publisher] = store.all('publishers');
    if (store.all('campaigns').length > 0) return undefined;
    return publisher
      ? { text: 'Next: book a campaign.', label: 'Add a campaign', hash: hashOf(['campaigns', 'new'], { publisher_id: publisher.id }) }
      : { text: 'Next: the publisher whose page it is.', label: 'Add a publisher', hash: hashOf(['publishers', 'new']) };
  },
};
